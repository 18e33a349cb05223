"""What a reviewer decides about beyond what the store knows: the reviews that ship with waypost."""

from __future__ import annotations

from waypost.registry.world import World
from waypost.safety.relationship import holds, shipped
from waypost.safety.target import of_host
from waypost.store.disputes import Dispute
from waypost.store.reviews import Shipped


def shipped_behind(dispute: Dispute, world: World, now: int) -> list[Shipped]:
    """The reviews that ship with waypost and that a disputed decision can rest on."""
    found = shipped(world, of_host(str(dispute.decision["normalized_domain"])))
    return [(each, world.brands[each.entity].name) for each in found if each.state == "accepted" and holds(each, now)]
