"""An installed waypost has everything that a checkout has, and its packaging says what is true."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import RegistryError
from waypost.registry.world import load
from waypost.validate.rulebook import rules_by_name

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
USED = [*PROJECT["project"]["dependencies"], *(each for extra in EXTRAS.values() for each in extra)]
TOOLS = [each for group in PROJECT["dependency-groups"].values() for each in group if isinstance(each, str)]


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def name_of(requirement: str) -> str:
    return re.split(r"[<>=!~;\[ ]", requirement, maxsplit=1)[0]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    hatchling = pytest.importorskip("hatchling.build", reason="a wheel is made by hatchling, of the group `test`")
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / str(hatchling.build_wheel(str(folder)))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that an installer makes of the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_wheel_and_checkout_build_the_same_site_anywhere(installed: Path, built_site: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "with a space"
    settings = {"TZ": "Pacific/Chatham", "LC_ALL": "C", "PYTHONHASHSEED": "7", "PYTHONUTF8": "0"}
    environment = os.environ | settings | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "waypost", "build", "--output", str(elsewhere)]

    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)

    assert digests(elsewhere) == digests(built_site)


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    package = ROOT / "src" / "waypost"
    brands = package / "data" / "brands"
    # Compiled modules stand there while `tools/take_compiled.py` has them tried.
    made = {".so", ".pyd"}
    files = (path for path in package.rglob("*") if path.is_file() and path.suffix not in made)
    files = (path for path in files if path.parent.name != "__pycache__")
    single = {path.relative_to(package).as_posix() for path in files if not path.is_relative_to(brands)}

    assert {f"waypost/{path}" for path in single} <= held


def test_installed_package_has_the_same_data_in_few_files(installed: Path) -> None:
    code = "from waypost.registry.world import load; print(load().version, len(load().files))"
    command = [sys.executable, "-c", code]

    run = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=True
    )

    here = load()
    assert run.stdout.split() == [here.version, str(len(here.files))]
    assert sum(1 for path in installed.rglob("*") if path.is_file()) < len(here.files)


def test_installed_package_imports_no_rule_to_list_them(installed: Path) -> None:
    code = (
        "import sys; from waypost.validate.rulebook import rules_by_name as rules; "
        "print(len(rules()), any('validate.rules.' in name for name in sys.modules))"
    )
    settings = {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}

    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | settings, capture_output=True, text=True, check=True
    )

    assert run.stdout.split() == [str(len(rules_by_name())), "False"]


def test_installed_package_has_the_same_cases_in_one_file(installed: Path) -> None:
    with zipfile.ZipFile(installed / "waypost" / "cases.zip") as archive:
        packed = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}

    assert packed == digests(ROOT / "tests" / "cases")


def test_two_builds_make_the_same_files_of_the_data(tmp_path: Path) -> None:
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    for folder in (tmp_path / "1", tmp_path / "2"):
        folder.mkdir()
        hook["join_brands"](ROOT / "src" / "waypost" / "data" / "brands", folder / "brands.json")
        hook["pack_cases"](ROOT / "tests" / "cases", folder / "cases.zip")

    assert digests(tmp_path / "1") == digests(tmp_path / "2")


def test_a_damaged_file_of_brands_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "brands.json").write_bytes(b'{"a/acme.json": 1}')

    with pytest.raises(RegistryError, match=r"brands\.json"):
        load(tmp_path)


def test_the_metadata_names_both_licences_with_their_texts(installed: Path) -> None:
    (folder,) = installed.glob("waypost-*.dist-info")
    metadata = (folder / "METADATA").read_text("utf-8")

    assert "License-Expression: MIT AND CC-BY-SA-3.0\n" in metadata
    for name in PROJECT["project"]["license-files"]:
        assert (folder / "licenses" / name).is_file(), name


def test_no_user_installs_a_tool_of_the_tests() -> None:
    assert not set(map(name_of, TOOLS)) & set(map(name_of, USED))


def test_all_is_every_extra() -> None:
    (everything,) = EXTRAS["all"]

    assert everything == f"waypost[{','.join(sorted(EXTRAS.keys() - {'all'}))}]"


def test_every_installed_package_is_pinned() -> None:
    assert set(map(name_of, [*USED, *TOOLS])) - {"waypost"} <= pinned("constraints.txt")
    assert set(map(name_of, USED)) - {"waypost"} <= pinned("requirements.lock")


@pytest.mark.parametrize("name", ["requirements.lock", "deploy/requirements.lock"])
def test_a_hashed_version_is_the_tested_version(name: str) -> None:
    def versions(path: str) -> set[tuple[str, str]]:
        return set(re.findall(r"^([\w-]+)==([^\s;]+)", (ROOT / path).read_text("utf-8"), re.MULTILINE))

    assert versions(name) <= versions("constraints.txt")


def pinned(name: str) -> set[str]:
    """Names of the packages with a version in a file of requirements."""
    return set(re.findall(r"^([\w-]+)==", (ROOT / name).read_text("utf-8"), re.MULTILINE))


def test_build_is_a_tool_as_module_and_a_script() -> None:
    # Not by an import: in this folder `build` is the script.
    if not [*importlib.metadata.distributions(name="build")]:
        pytest.skip("the packaging tool is not installed (group `ci`)")

    def run(*words: str) -> str:
        return subprocess.run(
            [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
        ).stdout

    assert run("-m", "build", "--version").startswith("build ")
    assert "render the site from the registry" in run("build.py", "--help")


def test_a_wheel_has_the_manual_pages_of_its_commands(wheel: Path) -> None:
    from waypost.cli.man import pages

    with zipfile.ZipFile(wheel) as archive:
        folder = "/data/share/man/man1/"
        held = {each.rpartition("/")[2]: archive.read(each).decode() for each in archive.namelist() if folder in each}

    assert held == pages(), "run `waypost man --output docs/man`"


def test_the_notices_name_the_data_of_others() -> None:
    """Each data file with a source that is not the project's own, and each publisher of a list with a licence."""
    notices = (ROOT / "NOTICE.md").read_text("utf-8")
    data = ROOT / "src" / "waypost" / "data"
    own = ("written by hand", "the services' own sites", "reported imitations", "TF1 by hand")
    for path in sorted(data.rglob("*.json")):
        if path.is_relative_to(data / "brands"):
            continue
        source = json.loads(path.read_bytes()).get("source")
        if isinstance(source, str) and not source.startswith(own):
            assert path.name in notices, path.name
    sources = json.loads((data / "sources.json").read_bytes())["sources"].values()
    licensed = {each["publisher"] for each in sources if each["licence"] != "a fact, cited"} - {"waypost"}
    spelled = {
        "Apple": "apple/",
        "Google Chrome": "GoogleChrome/",
        "Simple Icons": "simple-icons",
        "Wikimedia": "Wikidata",
    }
    assert sorted(name for name in licensed if spelled.get(name, name) not in notices) == []


