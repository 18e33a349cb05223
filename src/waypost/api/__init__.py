"""The service: one Litestar process that serves the versioned API and the site.

`handlers/` holds one module for each path or family of paths; each says what it takes, gives and needs, and has
the functions that answer. Routes, guards, limits, the OpenAPI document and the reference pages are made from that.
"""
