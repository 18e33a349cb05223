"""What waypost knows about the world: brands, suffixes, words and codes, as files under `data/`.

A `World` never changes and is passed as an argument. Its `version` is a digest over the contents of
every file, so a decision can say what it was made from.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from waypost.errors import RegistryError

DATA = Path(__file__).resolve().parent.parent / "data"


class OfficialDomain(msgspec.Struct, frozen=True):
    """A domain that a review found to be the brand's own: who compiled it or where it is to be seen, and the day."""

    domain: str
    source: str
    reviewed: str


class FurtherDomain(msgspec.Struct, frozen=True):
    """A domain said to be the brand's own that nobody reviewed: it accuses nobody, and it verifies nothing."""

    domain: str
    source: str


class Brand(msgspec.Struct, frozen=True, kw_only=True):
    """Whom people may be made to believe they deal with. One file each.

    tokens                  the name as it stands in a host, enough by itself to mean this brand
    short_or_common_tokens  words that mean it only beside an action word: `ups-delivery`, not `groups`
    owner                   the group it belongs to; brands of one group may speak of each other
    official_domains        reviewed; the first is the brand's home. A brand may have none
    further_domains         unreviewed; where there is no reviewed one, the first is said to be the home
    """

    slug: str
    names: tuple[str, ...]
    aliases: tuple[str, ...]
    owner: str
    categories: tuple[str, ...]
    countries: tuple[str, ...]
    tokens: tuple[str, ...]
    short_or_common_tokens: tuple[str, ...]
    official_domains: tuple[OfficialDomain, ...]
    further_domains: tuple[FurtherDomain, ...]

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def spelled(self) -> tuple[str, ...]:
        """Those of its names that no host can show in ASCII."""
        return tuple(name for name in (*self.names, *self.aliases) if not name.isascii())

    @property
    def home(self) -> str:
        """Where the brand is said to be at home: no place to send anybody to unless it is the official one."""
        return self.domains[0]

    @property
    def official_home(self) -> str | None:
        """The brand's home as a review found it."""
        return self.official_domains[0].domain if self.official_domains else None

    @property
    def domains(self) -> tuple[str, ...]:
        """Every domain said to be the brand's, reviewed or not."""
        return (*(d.domain for d in self.official_domains), *(d.domain for d in self.further_domains))


class Site(msgspec.Struct, frozen=True):
    """A site and the name it goes by, unreviewed."""

    name: str
    domains: tuple[str, ...]
    categories: tuple[str, ...]


class _Sites(msgspec.Struct, frozen=True):
    sites: tuple[Site, ...]


class World:
    """The data files by path, and what is made from them when first asked for.

    files     path below `data/` -> bytes, sorted by path.
    version   the first 12 hex digits of the SHA-256 over all paths and contents.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(sorted(files.items()))

    @cached_property
    def version(self) -> str:
        digest = hashlib.sha256()
        for path, data in self.files.items():
            digest.update(f"{path}\0{len(data)}\0".encode())
            digest.update(data)
        return digest.hexdigest()[:12]

    def document(self, path: str) -> Any:
        """One data file, decoded."""
        return self._read(path, object)

    def _read(self, path: str, kind: Any) -> Any:
        try:
            return msgspec.json.decode(self.files[path], type=kind)
        except KeyError:
            raise RegistryError(path, "there is no such data file") from None
        except msgspec.DecodeError as fault:
            raise RegistryError(path, str(fault)) from None

    @cached_property
    def brands(self) -> dict[str, Brand]:
        """Slug -> brand, sorted by file."""
        decoder = msgspec.json.Decoder(Brand)
        found: dict[str, Brand] = {}
        for path, data in self.files.items():
            if path.startswith("brands/"):
                try:
                    brand = decoder.decode(data)
                except msgspec.DecodeError as fault:
                    raise RegistryError(path, str(fault)) from None
                found[brand.slug] = brand
        return found

    @cached_property
    def official(self) -> dict[str, Brand]:
        """Reviewed domain -> whose it is."""
        return {each.domain: brand for brand in self.brands.values() for each in brand.official_domains}

    @cached_property
    def further(self) -> dict[str, Brand]:
        """Unreviewed domain -> whose it is said to be."""
        return {each.domain: brand for brand in self.brands.values() for each in brand.further_domains}

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Further sites, unreviewed."""
        found: _Sites = self._read("sites.json", _Sites)
        return found.sites

    @cached_property
    def site_domains(self) -> frozenset[str]:
        """The domains of the further sites."""
        return frozenset(domain for site in self.sites for domain in site.domains)

    @cached_property
    def user_content(self) -> frozenset[str]:
        """Domains and hosts where strangers publish under the owner's name."""
        return self._domains("user-content")

    def _domains(self, name: str) -> frozenset[str]:
        return frozenset(self.document(f"suffixes/{name}.json")["domains"])

    def brand_at(self, domain: str) -> Brand | None:
        """Whose domain it is, by a review or by anybody's word."""
        return self.official.get(domain) or self.further.get(domain)


def _files(folder: str, below: str = "") -> Iterator[tuple[str, bytes]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, f"{below}{entry.name}/")
            elif entry.name.endswith(".json"):
                with open(entry.path, "rb", buffering=0) as file:  # noqa: PTH123  a Path for each costs half of it all
                    yield f"{below}{entry.name}", file.read()


@cache
def load(folder: Path | None = None) -> World:
    """Read every data file, once for each folder. `folder` is the package's own unless given."""
    root = folder or DATA
    files = dict(_files(str(root))) if root.is_dir() else {}
    if not files:
        raise RegistryError(root.name, "there is no data here")
    return World(files)


def document(path: Path) -> Any:
    """One data file by itself, for what needs no more of the world."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as fault:
        raise RegistryError(path.name, str(fault)) from None


@cache
def hosting_suffixes() -> frozenset[str]:
    """Domains below which strangers publish: site builders, cloud hosts, tunnels, dynamic DNS. Read by themselves."""
    names = ("hosting.json", "dynamic-dns.json")
    return frozenset(domain for name in names for domain in document(DATA / "suffixes" / name)["domains"])


@cache
def shorteners() -> frozenset[str]:
    """Domains whose addresses stand for another, unknown address. Read by themselves."""
    return frozenset(document(DATA / "suffixes" / "shorteners.json")["domains"])
