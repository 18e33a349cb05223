"""Count the words that docs/glossary.md replaces in everything that people read: docs, help, messages, site.

    python tools/prose_report.py                   uses in each area
    python tools/prose_report.py places [AREA...]  each use, with its place
    python tools/prose_report.py words             uses of each word

The words stand in the table "Prose" of the glossary, its exceptions in the table "Exceptions". Code is left out: what
stands in backticks, in fenced blocks, in tags and in braces. Exit status 1 if a word is used.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "waypost"
GLOSSARY = ROOT / "docs" / "glossary.md"
_ROW = re.compile(r"^\| *(?P<old>[^|]+?) *\| *(?P<new>[^|]+?) *\|", re.MULTILINE)
_FENCE = re.compile(r"^ *```.*?^ *```|^<!-- generated -->.*?^<!-- end -->", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`|<[^<>]*>|https?://\S+|\]\([^)\s]*\)")
_ATTRIBUTE = re.compile(r'\b(?:alt|title|placeholder|aria-label|content|data-\w+)="([^"]*)"')
_NO_PROSE = frozenset(["name", "source", "sources", "licence", "examples", "publisher"])
_JINJA = re.compile(r"\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}|<pre\b.*?</pre>|<code\b.*?</code>|<script\b.*?</script>|<[^<>]*>",
                    re.DOTALL)  # fmt: skip
_JS_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|/(?!\s)(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gimsuy]*(?=[.,;)\s])|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""",
    re.DOTALL,
)
_PROSE_KEYS = frozenset(
    [
        "title", "description", "message", "hint", "notes", "summary", "do", "heading", "about", "says", "changes",
        "settles", "intent", "because", "note", "reason", "statement", "terms", "text", "what", "why", "effect",
        "effect_detail", "rule", "loses", "detail", "label"
    ]
)  # fmt: skip
"""Members of the registry's files that hold sentences; lists and objects of sentences below them count as well."""


class Text(NamedTuple):
    """A piece of prose: area, file, line of its beginning, text with the code in it blanked."""

    area: str
    path: Path
    line: int
    text: str


class Use(NamedTuple):
    text: Text
    line: int
    word: str


def table(heading: str) -> dict[str, str]:
    """Rows of a table of the glossary: left column -> right column, one entry for each comma of the left one."""
    section = GLOSSARY.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [row for row in _ROW.finditer(section) if not set(row["old"]) <= set("- :")][1:]
    return {word.strip().strip("`").lower(): row["new"] for row in rows for word in row["old"].split(",")}


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with every match as spaces, line ends kept."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def markdown(area: str, path: Path) -> Iterator[Text]:
    yield Text(area, path, 1, blanked(blanked(path.read_text("utf-8"), _FENCE), _CODE))


def template(area: str, path: Path) -> Iterator[Text]:
    source = path.read_text("utf-8")
    for match in _ATTRIBUTE.finditer(source):
        yield Text(area, path, source.count("\n", 0, match.start()) + 1, blanked(match[1], _JINJA))
    for block in re.finditer(r"\{\{.*?\}\}|\{%.*?%\}", source, re.DOTALL):
        for literal in filter(_has_space, re.findall(r'"([^"]*)"', block[0])):
            yield Text(area, path, source.count("\n", 0, block.start()) + 1, blanked(literal, _CODE))
    yield Text(area, path, 1, blanked(source, _JINJA))


def _has_space(text: str) -> bool:
    return " " in text.strip()


def data_file(area: str, path: Path) -> Iterator[Text]:
    source = path.read_text("utf-8")
    for text in _sentences(json.loads(source), is_prose=path.parent.name not in ("api", "meta")):
        place = source.find(json.dumps(text, ensure_ascii=False)[1:-1])
        yield Text(area, path, source.count("\n", 0, max(place, 0)) + 1, blanked(text, _CODE))


