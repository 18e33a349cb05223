"""Language server: stores open documents, validates changed documents after a delay, answers requests.

Validation runs in a worker thread. A document that changed while waiting is skipped, so that fast typing never
leaves more than one document in work and one waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from waypost.config import NAMES, ConfigError
from waypost.lint.project import UNKNOWN, Project
from waypost.lsp import actions, completion, diagnostics, hover, symbols
from waypost.lsp.checked_document import CheckedDocument, Subject, check_document, kind_of
from waypost.lsp.document import Document, Position, Units
from waypost.lsp.protocol import Headers, Protocol, is_unreadable
from waypost.validate.rulebook import load_rules

DELAY_S = 0.25
"""Delay between the last change of a document and the validation, in seconds."""

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_WATCHED = ("**/*.toml", "**/*baseline*.json")


class _ConfigProblem(NamedTuple):
    """Error or warning of a page's configuration. `uri`: configuration file, if known. `line`: 1-based."""

    uri: str | None
    message: str
    line: int
    is_error: bool


class Server(LanguageServer):
    """Language server of an editor.

    project    validator; gets the editor's folder on `initialize`.
    documents  open documents by URI.
    """

    def __init__(self, project: Project, delay_s: float = DELAY_S) -> None:
        super().__init__("waypost", version_of("waypost"), protocol_cls=Protocol)
        self.project = project
        self.documents: dict[str, Document] = {}
        self._delay_s = delay_s
        # One thread, so that at most one document is in work.
        self._worker = ThreadPoolExecutor(1, "waypost-judge")
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._work: dict[str, tuple[Document, asyncio.Future[CheckedDocument | None]]] = {}
        self._config_problems: dict[str, frozenset[_ConfigProblem]] = {}
        self.was_shut_down = False

    @property
    def units(self) -> Units:
        agreed = self.workspace.position_encoding
        found: Units = "utf-8" if agreed == "utf-8" else "utf-32" if agreed == "utf-32" else "utf-16"
        return found

    def opened(self, item: types.TextDocumentItem) -> None:
        self.documents[item.uri] = Document(item.text, self.units, item.version, item.language_id)
        self._check_later(item.uri, 0)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        document = self.documents.get(uri)
        if document is None:
            return
        # LSP 3.17: the changes of a notification apply in order, each to the result of the one before.
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                document = document.changed(
                    Position(start.line, start.character), Position(end.line, end.character), change.text, version
                )
            else:
                document = document.replaced(change.text, version)
        self.documents[uri] = document
        self._check_later(uri, self._delay_s)

    def closed(self, uri: str) -> None:
        self.documents.pop(uri, None)
        self._work.pop(uri, None)
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        # The last open page of a configuration takes its problem along.
        self._publish_config_problems(uri, [])
        if not _is_config(uri):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check_all(self) -> None:
        """Validate every open document again, after a change of the configuration."""
        # A result under the old configuration must not be served again.
        self._work.clear()
        self.project.tracer.forget()
        for uri in self.documents:
            self._check_later(uri, 0)

    @property
    def resolves_edits(self) -> bool:
        """Whether the editor requests the edit of an action when the user chooses the action."""
        document = self.client_capabilities.text_document
        action = document.code_action if document else None
        return bool(action and action.resolve_support and "edit" in action.resolve_support.properties)

    def target(self, uri: str) -> actions.Target:
        workspace = self.client_capabilities.workspace
        edit = workspace.workspace_edit if workspace else None
        return actions.Target(uri, bool(edit and edit.document_changes))

    def warm_up(self) -> None:
        """Load the vocabulary and the rules in the worker thread, before the first document."""
        self._worker.submit(lambda: self.project.registry.vocabulary)
        self._worker.submit(load_rules)

    async def in_thread(self, work: Callable[..., _T], *given: Any) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *given)

    async def checked_or_none(self, uri: str) -> CheckedDocument | None:
        """Result of `checked`, or None for an unusable configuration, which has a diagnostic already."""
        try:
            return await self.checked(uri)
        except ConfigError:
            return None

    def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def checked(self, uri: str) -> CheckedDocument | None:
        """Check the current version of a document; None for unknown documents. Raises ConfigError."""
        document = self.documents.get(uri)
        if document is None:
            return None
        known = self._work.get(uri)
        if known is None or known[0] is not document:
            work = asyncio.get_running_loop().run_in_executor(self._worker, self._check, uri, document)
            # Requests may have moved on to a newer version; without a reader asyncio would log the exception.
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
            known = self._work[uri] = (document, work)
        # A request that the editor cancels must not cancel the check that others wait for.
        return await asyncio.shield(known[1])

    def _check(self, uri: str, document: Document) -> CheckedDocument | None:
        """Check a document in the worker thread; None if the document has changed meanwhile."""
        if self.documents.get(uri) is not document:
            return None
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if _is_config(uri):
            self.project.config(path or UNKNOWN)
            return None
        kind = kind_of(path or uri, document.language)
        return check_document(self.project, Subject(document, path or UNKNOWN, kind)) if kind else None

    def _check_later(self, uri: str, delay_s: float) -> None:
        # The delay begins again with every change.
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        self._timers[uri] = asyncio.get_running_loop().create_task(self._publish(uri, delay_s))

    async def _publish(self, uri: str, delay_s: float) -> None:
        """Validate a document after a delay, and publish diagnostics unless the document has changed."""
        await asyncio.sleep(delay_s)
        document = self.documents.get(uri)
        try:
            checked = await self.checked(uri)
            found = diagnostics.diagnostics(checked, uri) if checked else []
            self._publish_config_problems(uri, await self.in_thread(self._config_warnings, uri))
        except ConfigError as error:
            self._publish_config_problems(uri, [_problem(error.path, error.line, str(error), is_error=True)])
            return
        except Exception as error:  # noqa: BLE001  an error of ours on one document must not end the session
            _log.exception("waypost failed on this document, please report it")
            self._complain(f"waypost failed on a document, please report it ({error!r})")
            return
        # Places of an older version would be shown at the wrong characters.
        if document is not None and self.documents.get(uri) is document and not _is_config(uri):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version=document.version))

    def _config_warnings(self, uri: str) -> list[_ConfigProblem]:
        """Warnings about the configuration of a page, or about a configuration that is open. Raises ConfigError."""
        if uri not in self.documents or not uri.startswith("file:"):
            return []
        found = self.project.config_warnings(to_fs_path(uri) or UNKNOWN)
        return [_problem(each.path, each.line, each.message, is_error=False) for each in found]

    def _publish_config_problems(self, page: str, problems: Iterable[_ConfigProblem]) -> None:
        """Publish problems at the configuration, once for all pages; clear them with the last page."""
        before = frozenset[_ConfigProblem]().union(*self._config_problems.values())
        self._config_problems.pop(page, None)
        if found := frozenset(problems):
            self._config_problems[page] = found
        now = frozenset[_ConfigProblem]().union(*self._config_problems.values())
        for problem in now - before:
            if problem.is_error:
                self._complain(problem.message)
        # Configurations whose problems appeared or went.
        for uri in {problem.uri for problem in before ^ now if problem.uri}:
            mine = sorted((each for each in now if each.uri == uri), key=lambda each: (each.line, each.message))
            made = [diagnostics.config_diagnostic(each.message, each.line, is_error=each.is_error) for each in mine]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, made))

    def _complain(self, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"waypost: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log protocol errors instead of showing a window to the user; answer a body that is not JSON."""
        if is_unreadable(error) and isinstance(self.protocol, Protocol):
            self.protocol.answer_with_error(None, types.ErrorCodes.ParseError, "the body is not one JSON document")
        _log.error("%s: %s", getattr(source, "__name__", source), error)


def _problem(path: str, line: int, message: str, *, is_error: bool) -> _ConfigProblem:
    file = Path(path) if path else None
    uri = from_fs_path(str(file.absolute())) if file and file.is_file() else None
    return _ConfigProblem(uri, message, max(line, 1), is_error)


def _is_config(uri: str) -> bool:
    return uri.rpartition("/")[2] in NAMES


def make_server(project: Project, delay_s: float = DELAY_S) -> Server:
    """Server with all features registered."""
    server = Server(project, delay_s)
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.SHUTDOWN)(_shutdown)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_did_save)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_did_change_files)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_settings)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(_symbols)
    triggers = types.CompletionOptions(trigger_characters=list(completion.TRIGGERS))
    server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)(_complete)
    server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True),
    )(_code_actions)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolve)
    return server


