"""One rule a module; see `waypost.validate.rulebook` for what a module holds."""
