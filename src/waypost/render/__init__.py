"""Rendering of pages in the machine's Chromium, a browser without connections.

`Renderer` drives the browser by Playwright (extra `render`) and answers the requests of a page: with the page as read
before, with a file of the page's folder, or with the answer to a guarded fetch of `waypost.net`.
"""
