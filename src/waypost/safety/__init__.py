"""Decisions about a destination from its observations. No module opens a socket or reads a clock."""
