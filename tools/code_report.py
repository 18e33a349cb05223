"""Report on words and shape of the code: glossary, docstrings, comments, size.

    python tools/code_report.py                   summary of src/waypost
    python tools/code_report.py words [PATH...]   each name the glossary replaces, with its place; of scripts too
    python tools/code_report.py docs [PATH...]    files by pronouns per 100 words of docstrings; unclear openings
    python tools/code_report.py shape [PATH...]   long functions, complex functions, comments, caches

PATH is a file or folder; `src/waypost` by default. Exit status 1 when `words` finds any.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "waypost"
GLOSSARY = ROOT / "docs" / "glossary.md"
_ROW = re.compile(r"^\| *(?P<old>[^|]+?) *\| *(?P<new>[^|]+?) *\|")
_WORD = re.compile(r"[A-Za-z][A-Za-z']*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_JS_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|/(?![\s*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gimsuyv]*(?=[.,;)\s])|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*`""",
    re.DOTALL,
)
_JS_NAME = re.compile(r"(?<![.\w$])(?P<name>[A-Za-z_]\w*)(?!\w|\??:)")
_SHELL_NAME = re.compile(r"(?:^|[;&({] *|local |for )(?P<name>[A-Za-z_]\w*)(?=\(\)|=| in )", re.MULTILINE)
PRONOUNS = frozenset(
    [
        "it", "its", "itself", "that", "this", "these", "those", "what", "whatever", "who", "whom", "whose",
        "whoever", "each", "one", "ones", "other", "others", "nobody", "somebody", "anybody", "everybody",
        "nothing", "something", "anything", "everything", "none", "they", "them", "their", "there", "so",
        "such", "all"
    ]
)  # fmt: skip
"""Words that stand for a noun, or put off naming it."""
UNCLEAR_OPENINGS = frozenset(
    [
        "what", "who", "whose", "whoever", "whatever", "it", "its", "that", "those", "these", "they",
        "everything", "nothing", "anything", "something", "somebody", "nobody", "everybody", "others", "one"
    ]
)  # fmt: skip
LONG_FUNCTION, COMPLEX = 40, 10


class Use(NamedTuple):
    """One use of a replaced word: file, line, the identifier, the word in it."""

    path: Path
    line: int
    name: str
    word: str


def replaced_words(glossary: Path = GLOSSARY) -> dict[str, str]:
    """Words of the left column of the tables below the heading "Names in the code" -> what to write instead."""
    text = glossary.read_text(encoding="utf-8").partition("## Names in the code")[2].partition("\n## ")[0]
    rows = (match for line in text.splitlines() if (match := _ROW.match(line)))
    words: dict[str, str] = {}
    for row in rows:
        if row["old"] == "instead of" or set(row["old"]) <= set("- :"):
            continue
        for word in row["old"].split(","):
            words[word.strip().strip("`").lower()] = row["new"]
    return words


def python_files(paths: list[str]) -> list[Path]:
    roots = [Path(path).resolve() for path in paths] or [SOURCE]
    return sorted(file for root in roots for file in ([root] if root.is_file() else root.rglob("*.py")))


def script_files(paths: list[str]) -> list[Path]:
    """Scripts of JavaScript and of the shell; a file that is named is one, whatever its ending."""
    roots = [Path(path).resolve() for path in paths]
    ways = ("*.js", "*.mjs", "*.d.ts", "*.sh")
    return sorted(
        file for root in roots for file in ([root] if root.is_file() else (f for way in ways for f in root.rglob(way)))
    )


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) of each definition, parameter, variable and attribute that a module writes or reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.alias):
            yield node.lineno, node.asname or node.name.rpartition(".")[2]


def names_of_script(path: Path) -> Iterator[tuple[int, str]]:
    """(line, name) of a script: variables and functions, in JavaScript without members, which may be keys of JSON."""
    text = path.read_text(encoding="utf-8")
    is_shell = path.suffix in ("", ".sh")
    blanked = text if is_shell else _JS_TEXT.sub(_without_text, text)
    for match in (_SHELL_NAME if is_shell else _JS_NAME).finditer(blanked):
        yield blanked.count("\n", 0, match.start("name")) + 1, match["name"]


def _without_text(match: re.Match[str]) -> str:
    """Line ends of a text or comment of JavaScript, and the code in the braces of a template."""
    text = match[0]
    code = re.findall(r"\$\{((?:[^{}`]|`[^`]*`|\{[^{}]*\})*)\}|(\n)", text) if text.startswith("`") else []
    return " ".join(_JS_TEXT.sub(_without_text, part or end) for part, end in code) or "\n" * text.count("\n")


def uses(files: list[Path], words: dict[str, str]) -> list[Use]:
    """Each place where a name has a replaced word among its parts; names of Python itself are not ours."""
    found = []
    for path in files:
        # A rule's module has the rule's public name.
        module = [] if path.parent.name == "rules" else [(1, path.name.partition(".")[0])]
        is_python = path.suffix == ".py"
        names = identifiers(ast.parse(path.read_text(encoding="utf-8"))) if is_python else names_of_script(path)
        for line, name in [*module, *names]:
            parts = [part.lower() for part in _PARTS.findall(name)]
            word = next((part for part in parts if part in words), None)
            if word and not hasattr(builtins, name):
                found.append(Use(path, line, name, word))
    return found


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of every docstring, those below a constant or a field too."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for n, part in enumerate(node.body):
            is_text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
            if not is_text or not isinstance(part.value.value, str):
                continue
            if n == 0 or isinstance(node.body[n - 1], ast.Assign | ast.AnnAssign):
                yield part.lineno, part.value.value


