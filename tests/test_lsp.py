"""The language server: driven by a client as an editor drives it, and its parts one by one."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
from collections.abc import Callable, Coroutine, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost import validate_page
from waypost.cli import main
from waypost.errors import install_command
from waypost.registry import Registry, load

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from waypost.lint.project import Project
from waypost.lsp import actions, checked_document, completion, diagnostics, hover, symbols
from waypost.lsp.checked_document import CheckedDocument, Subject, check_document, kind_of
from waypost.lsp.document import Document, Position, Units
from waypost.lsp.server import serve
from waypost.lsp.terms import described
from waypost.reader.templates import mask

CASES = Path(__file__).parent / "cases" / "rules"
PATIENCE_S = 300

PAGE = """<!doctype html>
<title>Rye bread</title>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Book",
 "name": "A loaf 🍞 \u2028 of rye", "numberofPages": 7, "datePublished": "2026-02-31"}
</script>
"""
CASE, DATE = "property-wrong-case", "date-not-in-calendar"


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load()


def check_text(
    registry: Registry, text: str, where: str = "page.html", language: str = "", units: Units = "utf-16"
) -> CheckedDocument:
    kind = kind_of(where, language)
    assert kind is not None
    return check_document(Project(registry, use_config=False), Subject(Document(text, units), where, kind))


def rules(document: CheckedDocument) -> list[str]:
    return [each.rule for each in document.findings]


class Editor:
    """An editor with one folder open: what it was told, and what it asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("editor", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: list[str] = []
        self.registered: list[str] = []
        self.texts: dict[str, str] = {}
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda document: self.published.put_nowait(document)
        )
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(lambda document: self.messages.append(document.message))
        self.client.feature(types.CLIENT_REGISTER_CAPABILITY)(
            lambda document: self.registered.extend(each.method for each in document.registrations)
        )

    async def begin(self) -> types.ServerCapabilities:
        await self.client.start_io(sys.executable, "-m", "waypost", "lsp", cwd=self.folder)
        capabilities = types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                code_action=types.CodeActionClientCapabilities(
                    resolve_support=types.ClientCodeActionResolveOptions(properties=["edit"])
                )
            ),
            workspace=types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
            ),
        )
        answer = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=capabilities,
                root_uri=self.folder.as_uri(),
                initialization_options={"site": "https://waypost.test"},
            )
        )
        self.client.initialized(types.InitializedParams())
        return answer.capabilities

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "html") -> None:
        self.texts[name] = text
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def write(self, name: str, old: str, new: str, version: int) -> None:
        """Replace a piece of one line, as the editor sends it: in UTF-16."""
        lines = re.split(r"(?<=\n)", self.texts[name])
        number = next(n for n, line in enumerate(lines) if old in line)
        before = lines[number].partition(old)[0]
        start = len(before.encode("utf-16-le")) // 2
        at = types.Range(
            types.Position(number, start), types.Position(number, start + len(old.encode("utf-16-le")) // 2)
        )
        self.texts[name] = self.texts[name].replace(old, new, 1)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, self.uri(name)),
                [types.TextDocumentContentChangePartial(at, new)],
            )
        )

    async def hear(self, name: str, version: int | None = None) -> list[types.Diagnostic]:
        """What is said of a document next; of this version, where one is named."""
        while True:
            document = await asyncio.wait_for(self.published.get(), PATIENCE_S)
            if document.uri == self.uri(name) and version in {None, document.version}:
                return list(document.diagnostics)

    async def offered(self, name: str, about: types.Diagnostic) -> list[types.CodeAction]:
        context = types.CodeActionContext([about], only=[types.CodeActionKind.QuickFix])
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(self.uri(name)), about.range, context)
        )
        return [each for each in found or () if isinstance(each, types.CodeAction)]

    def applied(self, name: str, edit: types.WorkspaceEdit | None) -> str:
        """The document with an edit made in it, as an editor makes it: the last one first."""
        assert edit is not None
        assert edit.document_changes
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        document = Document(self.texts[name], "utf-16")
        for each in sorted(change.edits, key=lambda each: each.range.start, reverse=True):
            assert isinstance(each, types.TextEdit)
            start, end = each.range.start, each.range.end
            document = document.changed(
                Position(start.line, start.character), Position(end.line, end.character), each.new_text, None
            )
        return document.text

    async def close(self) -> None:
        """Close every document."""
        for name in self.texts:
            document = types.TextDocumentIdentifier(self.uri(name))
            self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        self.texts.clear()

    async def end(self) -> tuple[int | None, str]:
        """(exit status, what was said on standard error)"""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), PATIENCE_S)
        server = self.client._server
        assert server is not None
        assert server.stderr is not None
        return server.returncode, (await server.stderr.read()).decode()


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture(scope="module")
def editor(loop: asyncio.AbstractEventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One session with the server as a process of its own; it must end well and without a word."""
    made = Editor(tmp_path_factory.mktemp("editor"))
    can = loop.run_until_complete(asyncio.wait_for(made.begin(), PATIENCE_S))
    assert can.position_encoding == "utf-16", "as is to be spoken where nothing is agreed"
    yield made
    assert loop.run_until_complete(asyncio.wait_for(made.end(), 2 * PATIENCE_S)) == (0, "")


@pytest.fixture
def session(loop: asyncio.AbstractEventLoop, editor: Editor) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Runs a story with the editor, which closes its documents at the end."""

    def run(story: Coroutine[Any, Any, None]) -> None:
        editor.messages.clear()
        loop.run_until_complete(asyncio.wait_for(story, 2 * PATIENCE_S))
        loop.run_until_complete(editor.close())

    return run


def test_a_page_is_opened_edited_queried_and_fixed(editor: Editor, session: Callable[..., None]) -> None:
    async def story() -> None:
        editor.open("a.html", PAGE)
        wrong_case, date = await editor.hear("a.html")

        assert (wrong_case.code, wrong_case.source) == (CASE, "waypost")
        assert wrong_case.severity == types.DiagnosticSeverity.Warning
        assert date.severity == types.DiagnosticSeverity.Warning
        assert wrong_case.code_description is not None
        assert wrong_case.code_description.href == f"https://waypost.test/rules/{CASE}/"
        line = PAGE.split("\n")[4]
        start = len(line.partition('"numberofPages"')[0].encode("utf-16-le")) // 2
        assert wrong_case.range == types.Range(types.Position(4, start), types.Position(4, start + 15))

        document = await editor.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(editor.uri("a.html")), types.Position(4, start + 3))
        )
        assert document is not None
        assert isinstance(document.contents, types.MarkupContent)
        assert "Source: " in document.contents.value, "the page of the rule"

        offered = await editor.offered("a.html", wrong_case)
        fix, put_up_with = offered[0], offered[1]
        assert (fix.title, fix.is_preferred) == ("Write numberOfPages", True)
        assert editor.applied("a.html", fix.edit) == PAGE.replace("numberofPages", "numberOfPages")
        silenced = editor.applied("a.html", put_up_with.edit)
        assert silenced == PAGE.replace("<script", f"<!-- waypost-ignore {CASE}: TODO: say why -->\n<script")

        editor.write("a.html", "2026-02-31", "2026-02-28", 2)
        (left,) = await editor.hear("a.html", 2)
        assert left.code == CASE

        found = await editor.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(editor.uri("a.html")),
                types.Range(types.Position(0, 0), types.Position(0, 0)),
                types.CodeActionContext([], only=[types.CodeActionKind.SourceFixAll]),
            )
        )
        assert found
        (everything,) = found
        assert isinstance(everything, types.CodeAction)
        assert everything.edit is None, "left until it is chosen"
        resolved = await editor.client.code_action_resolve_async(everything)
        assert "numberOfPages" in editor.applied("a.html", resolved.edit)

        editor.write("a.html", "numberofPages", "numberOfPages", 3)
        assert await editor.hear("a.html", 3) == []

    session(story())


