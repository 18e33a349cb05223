"""HTTP service: a Litestar application that serves the versioned API and the site.

Endpoints live in `handlers/`, a module for each path or family of paths. Every route handler declares its scopes,
limit, body, parameters and answers; routing, guards, the OpenAPI document and the reference pages are made from these
declarations (see `endpoint.py`).
"""
