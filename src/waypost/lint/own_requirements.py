"""Registry of a page: that of waypost, with the profiles, checks and rules of the page's configuration."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from waypost.config import Config
from waypost.config_file import ConfigError
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


@lru_cache(maxsize=32)
def digest_of(own: tuple[OwnFile, ...], package_rules: tuple[PackageRule, ...]) -> str:
    """Digest of a project's requirements, with the code of the packages; empty without any."""
    if not (own or package_rules):
        return ""
    digest = sha256(repr((own, package_rules)).encode())
    for rule in package_rules:
        for path in _code_of(rule.module):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _code_of(module: str) -> list[Path]:
    """Files of Python of the package with a module."""
    from importlib.util import find_spec

    spec = find_spec(module.partition(".")[0])
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return files or ([Path(spec.origin)] if spec and spec.origin and spec.has_location else [])
