"""Build hook of the wheel: what is thousands of small files in a checkout becomes one file.

Brand files and test cases take 4 kB of a disk each, however short they are: 18 MB for 3 MB of text. An installed
package has the brands joined in `waypost/data/brands.json` (path -> text of the file), and the cases, which only the
site shows, in `waypost/cases.zip`. `registry.world` and `registry.assets` read both forms; `tests/test_packaging.py`
compares them.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""A ZIP file has times; the same one for all files makes two builds equal."""


def files_below(folder: Path) -> list[tuple[str, Path]]:
    """Path below the folder, and file; sorted."""
    return sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())


def join_brands(folder: Path, target: Path) -> None:
    texts = {name: path.read_text("utf-8") for name, path in files_below(folder) if name.endswith(".json")}
    target.write_text(json.dumps(texts, ensure_ascii=False, separators=(",", ":")), "utf-8")


def pack_cases(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files_below(folder):
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), path.read_bytes(), zipfile.ZIP_DEFLATED)


class WheelHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # runs on the files of the checkout
            return
        root = Path(self.root)
        self.folder = tempfile.TemporaryDirectory()
        brands, cases = Path(self.folder.name) / "brands.json", Path(self.folder.name) / "cases.zip"
        join_brands(root / "src" / "waypost" / "data" / "brands", brands)
        pack_cases(root / "tests" / "cases", cases)
        build_data["force_include"] |= {str(brands): "waypost/data/brands.json", str(cases): "waypost/cases.zip"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self.folder.cleanup()