class Prose(NamedTuple):
    """Docstrings of one file: words, pronouns among them, lines whose docstring opens with a pronoun."""

    words: int
    pronouns: int
    unclear: list[int]


def prose(path: Path) -> Prose:
    words, pronouns, unclear = 0, 0, []
    for line, text in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
        found = [word.lower() for word in _WORD.findall(re.sub(r"`[^`]*`", " x ", text))]
        words += len(found)
        pronouns += sum(word in PRONOUNS for word in found)
        if found and found[0] in UNCLEAR_OPENINGS:
            unclear.append(line)
    return Prose(words, pronouns, unclear)


def complexity(function: ast.AST) -> int:
    """Decision points plus one, as McCabe counts them; nested functions count for themselves."""
    branches = (
        ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.With, ast.AsyncWith, ast.match_case,
    )  # fmt: skip
    total, stack = 1, list(ast.iter_child_nodes(function))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, branches) and not isinstance(node, ast.With | ast.AsyncWith):
            total += 1
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        stack.extend(ast.iter_child_nodes(node))
    return total


class Shape(NamedTuple):
    lines: int
    comments: int
    long: list[tuple[int, str, int]]
    complex: list[tuple[int, str, int]]
    caches: int
    ignores: int


def shape(path: Path) -> Shape:
    """Size of one file; long and complex functions as (line, name, lines or complexity)."""
    text = path.read_text(encoding="utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    comments = [token for token in comments if token.startswith("#") and not re.match(r"#\s*(noqa|type:|fmt:)", token)]
    long, knotty, caches = [], [], 0
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        size = (node.end_lineno or node.lineno) - node.lineno + 1
        if size > LONG_FUNCTION:
            long.append((node.lineno, node.name, size))
        if (number := complexity(node)) > COMPLEX:
            knotty.append((node.lineno, node.name, number))
        caches += sum("cache" in ast.unparse(decorator) for decorator in node.decorator_list)
    return Shape(text.count("\n"), len(comments), long, knotty, caches, text.count("# type: ignore"))


def relative(path: Path) -> str:
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.as_posix()


def report_words(files: list[Path]) -> int:
    words = replaced_words()
    found = uses(files, words)
    for use in found:
        print(f"{relative(use.path)}:{use.line}: {use.name}: instead of {use.word}: {words[use.word]}")
    print(f"{len(found)} uses of {len({use.word for use in found})} replaced words")
    return 1 if found else 0


def report_docs(files: list[Path]) -> int:
    rows = sorted(((path, prose(path)) for path in files), key=lambda row: -row[1].pronouns)
    for path, text in rows:
        if text.words:
            share = 100 * text.pronouns / text.words
            lines = f"  opens unclearly: {', '.join(map(str, text.unclear))}" if text.unclear else ""
            print(f"{share:5.1f}  {text.words:5} words  {relative(path)}{lines}")
    words, pronouns = sum(text.words for _, text in rows), sum(text.pronouns for _, text in rows)
    print(f"{100 * pronouns / max(1, words):.1f} pronouns in 100 of {words} words of docstrings")
    return 0


def report_shape(files: list[Path]) -> int:
    for path in files:
        size = shape(path)
        for line, name, lines in size.long:
            print(f"{relative(path)}:{line}: {name} has {lines} lines")
        for line, name, number in size.complex:
            print(f"{relative(path)}:{line}: {name} has complexity {number}")
    return report_summary(files)


def report_summary(files: list[Path]) -> int:
    sizes, texts = [shape(path) for path in files], [prose(path) for path in files]
    lines = sum(size.lines for size in sizes)
    by_word = Counter(use.word for use in uses(files, replaced_words()))
    print(f"files                        {len(files)}")
    print(f"lines                        {lines}")
    print(f"functions over {LONG_FUNCTION} lines      {sum(len(size.long) for size in sizes)}")
    print(f"functions over complexity {COMPLEX} {sum(len(size.complex) for size in sizes)}")
    print(f"comments in 100 lines        {100 * sum(size.comments for size in sizes) / max(1, lines):.1f}")
    print(f"caches                       {sum(size.caches for size in sizes)}")
    print(f"type: ignore                 {sum(size.ignores for size in sizes)}")
    words = sum(text.words for text in texts)
    share = 100 * sum(text.pronouns for text in texts) / max(1, words)
    print(f"pronouns in 100 words        {share:.1f} ({words} words)")
    print(f"unclear openings             {sum(len(text.unclear) for text in texts)}")
    print(f"replaced words in names      {sum(by_word.values())} {dict(by_word.most_common(12))}")
    return 0


REPORTS = {"words": report_words, "docs": report_docs, "shape": report_shape}

if __name__ == "__main__":
    arguments = sys.argv[1:]
    chosen = REPORTS.get(arguments[0]) if arguments else None
    named = arguments[1:] if chosen else arguments
    scripts = script_files(named) if chosen is report_words else []
    sys.exit((chosen or report_summary)(sorted({*python_files(named), *scripts})))
