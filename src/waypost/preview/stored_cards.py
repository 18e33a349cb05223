"""Safe form of a card that was stored earlier."""

from __future__ import annotations

from waypost.formats.text import without_hidden
from waypost.formats.urls import is_web_address
from waypost.models.json_value import JsonObject


def safe_card(card: JsonObject) -> JsonObject:
    """Card as JSON, stored earlier, without links that a reader must not follow."""
    picture = card.get("image")
    items = [_linked(item) for item in card.get("items", ())]
    made = _linked(card) | {"items": items}
    if isinstance(picture, dict) and not is_web_address(str(picture.get("url", ""))):
        made["image"] = None
    return {name: made[name] for name in card if name in made}


def _linked(part: JsonObject) -> JsonObject:
    """Part of a card, its texts without hidden characters, its `url` None unless it is a web address."""
    made = {name: without_hidden(value) if isinstance(value, str) else value for name, value in part.items()}
    if made.get("url") and not is_web_address(made["url"]):
        made |= {"url": None} | ({"display_url": None} if "display_url" in made else {})
    return made
