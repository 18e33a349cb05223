"""Methods of the clients, made from functions that prepare a request."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from waypost.client.errors import NoAnswer
from waypost.client.transport import Request

P = ParamSpec("P")
T = TypeVar("T")


class Sends(Protocol):
    """Client that waits for an answer."""

    def _result(self, request: Request[T], /) -> T | NoAnswer: ...


class SendsAsync(Protocol):
    """Client whose answers are awaited."""

    async def _result(self, request: Request[T], /) -> T | NoAnswer: ...


def method(prepare: Callable[P, Request[T]]) -> Callable[Concatenate[Sends, P], T]:
    """Method of `Client` to send the request prepared by a function."""

    def send(self: Sends, /, *args: P.args, **kwargs: P.kwargs) -> T:
        outcome: T | NoAnswer = self._result(prepare(*args, **kwargs))
        return or_raise(outcome)

    return _described(send, prepare)


def async_method(prepare: Callable[P, Request[T]]) -> Callable[Concatenate[SendsAsync, P], Coroutine[Any, Any, T]]:
    """Method of `AsyncClient` to send the request prepared by a function."""

    async def send(self: SendsAsync, /, *args: P.args, **kwargs: P.kwargs) -> T:
        outcome: T | NoAnswer = await self._result(prepare(*args, **kwargs))
        return or_raise(outcome)

    return _described(send, prepare)


F = TypeVar("F", bound=Callable[..., Any])


def _described(method: F, prepare: Callable[..., Any]) -> F:
    """Method with the name, docstring and signature of the function, `self` before the parameters."""
    functools.update_wrapper(method, prepare)
    signature = inspect.signature(prepare)
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    returns = str(signature.return_annotation).removeprefix("Request[").removesuffix("]")
    parameters = [self, *signature.parameters.values()]
    vars(method)["__signature__"] = signature.replace(parameters=parameters, return_annotation=returns)
    return method


def or_raise(outcome: T | NoAnswer) -> T:
    """Outcome that is an answer. Raises NoAnswer."""
    if isinstance(outcome, NoAnswer):
        raise outcome
    return outcome
