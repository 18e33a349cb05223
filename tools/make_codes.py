"""Make src/waypost/data/currencies.json and countries.json from Debian's iso-codes package.

    apt-get install iso-codes && python tools/make_codes.py

Codes and English names are plain facts of ISO 4217 and ISO 3166-1. Where the package is behind the
maintenance agency's own list, the additions below say what changed and when. The codes that are no longer money are
in no package: they are kept as they stand in currencies.json, where a new one is written by hand.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path("/usr/share/iso-codes/json")
TARGET = Path(__file__).resolve().parent.parent / "src" / "waypost" / "data"
READ = "2026-11-20"

# After the package's edition of 2023.
NEW_CURRENCIES = {"VED": "Bolivar digital", "XCG": "Caribbean Guilder", "ZWG": "Zimbabwe Gold"}
# What shops write for a currency, where only one can be meant.
SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₺": "TRY", "₩": "KRW", "₫": "VND", "₴": "UAH", "zł": "PLN",
         "US$": "USD", "A$": "AUD", "C$": "CAD", "R$": "BRL", "Kč": "CZK", "euro": "EUR", "euros": "EUR"}  # fmt: skip
# Codes people write that ISO 3166-1 gives to nobody.
WRITTEN_FOR = {"UK": "GB", "EL": "GR"}


def source(standard: str) -> dict[str, str]:
    return {"source": f"{standard} through Debian's iso-codes package, with later changes", "read": READ}


def table(name: str, key: str) -> list[dict[str, Any]]:
    return list(json.loads((PACKAGE / name).read_bytes())[key])


def write(name: str, document: dict[str, Any]) -> None:
    lines = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=False)
    (TARGET / name).write_text(lines + "\n", encoding="utf-8")


def main() -> int:
    current = {row["alpha_3"]: row["name"] for row in table("iso_4217.json", "4217")} | NEW_CURRENCIES
    stored = json.loads((TARGET / "currencies.json").read_bytes())
    withdrawn = {name: stored[name] for name in ("withdrawn_source", "withdrawn")}
    currencies = {code: name for code, name in sorted(current.items()) if code not in stored["withdrawn"]}
    write("currencies.json", {**source("ISO 4217"), "current": currencies, **withdrawn, "signs": SIGNS})
    rows = table("iso_3166-1.json", "3166-1")
    countries = {row["alpha_2"]: [row["alpha_3"], row.get("common_name", row["name"])] for row in rows}
    names = {
        name: row["alpha_2"]
        for row in rows
        for key in ("name", "common_name", "official_name")
        if (name := row.get(key))
    }
    codes = {"codes": dict(sorted(countries.items())), "names": dict(sorted(names.items()))}
    write("countries.json", {**source("ISO 3166-1"), **codes, "written_for": WRITTEN_FOR})
    print(f"{len(currencies)} currencies, {len(countries)} countries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
