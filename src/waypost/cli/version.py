"""show the version, the digest of the registry, and the versions of the dependencies

Two machines with the same digest use the same registry and report the same findings.

examples:
  waypost version
  waypost version --json
"""

from __future__ import annotations

import platform
from argparse import ArgumentParser, Namespace

from waypost import __version__
from waypost.cli._console import write, write_json

PLACE = 90
PACKAGES = ("turbohtml", "msgspec", "jsonschema", "jsonschema-rs", "ada-url", "publicsuffixlist", "extruct")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    from waypost.registry import load

    registry = load()
    versions = {
        "version": __version__,
        "registry_version": registry.version,
        "schemaorg": registry.vocabulary.release,
        "python": platform.python_version(),
        "packages": _packages(),
    }
    if args.json:
        write_json(versions)
        return 0
    lines = [("waypost", __version__), ("registry", registry.version), ("schema.org", versions["schemaorg"])]
    lines += [("python", versions["python"]), *_packages().items()]
    write(f"{name:<17} {version}\n" for name, version in lines)
    return 0


def _packages() -> dict[str, str]:
    """Versions of the installed packages; absent optional packages are left out."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
