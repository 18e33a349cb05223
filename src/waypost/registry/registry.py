"""Registry: the files under `schemas/`, loaded once and passed as an argument.

A `Registry` is immutable. `version` is a digest over the contents of every file: equal versions of the
command line, the service and the site mean equal rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from waypost.errors import RegistryError, UnknownType
from waypost.formats.text import near
from waypost.models.generator import Generator
from waypost.models.json_value import JsonObject
from waypost.models.product_feed import FeedFormat
from waypost.models.profile import Consumer, Profile
from waypost.registry import assets
from waypost.registry.other_names import OtherNames
from waypost.registry.own_files import OwnFile, PackageRule, consumer_of
from waypost.registry.service_types import Delegate, ServiceTypes
from waypost.registry.vocabulary import Vocabulary

_VOCABULARY = "vocabulary/schemaorg.json"
_T = TypeVar("_T")


class Registry:
    """Files of the registry, and objects decoded from the files on first use.

    files     path below `schemas/` -> bytes, sorted by path.
    version   first 12 hex digits of the SHA-256 over all paths and contents.
    own       profiles and checks of a project; the profiles are among the files.
    package_rules  rules of installed packages that a project uses.
    """

    def __init__(
        self, files: Mapping[str, bytes], own: tuple[OwnFile, ...] = (), package_rules: tuple[PackageRule, ...] = ()
    ) -> None:
        self.own, self.package_rules = own, package_rules
        self.files: Mapping[str, bytes] = MappingProxyType(dict(sorted(files.items())))

    @cached_property
    def version(self) -> str:
        # Imported here: a report as text does not name the version, and OpenSSL takes long to load.
        import hashlib

        digest = hashlib.sha256()
        for path, data in self.files.items():
            # Path and length keep apart what the contents alone would run together.
            digest.update(f"{path}\0{len(data)}\0".encode())
            digest.update(data)
        return digest.hexdigest()[:12]

    @property
    def is_extended(self) -> bool:
        """Whether a project adds requirements."""
        return bool(self.own or self.package_rules)

    @cached_property
    def own_consumers(self) -> frozenset[str]:
        """Names before the slash of a project's profiles."""
        return frozenset(each.name.partition("/")[0] for each in self.own if each.kind == "profile")

    def extended(self, own: tuple[OwnFile, ...], package_rules: tuple[PackageRule, ...]) -> Registry:
        """Registry with the requirements of a project."""
        google = self.files["profiles/google.json"]
        profiles = [each for each in own if each.kind == "profile"]
        files = dict(self.files) | {f"profiles/{each.name}.json": each.data for each in profiles}
        files |= {f"checks/{each.name}.json": each.data for each in own if each.kind == "check"}
        for name in dict.fromkeys(each.name.partition("/")[0] for each in profiles):
            files[f"profiles/{name}.json"] = consumer_of(name, google)
        return Registry(files, own, package_rules)

    def document(self, path: str) -> Any:
        """Decoded file of the registry. Raises RegistryError."""
        try:
            return msgspec.json.decode(self.files[path])
        except KeyError:
            raise RegistryError(path, "the registry has no such file") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RegistryError(path, str(error)) from None

    def below(self, folder: str, suffix: str = ".json") -> list[str]:
        """Paths of the files directly in a folder, sorted."""
        return [p for p in self.files if p.startswith(folder) and p.endswith(suffix) and "/" not in p[len(folder) :]]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return _vocabulary(self.files[_VOCABULARY])

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        """Profiles by name ("google/recipe"), in the order of the files."""
        return {profile.name: profile for profile in (self._typed(path, Profile) for path in self._profile_files())}

    @cached_property
    def profile_names(self) -> list[str]:
        """Names of all profiles, sorted, without decoding a file."""
        found = (path for path in self.files if path.startswith("profiles/") and path.count("/") == 2)
        return sorted(path.removeprefix("profiles/").removesuffix(".json") for path in found)

    @cached_property
    def consumers(self) -> dict[str, Consumer]:
        """Shared data of a consumer's profiles, by name of the consumer."""
        return {consumer.name: consumer for consumer in (self._typed(p, Consumer) for p in self.below("profiles/"))}

    @cached_property
    def other_names(self) -> OtherNames:
        """Names under which a value that a rich result misses may stand."""
        return self._typed("other-names.json", OtherNames)

    @cached_property
    def generators(self) -> list[Generator]:
        """Generators by precedence, those of one precedence by name."""
        found = (self._typed(path, Generator) for path in self.below("generators/"))
        return sorted(found, key=lambda generator: (generator.precedence, generator.name))

    @cached_property
    def feeds(self) -> list[FeedFormat]:
        """Forms of feeds of products, by precedence."""
        found = (self._typed(path, FeedFormat) for path in self.below("feeds/"))
        return sorted(found, key=lambda form: form.precedence)

    def _profile_files(self) -> list[str]:
        return [path for consumer in self.consumers for path in self.below(f"profiles/{consumer}/")]

    def _typed(self, path: str, shape: type[_T]) -> _T:
        try:
            return msgspec.json.decode(self.files[path], type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RegistryError(path, str(error)) from None

    @cached_property
    def mappings(self) -> dict[str, dict[str, Any]]:
        """Service type -> schema document, in the order of the files."""
        documents = (self.document(path) for path in self.below("mappings/", ".schema.json"))
        return {document["title"]: document for document in documents}

    @cached_property
    def service_types(self) -> ServiceTypes:
        """Service types of the schema.org types."""
        delegates = msgspec.convert(self.document("picking.json")["delegates"], list[Delegate])
        return ServiceTypes(self.mappings, delegates, self.vocabulary)

    @cached_property
    def unified(self) -> JsonObject:
        """Schema of the unified model."""
        document: JsonObject = self.document("unified.schema.json")
        return document

    def schema(self, name: str) -> dict[str, Any]:
        """Schema of a service type, of a standard type with a mapping, or of `Unified`. Raises UnknownType."""
        if name == "Unified":
            return self.unified
        if name in self.mappings:
            return self.mappings[name]
        for document in self.mappings.values():
            if document["x-standard-type"] == name:
                return document
        known = ["Unified", *self.mappings, *(d["x-standard-type"] for d in self.mappings.values())]
        raise UnknownType(name, near(name, known))


@lru_cache(maxsize=2)
def _vocabulary(data: bytes) -> Vocabulary:
    # Registries with the same file share a vocabulary: after an edit of another file the ancestors stay cached.
    return Vocabulary(data)


def load(folder: Path | None = None) -> Registry:
    """Read every file of the registry. `folder` is `schemas/` of this project by default. Raises RegistryError.

    Files are read again at each call; while they hold the same, it is the same registry with all that it has decoded.
    """
    root = folder or assets.folder("schemas")
    files = assets.read_files(root) if root.is_dir() else {}
    if not files:
        raise RegistryError(str(root), "there is no registry here")
    return _registry(tuple(files.items()))


@cache
def shared_registry() -> Registry:
    """Registry of this project, loaded once per process."""
    return load()


@lru_cache(maxsize=1)
def _registry(files: tuple[tuple[str, bytes], ...]) -> Registry:
    return Registry(dict(files))
