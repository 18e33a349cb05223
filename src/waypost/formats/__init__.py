"""Formats of plain values: dates, numbers, currencies, addresses, identifiers, patterns. No input or output."""
