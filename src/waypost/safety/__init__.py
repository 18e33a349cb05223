"""From a destination and what was seen of it to a decision. Nothing here opens a socket or reads a clock."""
