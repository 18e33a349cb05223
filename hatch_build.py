"""Build hook of the wheel: what is thousands of small files in a checkout becomes one file.

Brand files and test cases take 4 kB of a disk each, however short they are: 18 MB for 3 MB of text. An installed
package has the brands joined in `waypost/data/brands.json` (path -> text of the file), and the cases, which only the
site shows, in `waypost/cases.zip`. `registry.world` and `registry.assets` read both forms; `tests/test_packaging.py`
compares them. `waypost/validate/rules.json` is the index of the rules, see `validate.rule_index`.

With `WAYPOST_COMPILE=1` in the environment, the modules of `compiled` in pyproject.toml are extension modules too, made
by mypyc for this platform and Python. The wheel is then one of a platform; it has every source beside, which
tracebacks show, and the wheel without them stays the usual one.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
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


def index_rules(root: Path, target: Path) -> None:
    validate = root / "src" / "waypost" / "validate"
    index = runpy.run_path(str(validate / "rule_index.py"))["packed"](validate / "rules", root / "schemas" / "checks")
    target.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), "utf-8")


def _is_compiled() -> bool:
    return os.environ.get("WAYPOST_COMPILE", "") not in ("", "0")


def compiled(root: Path, modules: list[str], target: Path) -> list[Path]:
    """Extension modules of some modules of `src`, by paths below `target`. Needs mypyc, setuptools and a C compiler."""
    sources = [f"{module.replace('.', '/')}.py" for module in modules]
    names = [str(target / "build"), str(target / "made"), *sources]
    subprocess.run([sys.executable, "-c", _COMPILE, *names], cwd=root / "src", check=True)  # noqa: S603 - own code
    return sorted((target / "made").rglob("*.so")) + sorted((target / "made").rglob("*.pyd"))


_COMPILE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from mypyc.build import mypycify
from setuptools import Distribution
from setuptools.command.build_ext import build_ext

class Build(build_ext):
    # The files of one library, two at a time: setuptools compiles only libraries next to one another.
    def build_extensions(self):
        compiler = self.compiler
        if compiler.compiler_type == "unix":
            def compile(sources, output_dir, macros, include_dirs, debug, extra_postargs, depends):
                prepared = compiler._setup_compile(output_dir, macros, include_dirs, sources, depends, extra_postargs)
                _, objects, extra, options, build = prepared
                arguments = compiler._get_cc_args(options, debug, None)
                with ThreadPoolExecutor(2) as pool:
                    list(pool.map(lambda each: compiler._compile(each, *build[each], arguments, extra, options), build))
                return objects
            compiler.compile = compile
        super().build_extensions()

build, made, *sources = sys.argv[1:]
# One library with the run-time of mypyc once, and a file of C for each module: all in one file, the compiler of C takes
# more memory than small machines have. Types are checked elsewhere, with the packages of all extras, which building
# does not need.
options = ["--config-file=", "--ignore-missing-imports", *sources]
extensions = mypycify(
    options, multi_file=True, group_name="waypost", opt_level="2", debug_level="0", target_dir=build
)
distribution = Distribution({"ext_modules": extensions, "cmdclass": {"build_ext": Build}})
command = distribution.get_command_obj("build_ext")
command.build_lib, command.build_temp = made, build
command.ensure_finalized()
command.run()
"""


class WheelHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """Packages to build with. mypyc reads the types of what the modules import."""
        if not _is_compiled():
            return []
        project: dict[str, Any] = self.metadata.core.config
        return ["mypy>=1.18", "setuptools>=77", *project["dependencies"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # runs on the files of the checkout
            return
        root = Path(self.root)
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        brands, cases, rules = folder / "brands.json", folder / "cases.zip", folder / "rules.json"
        join_brands(root / "src" / "waypost" / "data" / "brands", brands)
        pack_cases(root / "tests" / "cases", cases)
        index_rules(root, rules)
        build_data["force_include"] |= {
            str(brands): "waypost/data/brands.json", str(cases): "waypost/cases.zip",
            str(rules): "waypost/validate/rules.json",
        }  # fmt: skip
        if _is_compiled():
            made = Path(self.folder.name) / "compiled"
            found = compiled(root, self.config["compiled"], made)
            build_data["force_include"] |= {str(path): path.relative_to(made / "made").as_posix() for path in found}
            build_data |= {"pure_python": False, "infer_tag": True}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self.folder.cleanup()