def _sentences(value: object, *, is_prose: bool, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _sentences(below, is_prose=is_prose, key=key if key in _PROSE_KEYS else name)
    elif isinstance(value, list):
        for below in value:
            yield from _sentences(below, is_prose=is_prose, key=key)
    elif isinstance(value, str) and key not in _NO_PROSE:
        least = 1 if key in _PROSE_KEYS else 2 if is_prose else len(value)
        yield from [value] * (value.count(" ") >= least)


def docstrings(area: str, path: Path) -> Iterator[Text]:
    """Docstrings of a module and of its functions, where they are a page or a description of the API."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in [tree, *(node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))]:
        if (text := ast.get_docstring(node, clean=False)) and (node is tree or node.decorator_list):
            yield Text(area, path, node.body[0].lineno, blanked(text, _CODE))


def names_of_tests(area: str, path: Path) -> Iterator[Text]:
    """Names of test functions, which are sentences: `test_a_page_is_read` is "a page is read"."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Text(area, path, node.lineno, node.name.removeprefix("test_").replace("_", " "))


def literals(area: str, path: Path) -> Iterator[Text]:
    """Texts of a module that are no docstring: messages, help, errors, answers."""
    tree = ast.parse(path.read_text("utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
    } - statements
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside | statements:
            text = node.value
        else:
            continue
        is_sql = re.match(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|DROP)\b", text)
        if " " in text.strip() and not is_sql:
            yield Text(area, path, node.lineno, blanked(text, _CODE))


def script(area: str, path: Path) -> Iterator[Text]:
    source = path.read_text("utf-8")
    for match in _JS_TEXT.finditer(source):
        text = next((group for group in match.groups() if group), "")
        if " " in text.strip():
            text = re.sub(r"/\*.*?\*/", "", text)
            while (inner := re.sub(r"\$\{[^{}]*\}|\{[^{}]+\}", " ", text)) != text:
                text = inner
            text = text.partition("${")[0]
            yield Text(area, path, source.count("\n", 0, match.start()) + 1, blanked(text, _CODE))


_PARTS = sorted(
    path.name
    for path in SOURCE.iterdir()
    if path.is_dir() and path.name not in ("api", "cli", "contract", "data", "pages")
)
Reader = Callable[[str, Path], Iterator[Text]]
AREAS: dict[str, list[tuple[Reader, tuple[str, ...]]]] = {
    "docs": [(markdown, ("*.md", "docs/*.md", "schemas/*.md", "benchmarks/*.md", "examples/**/*.md"))],
    "guides": [(markdown, ("site/docs/*.md", "site/docs/stacks/**/*.md"))],
    "site": [
        (template, ("site/templates/**/*.html",)),
        (data_file, ("site/codes.json", "site/cards.json", "site/comparison.json")),
        (literals, ("src/waypost/pages/*.py",)),
        (script, ("site/js/ui/*.js", "site/js/small/*.js", "site/js/workbench/*.js")),
    ],
    "registry": [
        (data_file, ("schemas/*.json", "schemas/mappings/*.json", "schemas/profiles/**/*.json", "schemas/meta/*.json",
                     "src/waypost/data/*.json", "src/waypost/data/policies/*.json")),
    ],
    "rules": [
        (data_file, ("schemas/checks/*.json",)),
        (docstrings, ("src/waypost/validate/rules/*.py", "src/waypost/safety/signals/*.py")),
    ],
    "help": [
        (docstrings, ("src/waypost/cli/[a-z]*.py",)),
        (literals, ("src/waypost/cli/*.py",)),
    ],
    "messages": [
        (literals, ("src/waypost/*.py", *(f"src/waypost/{part}/**/*.py" for part in _PARTS))),
        (script, ("site/js/engine/**/*.js",)),
    ],
    "api": [
        (data_file, ("schemas/api/*.schema.json", "schemas/api/problems.json", "schemas/api/promise.json")),
        (docstrings, ("src/waypost/api/handlers/*.py",)),
        (literals, ("src/waypost/api/**/*.py", "src/waypost/contract/*.py")),
    ],
    "tests": [(names_of_tests, ("tests/**/test_*.py",))],
}  # fmt: skip
_RELEASED = (ROOT / "tests" / "cases" / "records" / "policies.sha256").read_text("utf-8").split()[1::2]
_NOT_READ = frozenset({"docs/glossary.md", "schemas/vocabulary/NOTICE.md"}) | {
    f"src/waypost/data/policies/{name}" for name in _RELEASED
}
"""Files that may use any word: the glossary, the texts of others, and policies once released."""


def texts(areas: Iterable[str] = ()) -> Iterator[Text]:
    for area in areas or AREAS:
        for reader, patterns in AREAS[area]:
            for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
                if path.relative_to(ROOT).as_posix() not in _NOT_READ:
                    yield from reader(area, path)


def uses(found: Iterable[Text]) -> Iterator[Use]:
    words, exceptions = table("Prose"), table("Exceptions")
    word = re.compile(
        rf"(?<![\w/.-])(?:{'|'.join(map(_pattern, sorted(words, key=len, reverse=True)))})(?![\w/-])", re.IGNORECASE
    )
    exception = re.compile(rf"(?<!\w)(?:{'|'.join(map(_pattern, exceptions))})(?!\w)", re.IGNORECASE)
    for text in found:
        prose = blanked(text.text, exception)
        for match in word.finditer(prose):
            if match[0] == "Thing":  # the type of schema.org
                continue
            yield Use(text, text.line + prose.count("\n", 0, match.start()), " ".join(match[0].lower().split()))


def _pattern(words: str) -> str:
    return r"\s+".join(map(re.escape, words.split()))


def main(arguments: list[str]) -> int:
    what, areas = (arguments or ["counts"])[0], arguments[1:]
    found = list(uses(texts(areas)))
    if what == "places":
        words = table("Prose")
        for use in found:
            lines = use.text.text.splitlines() or [""]
            line = " ".join(lines[min(use.line - use.text.line, len(lines) - 1)].split())
            at = max(line.lower().find(use.word.split()[0]) - 60, 0)
            place = f"{use.text.path.relative_to(ROOT)}:{use.line}"
            print(f"{place}: {use.word} -> {words.get(use.word, '')}: {line[at : at + 150]}")
    elif what == "words":
        for word, number in Counter(use.word for use in found).most_common():
            print(f"{number:5}  {word}")
    else:
        numbers = Counter(use.text.area for use in found)
        for area in AREAS:
            print(f"{area:10} {numbers[area]:5}")
        print(f"{'all':10} {len(found):5}")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
