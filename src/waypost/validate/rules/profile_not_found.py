"""No item on the page for the requested rich result.

`--profile google/recipe` says that a page has a recipe. A page without one has no finding about recipes, and would pass
for a good one: the template was not filled in, the script was left out, or the name is that of another profile. Of
several pages in one run at least one must have what the profile is about; `[[expect]]` in the configuration says how
many pages, or which share of them, must have a type or a rich result.
Source: waypost's own words, `waypost validate --help`, read 2026-11-23.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "profiles"