def test_closing_a_document_withdraws_its_reports(editor: Editor, session: Callable[..., None]) -> None:
    async def story() -> None:
        editor.open("closed.html", PAGE)
        assert await editor.hear("closed.html")
        await editor.close()
        assert await editor.hear("closed.html") == []

    session(story())


def test_a_configuration_applies_to_its_files_and_is_reread(editor: Editor, session: Callable[..., None]) -> None:
    (editor.folder / "site" / "old").mkdir(parents=True)
    (editor.folder / "site" / "old" / "a.html").write_text(PAGE, "utf-8")
    config = editor.folder / "site" / "waypost.toml"
    config.write_text(f'[[overrides]]\nfiles = ["old/**"]\nrules = {{"{CASE}" = "off"}}\n')

    async def changed(text: str) -> None:
        config.write_text(text)
        event = types.FileEvent(config.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def story() -> None:
        editor.open("site/old/a.html", PAGE)
        assert [each.code for each in await editor.hear("site/old/a.html")] == [DATE]
        editor.open("site/a.html", PAGE)
        assert [each.code for each in await editor.hear("site/a.html")] == [CASE, DATE]

        await changed(f'[rules]\n"{DATE}" = "info"\n')
        found = {each.code: each.severity for each in await editor.hear("site/old/a.html")}
        assert found == {CASE: types.DiagnosticSeverity.Warning, DATE: types.DiagnosticSeverity.Hint}

        await changed('[rules]\n"no-such-rule" = "off"\n')
        (error,) = await editor.hear("site/waypost.toml")
        assert "no-such-rule" in error.message

        await changed("")
        assert await editor.hear("site/waypost.toml") == []

    session(story())

    assert len(editor.messages) == 1, "said once, however many files are open"
    assert editor.registered == ["workspace/didChangeWatchedFiles"]


def test_a_configuration_shows_what_has_no_effect(editor: Editor, session: Callable[..., None]) -> None:
    text = 'base-url = "example.com"\n[[overrides]]\nfiles = ["none/**"]\nrules = {}\n'
    config = editor.folder / "package" / "waypost.toml"
    config.parent.mkdir()
    config.write_text(text)

    async def story() -> None:
        editor.open("package/waypost.toml", text, "toml")
        found = await editor.hear("package/waypost.toml")
        assert [(each.range.start.line, each.severity) for each in found] == [
            (0, types.DiagnosticSeverity.Warning), (2, types.DiagnosticSeverity.Warning)
        ]  # fmt: skip
        assert "write https://example.com" in found[0].message
        assert "no file matches 'none/**'" in found[1].message

        config.write_text("[rules]\nnone = 'off'\n")
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(config.as_uri()))
        )
        (error,) = await editor.hear("package/waypost.toml")
        assert error.severity == types.DiagnosticSeverity.Error

    session(story())


