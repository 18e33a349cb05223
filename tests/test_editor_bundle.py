"""The editor of the validate page is the bundle that its pinned packages give, with their licences."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUNDLE = (ROOT / "site" / "vendor" / "editor.js").read_text("utf-8")
LOCK = json.loads((ROOT / "tools" / "editor" / "package-lock.json").read_bytes())["packages"]
SHIPPED = {
    place.removeprefix("node_modules/"): package["version"]
    for place, package in LOCK.items()
    if place and not package.get("dev")
}


def test_the_bundle_is_made_of_the_inputs_in_the_checkout() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import make_editor

    assert f"SHA-256 of its inputs: {make_editor.digest_of_inputs()}\n" in BUNDLE


def test_every_package_is_named_with_version_and_licence() -> None:
    head = BUNDLE[: BUNDLE.index("*/")]

    assert len(SHIPPED) > 10
    assert [name for name, version in SHIPPED.items() if f"{name} {version}" not in head] == []
    assert head.count("Permission is hereby granted") == head.count("THE SOFTWARE IS PROVIDED")
    assert re.search(r"Copyright \(C\) .*Marijn Haverbeke", head)


def test_packages_are_pinned_and_name_no_registry() -> None:
    pinned = json.loads((ROOT / "tools" / "editor" / "package.json").read_bytes())

    assert all(
        re.fullmatch(r"\d+\.\d+\.\d+", each) for each in (pinned["dependencies"] | pinned["devDependencies"]).values()
    )
    assert [place for place, package in LOCK.items() if place and "integrity" not in package] == []
    assert [place for place, package in LOCK.items() if "resolved" in package] == []


@pytest.mark.parametrize("word", [r"\beval\(", r"new Function\(", "innerHTML", r'setAttribute\("style"'])
def test_the_bundle_conforms_to_the_policy_of_the_site(word: str) -> None:
    assert re.findall(word, BUNDLE[BUNDLE.index("*/") :]) == []


def test_the_packages_give_the_same_bundle_again() -> None:
    """WAYPOST_EDITOR names the folder `node_modules` of `npm ci` in tools/editor."""
    modules = os.environ.get("WAYPOST_EDITOR")
    if not modules:
        pytest.skip("WAYPOST_EDITOR names no folder with the packages")
    command = [sys.executable, str(ROOT / "tools" / "make_editor.py"), "--check", "--modules", modules]

    made = subprocess.run(command, capture_output=True, text=True, check=False)

    assert made.returncode == 0, made.stderr
