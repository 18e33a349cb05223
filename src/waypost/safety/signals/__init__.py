"""The signals: one module each, `observe()` yields what it saw as `Evidence` and decides nothing.

A module about names takes a `Reading`, one about the form of the URL a `Target`; what was fetched or claimed
arrives as an argument too. Each has a docstring (what, why, the surprising case, `Source:`), a `SUMMARY_CODE`,
and its cases in `tests/cases/signals/<name>/`.
"""
