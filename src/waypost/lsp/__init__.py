"""The language server: what waypost says of a page, while it is written."""