def test_a_rule_without_a_site_leads_to_its_source(registry: Registry) -> None:
    text = '{"@context": "https://schema.org", "@type": "Recipe", "name": "x"}'

    found = diagnostics.diagnostics(check_text(registry, text, "a.jsonld"), "file:///a")

    addresses = [each.code_description.href for each in found if each.code_description]
    assert len(addresses) == len(found) > 0
    assert addresses[0].startswith("https://developers.google.com/")


def test_of_fast_typing_only_the_last_is_reported(editor: Editor, session: Callable[..., None]) -> None:
    async def story() -> None:
        editor.open("fast.html", PAGE)
        await editor.hear("fast.html")
        for pages in range(7, 47):
            editor.write("fast.html", f'"numberofPages": {pages},', f'"numberofPages": {pages + 1},', pages)
        while not editor.published.empty():
            editor.published.get_nowait()
        await editor.hear("fast.html", 46)
        assert editor.published.empty()
        assert editor.texts["fast.html"] == PAGE.replace(": 7,", ": 47,")

    session(story())


class Output(BytesIO):
    """What a server says, kept when it closes its output."""

    output = b""

    def close(self) -> None:
        if not self.closed:
            self.text = self.getvalue()
        super().close()


def test_an_editor_that_leaves_silently_ends_the_server(registry: Registry) -> None:
    output = Output()

    status = serve(Project(registry), BytesIO(b""), output)

    assert (status, output.getvalue()) == (1, b"")


