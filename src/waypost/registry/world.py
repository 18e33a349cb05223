"""World data: brands, suffixes, words and codes, from the files under `data/`.

A `World` is immutable and passed as an argument. `version` is a digest over the contents of
every file; each decision contains the version of the data behind the decision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from waypost.errors import RegistryError
from waypost.registry.assets import read_files

DATA = Path(__file__).resolve().parent.parent / "data"
_JOINED = "brands.json"
"""File of an installed package that holds the text of each brand file by its path below `brands/` (hatch_build.py)."""


Role = Literal["principal", "sign_in", "payment", "content", "mail", "other"]


class DomainSnapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about a domain on the day of its review; `registered` is an ISO date. Empty where not known."""

    registered: str = ""
    registrar: str = ""
    name_servers: tuple[str, ...] = ()
    certificate_issuer: str = ""
    certificate_organization: str = ""


class OfficialDomain(msgspec.Struct, frozen=True):
    """Reviewed domain of a brand: role, day of the review, and names of sources (`registry.sources`)."""

    domain: str
    role: Role
    reviewed: str
    sources: tuple[str, ...]
    snapshot: DomainSnapshot | None = None


class FurtherDomain(msgspec.Struct, frozen=True):
    """Unreviewed domain of a brand. Neither verifies a destination nor raises a signal."""

    domain: str
    sources: tuple[str, ...]


class PaymentProvider(msgspec.Struct, frozen=True):
    """Brand whose hosts take payments for another brand, with the source and the day on which it was read."""

    brand: str
    source: str
    read: str


