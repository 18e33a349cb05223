"""Registry of a page: that of waypost, with the profiles, checks and rules of the page's configuration.

A service and a site take one configuration for all pages that are sent or pasted: pages without a path.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from waypost.config import Config, PageSettings, apply, load
from waypost.config_file import ConfigError
from waypost.formats.digests import sha256
from waypost.models.finding import FileReport
from waypost.registry import Registry, shared_registry
from waypost.registry.own_files import OwnFile, OwnFileError, PackageRule


def registry_for(config: Config, registry: Registry | None = None) -> Registry:
    """Registry with the requirements of a configuration. `registry` is waypost's own. Raises ConfigError."""
    registry = registry or shared_registry()
    if not (config.own or config.package_rules):
        return registry
    return _extended(registry, config.own, config.package_rules)


@lru_cache(maxsize=32)
def _extended(registry: Registry, own: tuple[OwnFile, ...], package_rules: tuple[PackageRule, ...]) -> Registry:
    from waypost.validate.profiles.profile_set import profile_index
    from waypost.validate.rulebook import rules_of

    extended = registry.extended(own, package_rules)
    try:
        rules_of(extended)
    except OwnFileError as error:
        raise ConfigError(str(error), error.path, error.line) from None
    features = profile_index(extended).features
    for each in own:
        if each.kind == "profile":
            try:
                # Kinds of values, filters and shapes are looked up when a profile is first compiled.
                assert features[each.name].requirements
                assert features[each.name].footprint
            except Exception as error:  # noqa: BLE001 - a name that no shape, enumeration or filter has
                message = f"{each.path}:1: {each.name} cannot be used: there is no {error}"
                raise ConfigError(message, each.path, 1) from None
    return extended


class Requirements(NamedTuple):
    """Requirements of a configuration on pages without a path.

    profiles  profiles to check in full where a request names none.
    also      further names of types and properties.
    """

    registry: Registry
    profiles: tuple[str, ...] = ()
    also: frozenset[str] = frozenset()
    settings: PageSettings | None = None

    @property
    def usual(self) -> dict[str, Any]:
        """Profiles, further names and levels of rules, for the engine of a site; empty where there are none."""
        from waypost.validate.rulebook import former_names

        levels = self.settings.rules if self.settings is not None else {}
        found = {
            "profiles": list(self.profiles),
            "also": sorted(self.also),
            "levels": {former_names().get(name, name): level.value for name, level in levels.items()},
        }
        return {key: value for key, value in found.items() if value}

    def apply(self, report: FileReport, *, named: bool) -> None:
        """Apply levels and suppressions in place. `named`: profiles are those of a request, not the usual ones."""
        from waypost.validate.rulebook import former_names

        if not named:
            report.findings[:] = [each for each in report.findings if each.rule != "profile-not-found"]
        if self.settings is not None and (self.settings.rules or self.settings.ignore):
            apply(report, self.settings, former_names())


def requirements_at(path: Path, registry: Registry | None = None) -> Requirements:
    """Requirements of a configuration file. `registry` is waypost's own. Raises ConfigError."""
    from waypost.validate.rulebook import rule_names

    registry = registry or shared_registry()
    config = load(path, rule_names(), registry.profile_names)
    settings = config.for_page(str(config.folder / "page"))
    profiles = settings.profiles.value if settings.profiles else ()
    return Requirements(registry_for(config, registry), tuple(profiles), config.also, settings)


@lru_cache(maxsize=32)
def digest_of(own: tuple[OwnFile, ...], package_rules: tuple[PackageRule, ...]) -> str:
    """Digest of a project's requirements, with the code of the packages; empty without any."""
    if not (own or package_rules):
        return ""
    digest = sha256(repr((own, package_rules)).encode())
    for rule in package_rules:
        for path in _code_of(rule.module):
            digest.update(path.read_bytes())
    return str(digest.hexdigest())


def _code_of(module: str) -> list[Path]:
    """Files of Python of the package with a module."""
    from importlib.util import find_spec

    spec = find_spec(module.partition(".")[0])
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return files or ([Path(spec.origin)] if spec and spec.origin and spec.has_location else [])
