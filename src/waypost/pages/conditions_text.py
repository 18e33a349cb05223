"""Requirement data of profiles in words, for the pages of profiles."""

from __future__ import annotations

from typing import Any


def entries(requirements: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows of a requirement table, with the columns `what`, `value`, `when`, `remarks`, `rule`."""
    return [
        {
            "what": _what(entry),
            "value": _value(entry),
            "when": condition_text(entry.get("when")),
            "remarks": _remarks(entry),
            "rule": entry.get("rule") or entry.get("told_by") or "",
        }
        for entry in requirements
    ]


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


def _value(entry: dict[str, Any]) -> str:
    kinds = entry.get("value") or "; ".join(f"{path}: {kind}" for path, kind in entry.get("values", {}).items())
    for prefix in ("shape:", "enum:", "types:"):
        kinds = kinds.replace(prefix, "")
    return kinds.replace("|", " or ")


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
            return f"there is {operand}"
        case "absent":
            return f"there is no {operand}"
        case "path":
            ((test, bound),) = rest
            return f"{operand} is {_or(bound)}" if test == "is" else f"{operand} is above {bound}"
        case "type":
            where = f"{operand['path']} is" if "path" in operand else "it is"
            return f"{where} {_or(operand['is'])}" + (f", not {_or(operand['except'])}" if "except" in operand else "")
        case "nested":
            return "it stands under " + _or(operand.get("by") or operand.get("in"))
        case "not":
            return f"not: {condition_text(operand)}"
        case "all" | "any":
            joint = " and " if verb == "all" else " or "
            return joint.join(condition_text(part) for part in operand)
        case "intent":
            return f"{operand} (markup cannot show it)"
        case "page":
            return "the page is the site's root"
        case "last_item":
            return "it is the last item"
        case "external_url":
            return "its url leads to another page"
    return str(condition)


def _or(operand: Any) -> str:
    return " or ".join(map(str, operand)) if isinstance(operand, list) else str(operand)