class Brand(msgspec.Struct, frozen=True, kw_only=True):
    """Brand that impostors may imitate. One file each.

    tokens                  spellings in a host name that identify the brand alone
    short_or_common_tokens  words that identify the brand only with an action word: `ups-delivery`, not `groups`
    owner                   corporate group; brands of a group may mention each other
    official_domains        reviewed domains, the main domain first; may be empty
    further_domains         unreviewed domains; without reviewed domains the first counts as the main domain
    payment_providers       brands whose hosts take its payments
    closed                  address that says that the business has ended; then no domain may be reviewed
    review_ends             ISO date of the end of the reviews; empty: the longest lifetime of each review
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
    closed: str = ""
    review_ends: str = ""
    payment_providers: tuple[PaymentProvider, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def non_ascii_names(self) -> tuple[str, ...]:
        """Names and aliases outside ASCII."""
        return tuple(name for name in (*self.names, *self.aliases) if not name.isascii())

    @property
    def home(self) -> str:
        """Main domain, reviewed or not. Only `official_home` may be recommended to users."""
        return self.domains[0]

    @property
    def official_home(self) -> str | None:
        """Reviewed main domain, None without a review."""
        return self.official_domains[0].domain if self.official_domains else None

    @property
    def domains(self) -> tuple[str, ...]:
        """All domains, reviewed first."""
        return (*(d.domain for d in self.official_domains), *(d.domain for d in self.further_domains))


class Site(msgspec.Struct, frozen=True):
    """Website and name, unreviewed."""

    name: str
    domains: tuple[str, ...]
    categories: tuple[str, ...]


class _Sites(msgspec.Struct, frozen=True):
    sites: tuple[Site, ...]


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """Release of the registry, with brands in place of the brands of the package. `expires_at`: milliseconds."""

    version: int
    expires_at: int


class World:
    """Data files, and objects decoded from the files on first use.

    files     path below `data/` -> bytes, sorted by path.
    release   release with the brands; None: brands of the package
    version   first 12 hex digits of the SHA-256 over all paths and contents, and over the release.
    """

    def __init__(self, files: Mapping[str, bytes], release: Release | None = None) -> None:
        self.files = dict(sorted(files.items()))
        self.release = release

    @cached_property
    def version(self) -> str:
        digest = hashlib.sha256()
        for path, data in self.files.items():
            # Path and length delimit the files: bytes that move from one file to the next change the digest.
            digest.update(f"{path}\0{len(data)}\0".encode())
            digest.update(data)
        if self.release is not None:
            # The same brands decide otherwise once their release has expired.
            digest.update(f"{self.release.version}\0{self.release.expires_at}".encode())
        return digest.hexdigest()[:12]

    def document(self, path: str) -> Any:
        """Decoded data file. Raises RegistryError."""
        return self.read(path, object)

    def read(self, path: str, kind: Any) -> Any:
        """Data file decoded into a type. Raises RegistryError."""
        try:
            return msgspec.json.decode(self.files[path], type=kind)
        except KeyError:
            raise RegistryError(path, "there is no such data file") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RegistryError(path, str(error)) from None

    @cached_property
    def brands(self) -> dict[str, Brand]:
        """Slug -> brand, sorted by file."""
        decoder = msgspec.json.Decoder(Brand)
        found: dict[str, Brand] = {}
        for path, data in self.files.items():
            if path.startswith("brands/"):
                try:
                    brand = decoder.decode(data)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise RegistryError(path, str(error)) from None
                found[brand.slug] = brand
        return found

    @cached_property
    def official(self) -> dict[str, Brand]:
        """Reviewed domain -> brand."""
        return {entry.domain: brand for brand in self.brands.values() for entry in brand.official_domains}

    @cached_property
    def further(self) -> dict[str, Brand]:
        """Unreviewed domain -> brand."""
        return {entry.domain: brand for brand in self.brands.values() for entry in brand.further_domains}

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Further sites, unreviewed."""
        found: _Sites = self.read("sites.json", _Sites)
        return found.sites

    @cached_property
    def site_domains(self) -> frozenset[str]:
        """Domains of the further sites."""
        return frozenset(domain for site in self.sites for domain in site.domains)

    @cached_property
    def user_content(self) -> frozenset[str]:
        """Domains and hosts that publish content of their users."""
        return self._domains("user-content")

    @cached_property
    def _restricted(self) -> dict[str, frozenset[str]]:
        suffixes = self.document("suffixes/restricted.json") if "suffixes/restricted.json" in self.files else {}
        found = {
            name: frozenset(suffixes.get(name, ()))
            for name in ("top_level", "brand_top_level", "second_level", "domains")
        }
        return found | {"top_level": found["top_level"] | found["brand_top_level"]}

    def is_restricted(self, host: str) -> bool:
        """Whether a host is below a suffix for one kind of institutions, as `gov.au`, or for one company."""
        suffixes, labels = self._restricted, host.split(".")
        if len(labels) < 2:
            return False
        if labels[-1] in suffixes["top_level"]:
            return True
        # A second level such as `gov` is restricted below countries, whose codes have two letters.
        if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in suffixes["second_level"]:
            return True
        above = host.partition(".")[2]
        while above and above not in suffixes["domains"]:
            above = above.partition(".")[2]
        return bool(above)

    @cached_property
    def infrastructure(self) -> frozenset[str]:
        """Domains of content networks and clouds, whose hosts people never open."""
        return self._domains("infrastructure") if "suffixes/infrastructure.json" in self.files else frozenset()

    def _domains(self, name: str) -> frozenset[str]:
        return frozenset(self.document(f"suffixes/{name}.json")["domains"])

    def brand_at(self, domain: str) -> Brand | None:
        """Brand with this domain, reviewed or not."""
        return self.official.get(domain) or self.further.get(domain)


@cache
def load(folder: Path | None = None) -> World:
    """Read every data file, cached per folder. `folder` is the package's own by default. Raises RegistryError."""
    root = folder or DATA
    files = read_files(root) if root.is_dir() else {}
    if not files:
        raise RegistryError(root.name, "there is no data here")
    if _JOINED in files:
        # A wheel holds the brands as one file: thousands of small ones take 4 kB of a disk each.
        files |= _brand_files(files.pop(_JOINED))
    return World(files)


def _brand_files(joined: bytes) -> dict[str, bytes]:
    try:
        texts = msgspec.json.decode(joined, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RegistryError(_JOINED, str(error)) from None
    return {f"brands/{path}": text.encode() for path, text in texts.items()}


def document(path: Path) -> Any:
    """Decoded data file, without loading the others. Raises RegistryError."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RegistryError(path.name, str(error)) from None


@cache
def hosting_suffixes() -> frozenset[str]:
    """Suffixes open to registrations by third parties: site builders, cloud hosts, tunnels, dynamic DNS."""
    names = ("hosting.json", "dynamic-dns.json")
    return frozenset(domain for name in names for domain in document(DATA / "suffixes" / name)["domains"])


@cache
def shorteners() -> frozenset[str]:
    """Domains of URL shorteners."""
    return frozenset(document(DATA / "suffixes" / "shorteners.json")["domains"])
