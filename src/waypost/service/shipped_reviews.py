"""Shipped reviews behind disputed decisions and doubts; the store knows only its own reviews."""

from __future__ import annotations

from waypost.registry.world import World
from waypost.safety.relationship import holds, shipped
from waypost.safety.target import of_host
from waypost.store.review_steps import Shipped


def shipped_behind(host: str, world: World, now: int) -> tuple[Shipped, ...]:
    """Shipped reviews in force that a decision about a host may rest on, with the names of the brands."""
    found = shipped(world, of_host(host))
    return tuple(
        (each, world.brands[each.entity].name) for each in found if each.state == "accepted" and holds(each, now)
    )
