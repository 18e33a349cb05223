"""One module for each path or family of paths: `ENDPOINTS`, and the functions that answer.

A new endpoint is a module here, the schema files it names in `schemas/api/`, and its cases in `tests/api/`.
"""
