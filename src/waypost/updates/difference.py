"""Difference between two registries, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from waypost.registry.world import Brand, World


class Difference(NamedTuple):
    """Difference: slugs of brands, `BRAND: DOMAIN` of domains, and sentences about main sites."""

    brands_added: tuple[str, ...]
    brands_removed: tuple[str, ...]
    reviews_added: tuple[str, ...]
    reviews_removed: tuple[str, ...]
    reviews_renewed: tuple[str, ...]
    main_sites_changed: tuple[str, ...]
    brands_changed: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {name: len(values) for name, values in self._asdict().items()}


def difference(before: World, after: World) -> Difference:
    """Difference of the brands. A domain with another brand than before is removed and added."""
    old, new = _reviews(before), _reviews(after)
    both = [slug for slug in after.brands if slug in before.brands]
    return Difference(
        brands_added=tuple(slug for slug in after.brands if slug not in before.brands),
        brands_removed=tuple(slug for slug in before.brands if slug not in after.brands),
        reviews_added=tuple(name for name in new if name not in old),
        reviews_removed=tuple(name for name in old if name not in new),
        reviews_renewed=tuple(name for name in new if name in old and new[name] != old[name]),
        main_sites_changed=tuple(_main_sites(before, after, both)),
        brands_changed=tuple(slug for slug in both if before.brands[slug] != after.brands[slug]),
    )


def _reviews(world: World) -> dict[str, tuple[str, str]]:
    """`BRAND: DOMAIN` of each review -> day of the review, and end of the reviews of the brand."""
    return {
        f"{slug}: {entry.domain}": (entry.reviewed, brand.review_ends)
        for slug, brand in world.brands.items()
        for entry in brand.official_domains
    }


def _main_sites(before: World, after: World, slugs: list[str]) -> Iterator[str]:
    for slug in slugs:
        old, new = _home(before.brands[slug]), _home(after.brands[slug])
        if old != new:
            yield f"{slug}: {old} is now {new}"


def _home(brand: Brand) -> str:
    return brand.official_home or "no reviewed site"
