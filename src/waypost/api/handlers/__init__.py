"""Route handlers: a module for each path or family of paths.

A new endpoint takes a module here, its schema files in `schemas/api/`, and cases in `tests/api/`.
"""
