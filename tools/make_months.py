"""Write src/waypost/data/months.json: names of months and weekdays by language, from Unicode's CLDR.

    python -m pip install babel
    python tools/make_months.py

Kept are names of one word, in lower case and without a full stop. A name that stands for two months, or for a month and
a weekday ("mar" in Spanish), is left out, so that a date with it keeps its two readings. Words that stand between the
parts of a date ("de", "den") are a list of our own, as CLDR has them in patterns only.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import babel
from babel import Locale

OUTPUT = Path(__file__).parents[1] / "src" / "waypost" / "data" / "months.json"
BETWEEN = {
    "bg": "г година", "ca": "de d del", "cs": "", "da": "den d", "de": "den der dem", "el": "", "es": "de del",
    "et": "", "fi": "", "fr": "le er", "hr": "", "hu": "", "it": "il", "lt": "m d", "lv": "gada", "nb": "den", "nl": "",
    "nn": "den", "no": "den", "pl": "r roku", "pt": "de do", "ro": "", "ru": "г года", "sk": "", "sl": "", "sv": "den",
    "tr": "", "uk": "р року",
}  # fmt: skip
VARIANTS = {"de": ("de_AT",), "es": ("es_MX",), "pt": ("pt_PT",), "fr": ("fr_CA",)}


def names(language: str) -> dict[str, str]:
    """Months as twelve lists of words separated by commas, and the words to skip."""
    months: dict[str, set[int]] = defaultdict(set)
    days: set[str] = set()
    for locale in map(Locale.parse, (language, *VARIANTS.get(language, ()))):
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in locale.months[context][width].items():
                    months[plain(name)].add(number)
                days |= {plain(name) for name in locale.days[context][width].values()}
    of_month = defaultdict(list)
    for name, numbers in months.items():
        if len(numbers) == 1 and name not in days and name.isalpha():
            of_month[numbers.pop()].append(name)
    skipped = {day for day in days if all(part.isalpha() for part in day.split("-"))} - months.keys()
    words = {part for day in skipped for part in day.split("-")} | set(BETWEEN[language].split())
    return {
        "months": ",".join(" ".join(sorted(of_month[number])) for number in range(1, 13)),
        "between": " ".join(sorted(words - months.keys())),
    }


def plain(name: str) -> str:
    return name.casefold().removesuffix(".")


def main() -> None:
    data = {
        "source": f"Unicode CLDR by way of Babel {babel.__version__}; `between` also has words of our own",
        "read": "2026-11-23",
        "terms": "Unicode License v3, https://www.unicode.org/license.txt",
        "languages": {language: names(language) for language in sorted(BETWEEN)},
    }
    OUTPUT.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
