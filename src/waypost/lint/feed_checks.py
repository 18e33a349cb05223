"""Checks of the rows of a feed by themselves: what cannot be read, what is required, ids that stand twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b, sha256

from waypost.formats.text import clip
from waypost.models.finding import Authority, Finding, Severity
from waypost.models.product_feed import FeedColumn, FeedFormat
from waypost.reader.product_feeds.model import Row, RowError
from waypost.validate.feeds.values import FeedValues, money, state_of

_MOST_ALIKE = 100
"""Findings of one rule about one column; the rest is counted."""


class RowChecks:
    """Findings about one feed."""

    def __init__(self, path: str, site: str) -> None:
        self._path, self._site = path, site
        self._found: list[Finding] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lines: dict[bytes, int] = {}
        self._absent: set[str] = set()
        self.duplicates = self.unreadable_rows = 0

    def findings(self) -> list[Finding]:
        """All findings, the last ones about what was only counted."""
        for (rule, name), number in self._counts.items():
            if number > _MOST_ALIKE:
                last = next(each for each in reversed(self._found) if (each.rule, each.property or "") == (rule, name))
                last.message += f" ({number - _MOST_ALIKE:,} further rows are alike)"
        return self._found

    def unreadable(self, error: RowError) -> None:
        self.unreadable_rows += not error.is_header
        self._add("feed-row-unreadable", "error", "waypost", (error.line, error.column), error.message, error.hint)

    def row(self, row: Row, values: FeedValues, form: FeedFormat, *, is_first: bool) -> None:
        """Check a row that can be read."""
        if is_first:
            self._check_columns(row, form)
        for column in form.columns:
            self._check_column(row, column, form)
        self._check_values(row, values, form)
        self._check_id(row, values)

    def _check_columns(self, row: Row, form: FeedFormat) -> None:
        """Columns that a table lacks are reported once, at its header."""
        names = row.columns()
        if not row.has_header():
            return
        for column in form.columns:
            if column.requirement and names.isdisjoint((column.name, *column.also)):
                self._absent.add(column.name)
                severity: Severity = "error" if column.requirement == "required" else "info"
                verb = "requires" if severity == "error" else "recommends"
                self._add(
                    "feed-value-missing", severity, "google" if form.name == "merchant-center" else "waypost", (1, 1),
                    f"the feed has no column {column.name}, which {form.title} {verb}",
                    f"add the column {column.name}", column.name,
                )  # fmt: skip

    def _check_column(self, row: Row, column: FeedColumn, form: FeedFormat) -> None:
        text = next((row.values[name] for name in (column.name, *column.also) if name in row.values), "")
        if column.requirement == "required" and not text and column.name not in self._absent:
            self._add(
                "feed-value-missing", "error", "google" if form.name == "merchant-center" else "waypost",
                row.place(column.name), f"{column.name} is missing, which {form.title} requires",
                f"write the {column.name.replace('_', ' ')} of every item", column.name,
            )  # fmt: skip
        # Other names have values of another form, as structured_title with the kind of its source.
        elif column.longest and (length := len(row.values.get(column.name, ""))) > column.longest:
            self._add(
                "feed-value-invalid", "warning", "google" if form.name == "merchant-center" else "waypost",
                row.place(column.name),
                f"{column.name} has {length:,} characters; {form.title} asks for at most {column.longest:,}",
                "shorten it", column.name,
            )  # fmt: skip

    def _check_values(self, row: Row, values: FeedValues, form: FeedFormat) -> None:
        for field in ("price", "sale_price"):
            text = values.texts.get(field)
            if text is None:
                continue
            name, read = values.columns[field], money(text)
            if read is None:
                hint = "write a number with a decimal point and the code of the currency, as in 19.90 EUR"
                self._invalid(row, name, f"{clip(text)!r} is not a price", hint)
            elif not read.currency:
                hint = "add the code of its currency, as in 19.90 EUR"
                self._invalid(row, name, f"the price {clip(text)!r} has no currency", hint)
        if form.catalogue:
            return  # Both protocols leave their lists of states and conditions open.
        for field, known in (("availability", form.availability), ("condition", form.condition)):
            text = values.texts.get(field)
            if text is not None and known and not state_of(text, known):
                hint = f"write {' or '.join(dict.fromkeys(name for name in known if ' ' not in name))}"
                self._invalid(row, values.columns[field], f"{clip(text)!r} is not a value of {field}", hint)

    def _check_id(self, row: Row, values: FeedValues) -> None:
        if not (text := values.texts.get("id")):
            return
        key = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
        line = self._lines.setdefault(key, row.line)
        if line != row.line:
            self.duplicates += 1
            self._add(
                "feed-id-duplicated", "error", "waypost", row.place(values.columns["id"]),
                f"the id {clip(text)!r} stands in {row.unit()} {line:,} already", "give every item an id of its own",
                values.columns["id"],
            )  # fmt: skip

    def _invalid(self, row: Row, name: str, message: str, hint: str) -> None:
        self._add("feed-value-invalid", "error", "waypost", row.place(name), message, hint, name)

    def _add(
        self, rule: str, severity: Severity, authority: Authority, place: Sequence[int], message: str, hint: str,
        name: str = "",
    ) -> None:  # fmt: skip
        self._counts[rule, name] += 1
        if self._counts[rule, name] > _MOST_ALIKE:
            return
        line, column = place
        identity = repr((rule, name, self._path, message)).encode("utf-8", "replace")
        self._found.append(
            Finding(
                rule=rule, severity=severity, authority=authority, message=message, hint=hint, syntax="html",
                pointer="", property=name or None, start=0, end=0, line=line, column=column, end_line=line,
                end_column=column, utf16_column=column, utf16_end_column=column,
                doc_url=f"{self._site}/rules/{rule}/", fingerprint=sha256(identity).hexdigest()[:16],
            )
        )  # fmt: skip
