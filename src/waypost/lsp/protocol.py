"""Protocol of the language server: JSON-RPC 2.0 messages, each request of which gets an answer, and the documents.

Sources: Language Server Protocol 3.17, "Base Protocol", "Server lifecycle"; JSON-RPC 2.0, sections 4, 5; RFC 9110, 5.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r\n", re.IGNORECASE)
_MOST_BYTES = 1 << 28
"""Length of a body above which its header is not believed: memory of that size is reserved before the first byte."""


class MessageError(Exception):
    """Message that cannot be handled. `code`: of JSON-RPC or LSP; `message`: for the developer of the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Protocol(LanguageServerProtocol):
    """Protocol with an answer to every request, and without the documents of pygls, which ends lines also at form feed
    and U+2028, against the standard.
    """

    # `server.Server`, which has this protocol.
    _server: Any
    _is_initialized = False

    def structure_message(self, data: Any) -> Any:
        """Data as they are: pygls calls this for each object inside a message, and would answer none it cannot read."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a JSON document as a message. A request that cannot be handled gets an error; a notification none."""
        try:
            self._check(message)
            structured = self._structured(message)
        except MessageError as error:
            if not isinstance(message, dict) or "id" in message or "method" not in message:
                self.answer_with_error(_id_of(message), error.code, error.message)
            self._server.report_server_error(error, JsonRpcException)
            return
        if message.get("method") == types.INITIALIZE:
            self._is_initialized = True
        super().handle_message(structured)

    def answer_with_error(self, message_id: int | str | None, code: int, message: str) -> None:
        """Send an error. `message_id` is None where the request's is not known."""
        # Not by pygls, which leaves out an `id` of null, against JSON-RPC 2.0, section 5.
        self._send_data({"jsonrpc": "2.0", "id": message_id, "error": {"code": int(code), "message": message}})

    def _check(self, message: Any) -> None:
        """Check the form of a message, and whether it may come now. Raises MessageError."""
        invalid = types.ErrorCodes.InvalidRequest
        if not isinstance(message, dict):
            raise MessageError(invalid, "a message is one JSON object")
        if message.get("jsonrpc") != "2.0":
            raise MessageError(invalid, 'a message has "jsonrpc": "2.0"')
        if "method" not in message:
            if "id" not in message or not ("result" in message or "error" in message):
                raise MessageError(invalid, "a message has a method, a result or an error")
            return
        method = message["method"]
        if not isinstance(method, str):
            raise MessageError(invalid, "a method is a text")
        if "id" in message and _id_of(message) is None:
            raise MessageError(invalid, "an id is a whole number or a text")
        if not isinstance(message.get("params", {}), dict | list | None):
            raise MessageError(types.ErrorCodes.InvalidParams, "params are an object or an array")
        if method == types.EXIT:
            return
        if self._shutdown:
            raise MessageError(invalid, "the server was shut down")
        if method == types.INITIALIZE and self._is_initialized:
            raise MessageError(invalid, "the server was initialized before")
        if method != types.INITIALIZE and not self._is_initialized:
            raise MessageError(types.ErrorCodes.ServerNotInitialized, "the first request is initialize")

    def _structured(self, message: Mapping[str, Any]) -> Any:
        """Message with the types of its method. Raises MessageError."""
        try:
            return super().structure_message(dict(message))
        except Exception as error:
            method = str(message.get("method", ""))[:100]
            code = types.ErrorCodes.InvalidParams if method else types.ErrorCodes.InvalidRequest
            raise MessageError(code, f"params do not fit the method {method}" if method else "no response") from error

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.opened(params.text_document)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.changed(params)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.closed(params.text_document.uri)
        yield from ()


def is_unreadable(error: Exception) -> bool:
    """Whether an error is that of a body which is not one JSON document in UTF-8."""
    return isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)


def _id_of(message: Any) -> int | str | None:
    """Id of a request; None for none, or for one that is neither a whole number nor a text."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) else None


class Headers:
    """Input whose headers name the length of a body as pygls reads it. Names of fields have any case."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def readline(self) -> bytes:
        line = self._source.readline(_MOST_BYTES)
        if not (found := _LENGTH.fullmatch(line)):
            return line
        digits = found[1].lstrip(b"0")
        is_sane = len(digits) < 10 and int(digits or b"0") <= _MOST_BYTES
        return b"Content-Length: " + (digits or b"0") + b"\r\n" if is_sane else b"Content-Length: too large\r\n"

    def read(self, size: int) -> bytes:
        return self._source.read(size)
