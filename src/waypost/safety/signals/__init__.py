"""The signals: one module each, `observe()` yields what it saw as `Evidence` and decides nothing."""
