"""Decisions about a destination from observations. No module opens a socket or reads a clock."""