def test_nonsense_ends_nothing_and_output_is_protocol_only(registry: Registry) -> None:
    def message(text: str) -> bytes:
        return f"Content-Length: {len(text.encode())}\r\n\r\n{text}".encode()

    nonsense = [
        '{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}}',
        "{not json}",
        '{"jsonrpc": "2.0", "id": 2, "method": "no/such/method", "params": {}}',
        '{"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"capabilities": {}}}',
        (
            '{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "untitled:x", '
            '"version": 2}, "contentChanges": [{"text": "x"}]}}'
        ),
        (
            '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "untitled:y", '
            '"languageId": "html", "version": 1, "text": "<p itemscope itemprop=\\ud800>"}}}'
        ),
        '{"jsonrpc": "2.0", "id": 4, "method": "shutdown"}',
        '{"jsonrpc": "2.0", "method": "exit"}',
    ]

    output = Output()

    status = serve(Project(registry), BytesIO(b"".join(map(message, nonsense))), output)

    assert status == 0
    left = output.text
    answers = []
    while left:
        head = re.match(
            rb"(?:Content-Type: [^\r\n]+\r\n)?Content-Length: (\d+)\r\n(?:Content-Type: [^\r\n]+\r\n)?\r\n", left
        )
        assert head, left[:80]
        end = head.end() + int(head[1])
        answers.append(json.loads(left[head.end() : end]).get("id"))
        left = left[end:]
    assert [each for each in answers if each] == [1, 2, 3, 4]


def test_without_its_package_it_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.delitem(sys.modules, "waypost.lsp.server", raising=False)

    assert main(["lsp"]) == 2

    assert install_command("lsp") in capsys.readouterr().err


# Documents: text and places.

_CHARS = st.text(st.sampled_from(list('ab "\t\n\r\x0b\x0c\x1c\x85\u2028é€🍞\ufeff')), max_size=40)


