"""MCP server: the decision and the reports as tools of an agent, by the Model Context Protocol.

A stop is a successful result with a first text that begins `STOP:`. A call without a decision gets an error with the
same beginning. No result, error or log repeats a URL's path, query or credentials, and no text of a third party stands
in the first text of a result.

The package is imported by the command `waypost mcp` alone: the SDK takes more than a second to import.
"""
