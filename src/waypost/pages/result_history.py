"""What changed of a rich result and when, from the dates that the registry holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from waypost.pages import messages
from waypost.pages.changes import Release
from waypost.registry import Registry

_DATED = re.compile(r"(\w+) (\d{4}-\d\d-\d\d)")


class Event(NamedTuple):
    """Day, what happened, the address of a page of the site, and an outside source; both addresses may be empty."""

    day: str
    text: str
    address: str = ""
    source: str = ""


def history_of(profile: str, registry: Registry, releases: list[Release]) -> list[Event]:
    """Events of a profile, the newest first.

    releases  recorded releases, oldest first
    """
    own = registry.profiles[profile]
    events: list[Event] = []
    if own.retired_on:
        events.append(Event(own.retired_on, "Google stopped showing the result.", source=own.doc))
    sources = registry.consumers[profile.partition("/")[0]].sources
    events += [
        Event(dated[2], f"Read again: {sources[dated[1]]}.")
        for text in own.checked.sources
        if (dated := _DATED.match(text)) and dated[1] in sources
    ]
    events.append(Event(own.checked.date, "The requirements here were compared with the sources."))
    for sentence, message in messages.of_profile(registry, profile):
        severity = "critical" if message.critical else "non-critical"
        address = messages.address_of(sentence.template.name, sentence.slug)
        events.append(Event(message.seen, f"Search Console, {severity}: {sentence.text}", address, message.source))
    before = ""
    for version, day, contents in releases:
        digest = contents.get("Rich results", {}).get(profile, "")
        if digest != before:
            events.append(
                Event(day, f"waypost {version}: {'requirements changed' if before else 'first release with it'}.")
            )
        before = digest
    return sorted(dict.fromkeys(events), key=lambda event: event.day, reverse=True)
