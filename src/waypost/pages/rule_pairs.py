"""First screen of a rule: a bad and a good example, the cost of the error, and the code of the rule."""

from __future__ import annotations

import ast
import difflib
import inspect
import sys
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from waypost.pages.cases import cases_of_rule
from waypost.pages.draft import Source
from waypost.pages.pairs import Pair, pair_of
from waypost.pages.text import coloured
from waypost.registry import Registry
from waypost.validate.rulebook import Rule, imported

_COMPARED = 6
_ALIKE = 0.15
_ALIKE_IN_CHARACTERS = 0.5
_MOST_COMPARED = 2_000
"""Lines or characters of two cases."""
_MOST_CODE = 70
_CONSEQUENCES = {
    "result": {
        "error": "Google does not show the result for the item.",
        "warning": "The result can be visible, with less than it could have.",
        "info": "Nothing is lost; the result has a condition that only you can answer.",
    },
    "syntax": {
        "error": "The block is not read: every item in it can be lost.",
        "warning": "Some readers stop here, and what follows can be lost.",
        "info": "It is read, and worth knowing.",
    },
    "value": {
        "error": "Consumers lose or misread the value, or refuse the item.",
        "warning": "Consumers may lose or misread the value.",
        "info": "It costs nothing today, and is worth knowing.",
    },
    "feeds": {
        "error": "The consumer of the feed rejects the item, or reads it wrongly.",
        "warning": "The item can be disapproved, or be offered with the wrong price or state.",
        "info": "The item is taken, with less than it could have.",
    },
}


class Code(NamedTuple):
    """Code or table of a rule. `path`: in the sources; `address`: on the site, empty for code."""

    path: str
    text: Markup
    address: str = ""


def pair_of_rule(name: str, source: Source) -> Pair | None:
    """Pair of a rule, by a fix where possible; None for a rule without two similar cases of a syntax."""
    bad, good = (cases_of_rule(name, source, kind)[:_COMPARED] for kind in ("bad", "good"))
    for one in bad:
        if one.fixed and one.findings:
            return pair_of(one.text, one.fixed, one.syntax, tuple(one.findings), by_fix=True)
    alike = [
        (one, other)
        for one in bad
        for other in good
        if one.syntax == other.syntax and one.text and other.text and one.findings
    ]
    # By lines; cases that are a line each have none in common, and are compared by characters.
    for least, parts in ((_ALIKE, str.splitlines), (_ALIKE_IN_CHARACTERS, str)):
        ranked = [(_ratio(parts(one.text), parts(other.text)), one, other) for one, other in alike]
        for ratio, one, other in sorted(ranked, key=lambda each: -each[0])[:1]:
            if ratio >= least:
                return pair_of(one.text, other.text, one.syntax, tuple(one.findings))
    return None


def _ratio(one: Sequence[str], other: Sequence[str]) -> float:
    if len(one) + len(other) > _MOST_COMPARED:
        return 0.0
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def consequence(rule: Rule, pair: Pair | None) -> str:
    """Cost of the error in a sentence, by kind of rule and by severity in the example, else the usual severity."""
    visible = pair.findings[0] if pair and pair.findings else None
    is_result = rule.engine or (visible is not None and visible.profile is not None)
    kind = (
        "feeds"
        if rule.engine == "feeds"
        else "result"
        if is_result
        else "syntax"
        if rule.explain and rule.name.startswith("json")
        else "value"
    )
    return _CONSEQUENCES[kind][visible.severity if visible else rule.severity]


def code_of(rule: Rule, registry: Registry) -> Code | None:
    """Function or table that checks a rule; None for a rule that the profiles report."""
    path = f"checks/{rule.name}.json"
    if path in registry.files:
        return Code(f"schemas/{path}", coloured(registry.files[path].decode()), f"schemas/{path}")
    functions = (rule.check, rule.check_value, rule.check_page, rule.check_site, rule.explain)
    function = imported(next((each for each in functions if each), None))
    module = sys.modules.get(getattr(function, "__module__", ""))
    if module is None or not (module.__name__.startswith("waypost.validate.rules") or registry.is_extended):
        return None
    try:
        source = inspect.getsource(module)
    except OSError:
        return None
    name = f"src/{module.__name__.replace('.', '/')}.py"
    return Code(name, coloured(_without_docstring(source), "python"))


def _without_docstring(source: str) -> str:
    """Code below the docstring, which the page already has; a long module is cut."""
    first = ast.parse(source).body[0]
    lines = source.splitlines()[first.end_lineno if isinstance(first, ast.Expr) else 0 :]
    code = "\n".join(lines).strip("\n").removeprefix("from __future__ import annotations").strip("\n").splitlines()
    return "\n".join([*code[:_MOST_CODE], *(["…"] if len(code) > _MOST_CODE else [])])
