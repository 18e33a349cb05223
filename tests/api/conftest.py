"""A service over a folder of its own, offline, with a clock that stands still until it is moved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litestar")
httpx = pytest.importorskip("httpx")

from tests.api import promises  # noqa: E402
from tests.postgres import ENGINES  # noqa: E402

from waypost.api.app import App, create_app  # noqa: E402
from waypost.api.settings import Settings  # noqa: E402
from waypost.api.site import Site  # noqa: E402
from waypost.api.state import ServiceState, open_state  # noqa: E402
from waypost.models.api_key import SCOPES, Key  # noqa: E402
from waypost.registry import load  # noqa: E402
from waypost.store import keys, organizations  # noqa: E402
from waypost.store.organizations import Organization  # noqa: E402
from waypost.store.wrapping import KEY_VARIABLE, new_key  # noqa: E402

NOW = 1_795_168_800_000  # 2026-11-20T10:00:00Z
SITE = "http://127.0.0.1:8000"
STORE_KEY = new_key()


_UNUSED: list[App] = []
"""Applications of closed services. Their routes take most of the time of a start, and are the same for all services."""


class Clock:
    """Milliseconds since 1970; `tick` moves it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now

    def tick(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


class Api:
    """A running service and somebody who calls it.

    acme is the operator's organization, other is another one
    """

    def __init__(self, folder: Path, registry: Any, **settings: Any) -> None:
        self.clock = Clock()
        given = {"data": str(folder), "offline": True, "log": "none", "site_url": SITE, "page_wait_s": 60, **settings}
        self.state: ServiceState = open_state(Settings(**given), registry=registry, now=self.clock)
        self._app = _UNUSED.pop() if _UNUSED else create_app(self.state)
        self._app.state, self._app.site = self.state, Site(self.state.settings)
        self.app: Any = self._app
        # A second service on the same store has the organizations of the first.
        known = self.state.store.read(organizations.find_all)
        self.acme, self.other = known[:2] if known else (self.organization("Acme"), self.organization("Other"))
        self._loop = asyncio.new_event_loop()

    def organization(self, name: str) -> Organization:
        return self.state.store.write(lambda db: organizations.create(db, name, "test", self.clock.now))

    def key(
        self, *scopes: str, organization: Organization | None = None, environment: str = "live", **more: Any
    ) -> tuple[Key, str]:
        """A key and its text; with every scope unless some are named."""
        key_request = keys.KeyRequest(
            name="test key",
            scopes=frozenset(scopes or SCOPES),
            environment=environment,
            **more,  # type: ignore[arg-type]
        )
        organization_id = (organization or self.acme).id
        made = self.state.store.write(lambda db: keys.create(db, organization_id, key_request, "test", self.clock.now))
        self.state.keyring.refresh()
        return made

    def call(self, method: str, path: str, *, key: str = "", headers: Any = None, **more: Any) -> Any:
        """One request; `key` is the text of a key."""
        (answer,) = self.together([(method, path, {"key": key, "headers": headers, **more})])
        return answer

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Result of a coroutine on the loop of the service."""
        return self._loop.run_until_complete(work)

    def together(self, requests: Sequence[tuple[str, str, dict[str, Any]]]) -> list[Any]:
        """Several requests at the same time: method, path and what else `call` takes of each."""

        async def one(method: str, path: str, key: str = "", headers: Any = None, **more: Any) -> Any:
            sent = {**({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=True, client=("192.0.2.7", 4711))
            async with httpx.AsyncClient(transport=transport, base_url=SITE) as client:
                return await client.request(method, path, headers=sent, **more)

        async def all_of_them() -> list[Any]:
            return await asyncio.gather(*(one(method, path, **more) for method, path, more in requests))

        answers = self._loop.run_until_complete(all_of_them())
        for (method, path, _), answer in zip(requests, answers, strict=True):
            promises.check_answer(self.state.registry, method, path, answer)
        return answers

    def close(self) -> None:
        async def closed() -> None:
            self.state.close()
            await self.state.pool.ended()

        self._loop.run_until_complete(closed())
        self._loop.close()
        _UNUSED.append(self._app)


@pytest.fixture(scope="session")
def registry() -> Any:
    return load()


@contextmanager
def places(engine: str, request: pytest.FixtureRequest) -> Iterator[Callable[[], dict[str, str]]]:
    """Function to the settings of a new store on an engine."""
    with ExitStack() as made:
        if engine == "sqlite":
            yield dict
        else:
            new = request.getfixturevalue("new_postgres")
            changed = made.enter_context(pytest.MonkeyPatch.context())
            changed.setenv(KEY_VARIABLE, STORE_KEY)
            yield lambda: {"store": made.enter_context(new())}


@pytest.fixture(params=ENGINES)
def open_api(request: pytest.FixtureRequest, tmp_path: Path, registry: Any) -> Iterator[Callable[..., Api]]:
    """Opens services with settings of one's own, on each engine; closes them."""
    opened: list[Api] = []
    with places(request.param, request) as new_place:

        def make(**settings: Any) -> Api:
            opened.append(Api(tmp_path / f"data{len(opened)}", registry, **(new_place() | settings)))
            return opened[-1]

        yield make
        for each in opened:
            each.close()


@pytest.fixture(scope="module", params=ENGINES)
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, registry: Any) -> Iterator[Api]:
    """One service for all tests of a module that leave nothing behind which another would meet."""
    with places(request.param, request) as new_place:
        opened = Api(tmp_path_factory.mktemp("shared"), registry, **new_place())
        yield opened
        opened.close()


@pytest.fixture
def api(open_api: Callable[..., Api]) -> Api:
    return open_api()


def codes(answer: Any) -> Iterable[str]:
    """`pointer: code` of every error in a problem."""
    return [f"{next(iter(each.values()))}: {each['code']}" for each in answer.json()["errors"]]