def _naive(text: str) -> list[str]:
    """Lines as the protocol ends them, each with its end."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


@pytest.mark.parametrize("units", ["utf-8", "utf-16", "utf-32"])
@given(text=_CHARS)
def test_every_place_of_a_text_is_found_again(units: Units, text: str) -> None:
    document = Document(text, units)
    size = {"utf-8": lambda s: len(s.encode()), "utf-16": lambda s: len(s.encode("utf-16-le")) // 2, "utf-32": len}[
        units
    ]

    offset = 0
    for number, line in enumerate(_naive(text)):
        bare = line.rstrip("\r\n")
        for index in range(len(bare) + 1):
            at = Position(number, size(bare[:index]))
            assert document.offset(at) == offset + index
            assert document.position(offset + index) == at
            byte = document.byte(offset + index)
            assert document.data[:byte].decode() == text[: offset + index]
            assert document.position_of_byte(byte) == at
        offset += len(line)


@given(text=_CHARS, piece=_CHARS, data=st.data())
@settings(max_examples=60)
def test_an_edit_changes_what_it_names_and_nothing_else(text: str, piece: str, data: st.DataObject) -> None:
    document = Document(text, "utf-16")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = document.position(start), document.position(end)
    low_offset, high_offset = document.offset(low), document.offset(high)

    changed = document.changed(low, high, piece, 2)

    assert changed.text == text[:low_offset] + piece + text[high_offset:]
    assert (changed.version, document.text) == (2, text)


def test_places_beyond_the_end_mean_the_end() -> None:
    document = Document("ab\ncd", "utf-16")

    assert document.offset(Position(0, 99)) == 2
    assert document.offset(Position(9, 0)) == 5


# What is judged, and how it is told.


@pytest.mark.parametrize(
    ("name", "language", "kind"),
    [
        ("a.html", "html", "html"),
        ("a.txt", "plaintext", None),
        ("a.vue", "vue", "html"),
        ("a.tsx", "typescriptreact", "code"),
        ("a.mdx", "mdx", "markdown"),
        ("page.html", "django-html", "html"),
        ("page.liquid", "plaintext", "html"),
        ("a.jsonld", "", "json"),
        ("a.md", "markdown", "markdown"),
        ("a.py", "python", None),
    ],
)
def test_our_documents_are_known_by_language_or_name(name: str, language: str, kind: str | None) -> None:
    assert kind_of(name, language) == kind


@pytest.mark.parametrize(
    "path", sorted((CASES.parents[2] / "examples" / "site").rglob("*.html")), ids=lambda path: path.stem
)
def test_a_finished_page_gets_the_command_lines_findings(registry: Registry, path: Path) -> None:
    document = check_text(registry, path.read_text("utf-8"), str(path))

    expected = validate_page(path.read_bytes(), registry).findings
    assert [(each.rule, each.start, each.end) for each in document.findings] == [
        (each.rule, each.start, each.end) for each in expected
    ]


def test_data_that_is_not_linked_data_is_left_alone(registry: Registry) -> None:
    assert rules(check_text(registry, '{"name": "left-pad", "version": 1,}', "package.json", "json")) == []
    assert "json-trailing-comma" in rules(
        check_text(registry, '{"@context": "https://schema.org", "@type": "Thing",}', "a.json", "json")
    )


def test_a_document_too_large_for_typing_gets_a_message(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_document, "MOST_BYTES", 10)

    (note,) = diagnostics.diagnostics(check_text(registry, PAGE), "file:///a.html")

    assert "waypost validate" in note.message
    assert note.severity == types.DiagnosticSeverity.Information


def test_of_too_many_findings_the_worst_are_reported(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostics, "MOST", 1)

    page = PAGE.replace('"Book"', '"Bok"')
    worst, note = diagnostics.diagnostics(check_text(registry, page), "file:///a.html")

    assert worst.code == "unknown-type"
    assert "2 more" in note.message


def test_superseded_terms_are_drawn_as_deprecated_with_related_places(registry: Registry) -> None:
    text = '{"@context": "https://schema.org", "@type": "Movie", "name": "Up", "actors": "A", "name": "Down"}'

    document = {
        each.code: each for each in diagnostics.diagnostics(check_text(registry, text, "a.jsonld"), "file:///a.jsonld")
    }

    assert document["superseded-property"].tags == [types.DiagnosticTag.Deprecated]
    (related,) = document["json-duplicate-key"].related_information or ()
    assert related.location.range.start == types.Position(0, text.index('"name"'))


def test_markdown_code_is_left_alone(registry: Registry) -> None:
    script = PAGE.partition("</title>\n")[2]

    assert rules(check_text(registry, f"# Bread\n\n{script}", "a.md")) == [CASE, DATE]
    assert rules(check_text(registry, f"# Bread\n\n```html\n{script}```\n", "a.md")) == []


def test_the_editor_ignores_the_encoding_of_the_page(registry: Registry) -> None:
    page = PAGE.replace("<title>", '<meta charset="iso-8859-2"><title>')

    assert rules(check_text(registry, page)) == [CASE, DATE]


# Pages that are not finished.

QUIET = {
    "a quoted value": '"image": "{{ page.image }}", "releaseDate": "{{ page.date | date: "%Y-%m-%d" }}"',
    "a value without quotes": '"offers": {{ offers | jsonify }}',
    "statements around members": '{% if x %}"description": "a"{% else %}"description": "b"{% endif %}',
    "a loop with commas between": '"image": [{% for i in all %}"{{ i }}"{% if not last %},{% endif %}{% endfor %}]',
    "a comma that may be too many": '"image": [{% for i in images %}"https://example.com/{{ i }}",{% endfor %}]',
    "erb": '"weight": <%= weight %>, <% if x %>"sku": "<%= sku %>"<% end %>',
    "php": '"weight": <?php echo $a->weight; ?>, "sku": "<?= $sku ?>"',
    "an included part": "{% include 'offer.json' %}",
    "a string of an expression language": '"url": "${page.url}"',
    "a template of Go": '{{ with .Text }}"description": {{ . }},{{ end }} "weight": {{- if .W }}1{{ else }}2{{ end }}',
    "a template of Mustache": '{{#text}}"description": "{{text}}",{{/text}} "sku": "{{> sku}}"',
    "handlebars without escapes": '"description": {{{ json text }}}',
}


def page_with(members: str) -> str:
    return (
        '<!doctype html>\n<script type="application/ld+json">\n{"@context": "https://schema.org", "@type": "Product",'
        f' "name": "Kettle", {members}}}\n</script>\n'
    )


@pytest.mark.parametrize("members", QUIET.values(), ids=QUIET)
def test_nothing_is_reported_where_no_one_can_know(registry: Registry, members: str) -> None:
    document = check_text(registry, page_with(members), "page.liquid")

    assert [
        each for each in rules(document) if each not in {"required-property-missing", "recommended-property-missing"}
    ] == []
    if "{%" in members or "<% " in members or members.startswith("{{"):
        assert rules(document) == [], "what is missing may yet come in"


@pytest.mark.parametrize("members", QUIET.values(), ids=QUIET)
def test_errors_independent_of_placeholders_are_reported(registry: Registry, members: str) -> None:
    document = check_text(registry, page_with(f'{members}, "colour": "red", "Sku": "1"'), "page.liquid")

    assert {"unknown-property", "property-wrong-case"} <= set(rules(document))


def test_a_page_with_placeholders_misses_what_it_misses(registry: Registry) -> None:
    document = check_text(registry, page_with('"description": "{{ text }}"'), "page.liquid")

    assert "required-property-missing" in rules(document)


def test_microdata_of_a_template_gets_no_report_of_absence(registry: Registry) -> None:
    item = (
        '<div itemscope itemtype="https://schema.org/Product">{body}<span itemprop="Name">{{{{ name }}}}</span></div>'
    )

    assert set(rules(check_text(registry, item.format(body="{% include 'offers.html' %}"), "a.liquid"))) == {
        "property-wrong-case"
    }
    assert "required-property-missing" in rules(check_text(registry, item.format(body=""), "a.liquid"))


@given(
    st.lists(st.sampled_from(["{{", "}}", "{%", "%}", "<%", "%>", '"', "{", "}", "a", "\n", "é", "<?php", "?>", "${"]))
)
def test_a_mask_moves_nothing(pieces: list[str]) -> None:
    page = f'<script type="application/ld+json">{"".join(pieces)}</script>{"".join(pieces)}'.encode()

    assert len(mask(page, is_json=False).data) == len(page)


def test_repairs_of_a_template_leave_its_placeholders_alone(registry: Registry) -> None:
    page = page_with('"offers": {{ offers }}, "Sku": "{{ sku }}"')

    action = actions.fix_all(
        check_text(registry, page, "a.liquid"), actions.Target("file:///a.liquid", versioned=False)
    )

    assert action is not None
    assert action.edit is not None
    ((edit,),) = (action.edit.changes or {}).values()
    assert edit.new_text == "sku"


# Words of the vocabulary.


def at(text: str, mark: str = "|") -> tuple[str, int]:
    return text.replace(mark, ""), text.index(mark)


@pytest.mark.parametrize(
    ("marked", "output"),
    [
        ('{"@context": "https://schema.org", "@type": "Rec|ipe"}', "Thing › CreativeWork › HowTo › Recipe"),
        ('{"@context": "https://schema.org", "@type": "Offer", "avail|ability": "x"}', "holds `ItemAvailability`"),
        ('{"@context": "https://schema.org", "availability": "https://schema.org/InSt|ock"}', "`ItemAvailability`"),
        ('{"@context": "https://schema.org", "@type": "Movie", "act|ors": "x"}', "superseded by `actor`"),
    ],
)
def test_a_word_shows_what_the_vocabulary_knows(registry: Registry, marked: str, output: str) -> None:
    text, offset = at(marked)

    document = hover.hover(check_text(registry, text, "a.jsonld"), offset)

    assert document is not None
    assert output in document[0]


def test_words_of_markup_are_known_and_of_text_not(registry: Registry) -> None:
    page = check_text(registry, '<p itemscope itemtype="https://schema.org/Person"><b itemprop="name">name</b>')

    inside = hover.hover(page, page.document.text.index('"name') + 2)
    outside = hover.hover(page, page.document.text.index("name</b>") + 2)

    assert inside is not None
    assert "property of" in inside[0]
    assert outside is None


GRAPH = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
{"@type": "Article", "headline": "Rye", "isPartOf": {"@id": "#page"}},
{"@type": "WebPage", "@id": "#page", "breadcrumb": {"@id": "#trail"}},
{"@type": "BreadcrumbList", "@id": "#trail", "itemListElement": [
{"@type": "ListItem", "position": 1, "name": "Bread", "item": "https://example.com/"},
{"@type": "ListItem", "position": 2, "name": "Rye"}]},
{"@type": "Recipe", "name": "Rye"}]}</script>"""


