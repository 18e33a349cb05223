"""Members of enumerations: membership by property, and the intended member of a misspelled text."""

from __future__ import annotations

from functools import lru_cache

from waypost.registry.vocabulary import Vocabulary, bare

# Properties whose members Google's feature pages list: only there does a wrong member cost anything today.
_READ_BY_GOOGLE = frozenset(
    {"availability", "itemCondition", "eventStatus", "eventAttendanceMode", "dayOfWeek", "returnPolicyCategory",
     "returnFees", "customerRemorseReturnFees", "itemDefectReturnFees", "returnMethod", "refundType",
     "returnLabelSource", "customerRemorseReturnLabelSource", "itemDefectReturnLabelSource", "fulfillmentType",
     "hasTierBenefit", "digitalSourceType", "bookFormat", "hasAdultConsideration", "suitableForDiet"}
)  # fmt: skip


def is_read_by_google(prop: str) -> bool:
    return prop in _READ_BY_GOOGLE


@lru_cache(maxsize=512)
def members_for(vocabulary: Vocabulary, prop: str) -> frozenset[str]:
    """Members listed by the vocabulary for a property, including members of sub-enumerations."""
    term = vocabulary.properties.get(prop)
    ranges = frozenset(term.r) if term else frozenset()
    return frozenset(name for name, member in vocabulary.members.items() if vocabulary.are_a(member.t, ranges))


def is_member(vocabulary: Vocabulary, prop: str, name: str) -> bool:
    """Is the name a member for the property? Some enumerations list types as members (medical specialties)."""
    if name in members_for(vocabulary, prop):
        return True
    term = vocabulary.properties.get(prop)
    return term is not None and name in vocabulary.types and vocabulary.are_a((name,), frozenset(term.r))


@lru_cache(maxsize=512)
def _folded(vocabulary: Vocabulary, prop: str) -> dict[str, str]:
    return {_fold(name): name for name in members_for(vocabulary, prop)} | {
        _fold(alias): member for alias, member in _ALSO_WRITTEN.get(prop, {}).items()
    }


# Spellings that can only mean one member, beyond letter case and separators.
_ALSO_WRITTEN: dict[str, dict[str, str]] = {
    "itemCondition": {"New": "NewCondition", "Used": "UsedCondition", "Refurbished": "RefurbishedCondition",
                      "Damaged": "DamagedCondition"},
    "eventStatus": {"Scheduled": "EventScheduled", "Cancelled": "EventCancelled", "Canceled": "EventCancelled",
                    "EventCanceled": "EventCancelled", "Postponed": "EventPostponed",
                    "Rescheduled": "EventRescheduled", "MovedOnline": "EventMovedOnline"},
    "eventAttendanceMode": {"Online": "OnlineEventAttendanceMode", "Offline": "OfflineEventAttendanceMode",
                            "Mixed": "MixedEventAttendanceMode"},
    "dayOfWeek": {short: day for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
                  for short in (day[:2], day[:3])} | {"Tues": "Tuesday", "Thur": "Thursday", "Thurs": "Thursday"},
    "suitableForDiet": {"Vegetarian": "VegetarianDiet", "Vegan": "VeganDiet", "GlutenFree": "GlutenFreeDiet",
                        "LowFat": "LowFatDiet", "LowCalorie": "LowCalorieDiet", "LowSalt": "LowSaltDiet",
                        "LowLactose": "LowLactoseDiet", "Diabetic": "DiabeticDiet", "Halal": "HalalDiet",
                        "Kosher": "KosherDiet", "Hindu": "HinduDiet"},
}  # fmt: skip


def _fold(text: str) -> str:
    return "".join(c for c in text.casefold() if c not in " _-")


def intended_member(vocabulary: Vocabulary, prop: str, text: str) -> str | None:
    """Member intended by a misspelled text; `None` for a correct text, and for a text without a single meaning."""
    name = bare(text.strip())
    if name is None or not 1 < len(name) <= 60 or is_member(vocabulary, prop, name):
        return None
    return _folded(vocabulary, prop).get(_fold(name))
