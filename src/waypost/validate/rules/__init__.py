"""Rules as modules; `waypost.validate.rulebook` describes their contents, `schemas/checks` holds further rules."""