def test_the_outline_names_each_node_with_its_results(registry: Registry) -> None:
    found = symbols.symbols(check_text(registry, GRAPH))

    assert [(each.name, each.range.start.line) for each in found] == [
        ("Article 'Rye'", 1), ("WebPage", 2), ("BreadcrumbList", 3), ("Recipe 'Rye'", 6)
    ]  # fmt: skip
    assert [(each.detail or "").partition(";")[0] for each in found] == [
        "eligible for article results", "", "eligible for breadcrumb results", "not eligible for recipe results"
    ]  # fmt: skip
    template = symbols.symbols(check_text(registry, GRAPH.replace("Rye", "{{ name }}"), "page.liquid", "liquid"))
    assert [each.name for each in template] == ["Article", "WebPage", "BreadcrumbList", "Recipe"]
    assert not any("eligible" in (each.detail or "") for each in template), "values of a template are unknown"


def test_name_of_a_type_shows_what_its_node_gets(registry: Registry) -> None:
    page = check_text(registry, GRAPH)

    document = hover.hover(page, GRAPH.index("BreadcrumbList") + 3)

    assert document is not None
    assert document[0].startswith("BreadcrumbList: eligible for breadcrumb results")


def test_text_of_a_page_is_not_markdown(registry: Registry) -> None:
    text, offset = at('{"@context": "https://schema.org", "@type": "Offer", "price": "|[x](javascript:1) `"}')

    document = hover.hover(check_text(registry, text, "a.jsonld"), offset + 1)

    assert document is not None
    assert "[x](" not in document[0]