def serve(project: Project, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve an editor until `exit`; 0 after a `shutdown` request, else 1."""
    server = make_server(project)
    try:
        server.start_io(cast("BinaryIO", Headers(stdin)), stdout)
    finally:
        server.stop()
    return 0 if server.was_shut_down else 1


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    """Use the editor's folder for the configuration, and the option `site` for links."""
    root = ls.workspace.root_path or next((to_fs_path(uri) for uri in ls.workspace.folders), None)
    given = params.initialization_options
    site = given.get("site") if isinstance(given, dict) else getattr(given, "site", None)
    ls.project.configure(home=Path(root) if root else None, site=site if isinstance(site, str) else None)


async def _initialized(ls: Server, params: types.InitializedParams) -> None:  # noqa: ARG001 - the protocol's shape
    ls.warm_up()
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching is None or not watching.dynamic_registration:
        return  # changes of the configuration then take effect on the next edit
    watchers = [types.FileSystemWatcher(glob) for glob in _WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    try:
        await ls.client_register_capability_async(
            types.RegistrationParams([types.Registration("waypost-configuration", method, options)])
        )
    except Exception:  # noqa: BLE001 - the watch is optional, whatever the editor answers
        _log.info("the editor does not report changed files")


def _shutdown(ls: Server, params: None) -> None:  # noqa: ARG001 - the protocol's shape
    ls.was_shut_down = True
    ls.stop()


def _did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    if _is_config(params.text_document.uri):
        # For editors that do not watch files.
        ls.check_all()


def _did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:  # noqa: ARG001
    ls.check_all()


def _did_change_settings(ls: Server, params: types.DidChangeConfigurationParams) -> None:  # noqa: ARG001
    ls.check_all()


async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    checked = await ls.checked_or_none(params.text_document.uri)
    if checked is None:
        return None
    offset = checked.document.offset(Position(params.position.line, params.position.character))
    found = hover.hover(checked, offset)
    if found is None:
        return None
    text, start, end = found
    return types.Hover(
        types.MarkupContent(types.MarkupKind.Markdown, text), diagnostics.range_of(checked.document, start, end)
    )


async def _symbols(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    checked = await ls.checked_or_none(params.text_document.uri)
    return symbols.symbols(checked) if checked else []


async def _complete(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    checked = await ls.checked_or_none(params.text_document.uri)
    if checked is None:
        return None
    offset = checked.document.offset(Position(params.position.line, params.position.character))
    offers = completion.completions(checked, offset)
    if offers is None:
        return None
    start, end = checked.document.position(offers.start), checked.document.position(offers.end)
    at = types.Range(diagnostics.point(start), diagnostics.point(end))
    items = [
        types.CompletionItem(
            label=offer.word,
            kind=types.CompletionItemKind.Property if offer.is_property else types.CompletionItemKind.Value,
            detail=offer.about or None,
            # Editors sort by text: the rank comes first, then the alphabet.
            sort_text=f"{offer.rank}{offer.word}",
            filter_text=offer.word,
            text_edit=types.TextEdit(at, offer.insert or offer.word),
            documentation=types.MarkupContent(types.MarkupKind.Markdown, offer.why) if offer.why else None,
            tags=[types.CompletionItemTag.Deprecated] if offer.gone else None,
        )
        for offer in offers.words
    ]
    return types.CompletionList(is_incomplete=False, items=items)


async def _code_actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    checked = await ls.checked_or_none(params.text_document.uri)
    if checked is None:
        return []
    target = ls.target(params.text_document.uri)
    document, only = checked.document, params.context.only
    made: list[types.CodeAction] = []
    if _is_requested(only, types.CodeActionKind.QuickFix):
        low, high = params.range.start, params.range.end
        start = document.byte(document.offset(Position(low.line, low.character)))
        end = document.byte(document.offset(Position(high.line, high.character)))
        made += await ls.in_thread(actions.actions, checked, target, start, end, params.context.diagnostics)
    if _is_requested(only, actions.FIX_ALL) and actions.can_fix(checked.report):
        if ls.resolves_edits:
            # The edit needs many validations and is made only when the action is chosen.
            data = {"uri": params.text_document.uri}
            made.append(types.CodeAction(title=actions.FIX_ALL_TITLE, kind=actions.FIX_ALL, data=data))
        elif action := await ls.in_thread(actions.fix_all, checked, target):
            made.append(action)
    return made


async def _resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Compute the edit of a chosen action."""
    uri = action.data.get("uri") if isinstance(action.data, dict) else getattr(action.data, "uri", None)
    if action.kind != actions.FIX_ALL or not isinstance(uri, str):
        return action
    checked = await ls.checked_or_none(uri)
    made = await ls.in_thread(actions.fix_all, checked, ls.target(uri)) if checked else None
    # An empty edit, as the editor waits for one.
    action.edit = made.edit if made else types.WorkspaceEdit()
    return action


def _is_requested(only: Sequence[str] | None, kind: str) -> bool:
    """Whether a kind of action is requested: `source` includes `source.fixAll`."""
    if only is None:
        return True
    # CodeActionKind.Empty is the root of all kinds (LSP 3.17).
    return any(kind == prefix or kind.startswith(f"{prefix}.") or not prefix for prefix in map(_value, only))


def _value(kind: str) -> str:
    return str(getattr(kind, "value", kind))
