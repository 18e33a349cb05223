"""MCP server: the decision and the reports as tools of an agent, by the Model Context Protocol.

A stop is a successful result whose first text begins `STOP:`. Where no decision could be made, the result is an error
that begins so too. No result, error or log repeats a URL's path, query or credentials, and no text of a third party
stands in the first text of a result.

The package is imported by the command `waypost mcp` alone: the SDK takes more than a second to import.
"""