def test_every_word_of_the_vocabulary_can_be_described(registry: Registry) -> None:
    words = registry.vocabulary

    for name in random.Random(6).sample([*words.types, *words.properties, *words.members], 300):
        assert described(name, words), name


@pytest.mark.parametrize(
    ("marked", "first", "offered", "not_offered"),
    [
        ('{"@context": "https://schema.org", "@type": "Recipe", "name": "x", "|"}', "image", "cookTime", "name"),
        ('{"@context": "https://schema.org", "|", "@type": "Recipe"}', "image", "cookTime", "@type"),
        ('{"@type": "Product", "offers": {"@type": "|', "AggregateOffer", "Offer", "Kettle"),
        (
            '{"@type": "Offer", "availability": "|"}',
            "https://schema.org/BackOrder",
            "https://schema.org/InStock",
            "InStock",
        ),
        ('{"@type": ["Product", "|"]}', "3DModel", "Car", "name"),
    ],
)
def test_words_are_offered_where_they_fit(
    registry: Registry, marked: str, first: str, offered: str, not_offered: str
) -> None:
    text, offset = at(marked)

    document = completion.completions(check_text(registry, text, "a.jsonld"), offset)

    assert document is not None
    words = [each.word for each in sorted(document.words, key=lambda each: (each.rank, each.word))]
    assert words[0] == first
    assert offered in words
    assert not_offered not in words


