"""Mixed scripts in one name (lookalike characters).

Latin next to Cyrillic or Greek in one word is hardly ever a language. Japanese, Chinese and Korean writing mixes
scripts by nature, with Latin too, and is let be.
Source: UTS #39, section 5.2, highly restrictive level, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target
from waypost.safety.target import scripts_of

TAKES = "target"
SUMMARY_CODE: SummaryCode = "mixed_script_host"
# UTS #39, section 5.2: the combinations that "highly restrictive" allows.
_TOGETHER = (
    frozenset({"Latin", "Han", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Han", "Bopomofo"}),
    frozenset({"Latin", "Han", "Hangul"}),
)


def observe(target: Target) -> Iterator[Evidence]:
    # Nearly every host; the labels need no look.
    if len(target.scripts) < 2:
        return
    for label in target.unicode_host.split("."):
        scripts = set(scripts_of(label))
        if len(scripts) > 1 and not any(scripts <= allowed for allowed in _TOGETHER):
            yield Evidence(
                type="lexical_check",
                status="observed",
                id="host.scripts",
                summary_code=SUMMARY_CODE,
                strength="medium",
                detail=f"one label mixes {' and '.join(sorted(scripts))} letters",
            )
            return
