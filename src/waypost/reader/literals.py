"""Literals of code as texts and numbers: strings of JavaScript, PHP and YAML without their quotes and escapes."""

from __future__ import annotations

import re

_JAVASCRIPT = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": ""}
_PHP = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(?!u)()x([0-9a-fA-F]{1,2})|([nrtvef\\$\"]))")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def javascript_text(written: str, _: str) -> str | None:
    """Text of a string of JavaScript, also of a template without expressions."""
    inner = written[1:-1]
    return _JAVASCRIPT.sub(_character, inner) if "\\" in inner else inner


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        value = int(code, 16)
        return chr(value) if value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF else "\ufffd"
    return _NAMED.get(escape[4], escape[4])


def php_text(written: str, kind: str) -> str | None:
    """Text of a string of PHP: in single quotes only quotes and backslashes are escaped."""
    if kind == "string":
        inner = written[written.index("'") + 1 : -1]
        return re.sub(r"\\([\\'])", r"\1", inner)
    inner = written[written.index('"') + 1 : -1]
    return _PHP.sub(_php_character, inner) if "\\" in inner else inner


def _php_character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[3]
    if code:
        value = int(code, 16)
        return chr(value) if value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF else "\ufffd"
    return _NAMED.get(escape[4], escape[4])


def yaml_scalar(written: str, kind: str) -> str | None:
    """Text of a scalar of YAML 1.2: plain, in quotes, or a block."""
    if kind == "single_quote_scalar":
        return _folded(written[1:-1].replace("''", "'"))
    if kind == "double_quote_scalar":
        return javascript_text(f'"{_folded(written[1:-1])}"', kind)
    if kind == "block_scalar":
        header, _, body = written.partition("\n")
        lines = body.split("\n")
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        text = "\n".join(line[indent:] for line in lines)
        return _folded(text) if header.startswith(">") else text
    return _folded(written)


def _folded(text: str) -> str:
    return re.sub(r"[ \t]*\n[ \t]*", " ", text) if "\n" in text else text


def number(written: str) -> str | None:
    """Number as JSON; None where it is no number of JSON in any notation of the languages."""
    text = written.replace("_", "").replace(" ", "").rstrip("n")
    if re.fullmatch(r"-?0[xXbBoO][0-9a-fA-F]+", text):
        try:
            return str(int(text, 0))
        except ValueError:
            return None
    if text.startswith((".", "-.")):
        text = text.replace(".", "0.", 1)
    text = text.removesuffix(".")
    return text if _NUMBER.fullmatch(text) else None