def test_nothing_is_offered_where_a_text_is_written(registry: Registry) -> None:
    text, offset = at('{"@type": "Recipe", "name": "|"}')

    assert completion.completions(check_text(registry, text, "a.jsonld"), offset) is None


# What is offered about a finding.


def test_ignored_finding_is_written_into_the_configuration_that_holds(registry: Registry, tmp_path: Path) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text("[tool.waypost]\nfail-on = 'never'", encoding="utf-8")
    text = '{"@context": "https://schema.org", "@type": "Book", "Name": "x"}'
    subject = Subject(Document(text, "utf-16"), str(tmp_path / "a.jsonld"), "json")
    project = Project(registry)
    found = check_document(project, subject)

    offered = actions.actions(found, actions.Target("file:///a", versioned=False), 0, len(text), [])
    action = next(each for each in offered if "pyproject.toml" in each.title)
    assert action.edit is not None
    ((edit,),) = (action.edit.changes or {}).values()
    config.write_text(config.read_text("utf-8") + edit.new_text, encoding="utf-8")

    assert edit.range.start == types.Position(1, 17)
    assert rules(check_document(project, subject)) == []


@pytest.mark.parametrize(
    ("case", "title", "preferred"),
    [
        ("json-leading-text/bad-variable.html", "(a guess: review it)", None),
        ("property-wrong-case/bad-microdata.html", "", True),
    ],
)
def test_a_guessing_repair_is_marked_so(registry: Registry, case: str, title: str, preferred: bool | None) -> None:
    document = check_text(registry, (CASES / case).read_text("utf-8"))
    finding = next(each for each in document.findings if each.rule == case.partition("/")[0])

    fix = actions.actions(document, actions.Target("file:///a", versioned=False), finding.start, finding.end, [])[0]

    assert fix.title.endswith(title)
    assert fix.is_preferred == preferred


def test_every_finding_can_be_ignored_in_its_place(registry: Registry) -> None:
    cannot = {"html-repeated-root-tag", "suppression-unused", "suppression-without-reason"}

    for path in sorted(CASES.glob("*/bad-*.html")):
        document = check_text(registry, path.read_bytes().decode("utf-8", "replace"))
        for finding in document.findings:
            target = actions.Target("file:///a", versioned=False)
            titles = [each.title for each in actions.actions(document, target, finding.start, finding.end, [])]
            offered = f"Ignore {finding.rule} in this element" in titles or (
                f"Ignore {finding.rule} on this page" in titles
            )
            assert offered == (finding.rule not in cannot), f"{path}: {finding.rule}"


def test_whatever_is_typed_nothing_fails(registry: Registry) -> None:
    """Pages cut off and mixed up at any place, asked about at any place."""
    chance = random.Random(20261120)
    pages = sorted(path for path in CASES.glob("*/bad-*") if path.is_file())

    for path in chance.sample(pages, 60):
        text = path.read_bytes().decode("utf-8", "replace")
        cut = chance.randrange(len(text) + 1)
        text = (
            text[:cut]
            + chance.choice(["", '"', "{{", "<", "{%", "\\", "\ud800"])
            + text[chance.randrange(cut, len(text) + 1) :]
        )
        answer = check_text(registry, text, path.name, "json" if path.suffix.startswith(".json") else "html")
        offset = chance.randrange(len(text) + 1)
        diagnostics.diagnostics(answer, "file:///a")
        hover.hover(answer, offset)
        completion.completions(answer, offset)
        byte = answer.document.byte(offset)
        actions.actions(answer, actions.Target("file:///a", versioned=True), byte, byte + 40, [])
