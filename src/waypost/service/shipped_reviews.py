"""Shipped reviews behind disputed decisions; the store knows only its own reviews."""

from __future__ import annotations

from waypost.registry.world import World
from waypost.safety.relationship import holds, shipped
from waypost.safety.target import of_host
from waypost.store.disputes import Dispute
from waypost.store.reviews import Shipped


def shipped_behind(dispute: Dispute, world: World, now: int) -> list[Shipped]:
    """Shipped reviews in force that a disputed decision may rest on, with the names of the brands."""
    found = shipped(world, of_host(str(dispute.decision["normalized_domain"])))
    return [(each, world.brands[each.entity].name) for each in found if each.state == "accepted" and holds(each, now)]