HOOK = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]


@pytest.mark.parametrize("module", HOOK["compiled"])
def test_a_compiled_module_has_nothing_that_mypyc_changes(module: str) -> None:
    source = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text("utf-8")

    # Structs may be made, but not decoded: their annotations are no texts there.
    assert not re.search(r"msgspec\.(json\.)?(convert|decode|Decoder)", source)
    # A class there computes it at each request, and cannot be referred to weakly.
    assert "cached_property" not in source
    assert "weakref" not in source


def test_mypyc_accepts_the_modules_that_are_compiled(tmp_path: Path) -> None:
    """What it makes of them is tried with a wheel: `.github/workflows/wheels.yml`."""
    pytest.importorskip("mypyc", reason="it comes with mypy, of the group `lint`")
    pytest.importorskip("setuptools", reason="mypyc names the files by it; environments of Python 3.11 have it")
    options = ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", "--ignore-missing-imports"]
    sources = [f"{module.replace('.', '/')}.py" for module in HOOK["compiled"]]
    made = str(tmp_path)
    check = f"from mypyc.build import mypycify; mypycify({options + sources}, multi_file=True, target_dir={made!r})"

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", check], cwd=ROOT / "src", capture_output=True, text=True, timeout=600
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_only_a_compiled_wheel_needs_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hatchling", reason="a wheel is made by hatchling, of the group `test`")
    from hatchling.metadata.core import ProjectMetadata

    hook_class = runpy.run_path(str(ROOT / "hatch_build.py"))["WheelHook"]
    hook = hook_class(str(ROOT), HOOK, None, ProjectMetadata(str(ROOT), None), "", "")
    monkeypatch.delenv("WAYPOST_COMPILE", raising=False)
    assert hook.dependencies() == []

    monkeypatch.setenv("WAYPOST_COMPILE", "1")
    assert {name_of(each) for each in hook.dependencies()} >= {"mypy", "setuptools", "msgspec"}


def test_compiled_modules_are_put_next_to_sources_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "take_compiled.py"))
    sources = tmp_path / "src"
    (sources / "waypost").mkdir(parents=True)
    for function in (tool["take"], tool["remove"]):
        monkeypatch.setitem(function.__globals__, "SOURCES", sources)
    with zipfile.ZipFile(tmp_path / "waypost-1-cp311-cp311-linux_x86_64.whl", "w") as archive:
        archive.writestr("waypost/a.cpython-311.so", b"")
        archive.writestr("waypost/a.py", "")

    assert tool["take"](tmp_path / "waypost-1-cp311-cp311-linux_x86_64.whl") == 1
    assert [path.name for path in (sources / "waypost").iterdir()] == ["a.cpython-311.so"]
    assert tool["remove"]() == 1


def test_a_traceback_of_a_compiled_module_names_its_line() -> None:
    import traceback

    from waypost.reader import dirtyjson

    if dirtyjson.__file__.endswith(".py"):
        pytest.skip("not compiled: docs/contributing/compiled.md")
    with pytest.raises(TypeError) as raised:
        dirtyjson.decode(None)  # type: ignore[arg-type]

    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    source = Path(dirtyjson.__file__).with_name("dirtyjson.py").read_text("utf-8").splitlines()
    assert last.filename.endswith("waypost/reader/dirtyjson.py")
    assert source[last.lineno - 1].startswith("def decode(")
