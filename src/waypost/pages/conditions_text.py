"""Requirement data of profiles in words, for the pages of profiles."""

from __future__ import annotations

from typing import Any


def entries(requirements: list[dict[str, Any]], consumer: dict[str, Any]) -> list[dict[str, str]]:
    """Rows of a requirement table, with the columns `what`, `value`, `when`, `remarks`, `rule`.

    consumer  the document of the search engine, which names the shapes and the lists of values
    """
    return [
        {
            "what": _what(entry),
            "value": _value(entry, consumer),
            "when": _when(entry.get("when")),
            "remarks": _remarks(entry),
            "rule": entry.get("rule") or entry.get("told_by") or "",
        }
        for entry in requirements
    ]


def _when(condition: Any) -> str:
    text = condition_text(condition)
    return text if not text or text.startswith("unless ") else f"if {text}"


def _what(entry: dict[str, Any]) -> str:
    if "any_of_groups" in entry:
        what = " or ".join(" with ".join(group) for group in entry["any_of_groups"])
    elif "any_of" in entry:
        what = " or ".join(entry["any_of"])
    elif "absent" in entry:
        what = f"no {entry['absent']}"
    else:
        what = entry["path"]
    return f"{what} (in each {entry['each']})" if "each" in entry else what


def _value(entry: dict[str, Any], consumer: dict[str, Any]) -> str:
    if kind := entry.get("value"):
        return _kinds(kind, consumer)
    values = entry.get("values", {})
    return "; ".join(f"{path}: {_kinds(kind, consumer)}" for path, kind in values.items())


def _kinds(kinds: str, consumer: dict[str, Any]) -> str:
    """Kinds of value in words: schema.org types, the values of a list, or the name of a format."""
    words = []
    for kind in kinds.split("|"):
        prefix, _, name = kind.rpartition(":")
        if name in consumer["enums"] and prefix in ("enum", "types"):
            members = consumer["enums"][name]["members"]
            # "and 1 more" would take as much room as the last member itself.
            named = members if len(members) <= _MOST_MEMBERS + 1 else members[:_MOST_MEMBERS]
            more = len(members) - len(named)
            words.append(" or ".join(named[-2:]) if len(named) < 3 else ", ".join(named[:-1]) + f" or {named[-1]}")
            words[-1] += f", and {more} more" if more else ""
        elif prefix == "shape":
            words += consumer["shapes"][name].get("types", (name,))
        else:
            words.append(_FORMATS.get(name, name))
    return " or ".join(dict.fromkeys(words))


_MOST_MEMBERS = 7
_FORMATS = {
    "country": "country code (ISO 3166-1)", "currency": "currency code (ISO 4217)", "language": "language tag (BCP 47)",
    "gtin": "GTIN", "isbn13": "ISBN-13", "rating": "Rating value", "image": "URL or ImageObject",
    "phone": "phone number with country code", "email": "email address", "link": "URL",
    "temporal": "Date, DateTime or ISO 8601 interval", "year": "year",
}  # fmt: skip
_CONSTRAINTS = {
    "min": "at least {}", "max": "at most {}", "gt": "above {}", "min_items": "at least {} of them",
    "max_items": "at most {} of them", "min_items_total": "at least {} in all", "min_length": "at least {} characters",
    "max_length": "at most {} characters", "equals": "must be {}", "pattern": "matches {}",
    "min_width": "at least {} pixels wide", "prefer": "{} preferred", "default": "{} when absent",
}  # fmt: skip


def _remarks(entry: dict[str, Any]) -> str:
    words = [form.format(entry[key]) for key, form in _CONSTRAINTS.items() if key in entry]
    words += ["trial feature"] if entry.get("beta") else []
    return "; ".join(words)


def condition_text(condition: Any) -> str:  # noqa: C901 - one branch for each form of the grammar
    """Condition of a requirement in words; "" for none."""
    if not condition:
        return ""
    (verb, operand), *rest = condition.items()
    match verb:
        case "present":
            return f"{operand} is given"
        case "absent":
            return f"{operand} is missing"
        case "path":
            ((test, bound),) = rest
            return f"{operand} is {_or(bound)}" if test == "is" else f"{operand} is above {bound}"
        case "type":
            where = f"{operand['path']} is" if "path" in operand else "it is"
            return f"{where} {_or(operand['is'])}" + (f", not {_or(operand['except'])}" if "except" in operand else "")
        case "nested":
            return "it is inside " + _or(operand.get("by") or operand.get("in"))
        case "not":
            return _negated(condition_text(operand))
        case "all" | "any":
            joint = " and " if verb == "all" else " or "
            return joint.join(condition_text(part) for part in operand)
        case "intent":
            return f"{operand} (not visible in markup)"
        case "page":
            return "it is the home page of the site"
        case "last_item":
            return "it is the last item"
        case "external_url":
            return "its url is another page"
    return str(condition)


def _negated(text: str) -> str:
    """A condition, denied."""
    for verb, denied in ((" is given", " is missing"), (" is ", " is not ")):
        # A negation of one verb would be wrong for joined conditions.
        if verb in text and " and " not in text and " or " not in text.partition(verb)[0]:
            return text.replace(verb, denied, 1)
    return f"unless {text}"


def _or(operand: Any) -> str:
    if isinstance(operand, bool):
        return str(operand).lower()
    return " or ".join(map(str, operand)) if isinstance(operand, list) else str(operand)
