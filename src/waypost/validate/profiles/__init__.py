"""Profiles: the requirements of consumers for their rich results, evaluated on the nodes of a page.

The requirements are data (`schemas/profiles/`). `profile_set` compiles them, `subjects` selects the nodes,
`requirements` finds the gaps in a node, `evaluate` decides which gaps are reported, and `findings` words the reports.
"""

from waypost.validate.profiles.evaluate import Eligibility, ProfileResults, evaluate_profiles

__all__ = ["Eligibility", "ProfileResults", "evaluate_profiles"]
