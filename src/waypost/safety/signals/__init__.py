"""Signals: one module each, whose `observe()` yields observations as `Evidence` and decides nothing.

A signal about names takes a `HostReading`, a signal about the form of the URL a `Target`; results of fetches and claims
are arguments too. A module has a docstring (subject, reason, surprising case, `Source:`), a `SUMMARY_CODE`, and cases
in `tests/cases/signals/<name>/`.
"""
