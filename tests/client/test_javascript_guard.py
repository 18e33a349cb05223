"""The guard in JavaScript, around a tool, `fetch` and an MCP client: what is not allowed now, here, is not called."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

CHECK = Path(__file__).parents[2] / "examples" / "agent" / "check.mjs"
NODE = shutil.which("node")
SECRET = "s3cr3t"
SHOP, IMITATION = f"https://allow.test/{SECRET}?token={SECRET}", f"https://impersonation.test/{SECRET}"
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no node here")

BEFORE = """
const { guard, Stopped } = await import(process.argv[1]);
const [service, shop, lookAlike, elsewhere] = JSON.parse(process.argv[2]);
const options = { service, key: "wp_test_k4n4ry", timeoutMs: 5000 };
const waypost = guard(options), paid = [], told = [];
const order = async ({ checkout }) => { paid.push(new URL(checkout).hostname); return "paid"; };
const pay = waypost.tool("payment", (order) => order.checkout, order);
const mcp = new (class {
  #held = "results";
  async callTool(params) { paid.push(params.name); return this.#held; }
  async request({ method }) { paid.push(method); return this.#held; }
})();
const attempt = async (run) => {
  try { told.push(await run()); }
  catch (stop) {
    told.push({ stopped: stop instanceof Stopped, reasons: stop.reasons, text: String(stop),
                decision: stop.decision?.decision_id ?? null, other: stop.decision?.official_alternative ?? null });
  }
};
"""
AFTER = "\nconsole.log(JSON.stringify({ told, paid }));"


def run(script: str, *arguments: str) -> tuple[list[Any], list[str]]:
    """(outcomes in their order, what was called) of a script."""
    command = [str(NODE), "--input-type=module", "-e", BEFORE + script + AFTER, CHECK.as_uri(), json.dumps(arguments)]
    done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    made = json.loads(done.stdout)
    return made["told"], made["paid"]


def reasons(outcome: Any) -> list[str]:
    assert outcome["stopped"], outcome
    return list(outcome["reasons"])


@pytest.fixture
def service(serving: Any, wire: Any) -> Callable[..., Any]:
    """A service that allows every action at every host but impersonation.test."""

    def start(valid: timedelta = timedelta(minutes=5), **changed: Any) -> Any:
        def reply(line: socket.socket, request: bytes) -> None:
            sent = json.loads(request.partition(b"\r\n\r\n")[2])
            host = sent["url"].split("/")[2].partition(":")[0]
            members = {"normalized_domain": host, "action": sent["intended_action"]}
            if host == "impersonation.test":
                members |= {
                    "action_allowed": False,
                    "relationship_status": "suspected_impersonation",
                    "reason_codes": ["brand_impersonation_signal"],
                    "official_alternative": "https://allow.test/",
                }
            members["expires_at"] = wire.written(datetime.now(UTC) + valid)
            line.sendall(wire.decided(**(members | changed)))

        return serving(reply)

    return start


def moved(wire: Any, status: int, to: str) -> bytes:
    return bytes(wire.answer(status, b"", f"Location: {to}"))


def test_allowed_payments_happen_and_a_lookalike_is_not_paid(service: Any) -> None:
    reported, paid = run(
        "await attempt(() => pay({ checkout: shop })); await attempt(() => pay({ checkout: lookAlike }));"
        "told.push(pay.name);",
        service().url,
        SHOP,
        IMITATION,
    )

    assert (reported[0], reported[2], paid) == ("paid", "order", ["allow.test"])
    assert reasons(reported[1]) == ["brand_impersonation_signal"]
    assert (reported[1]["other"], bool(reported[1]["decision"])) == ("https://allow.test/", True)


def test_without_the_guard_the_imitation_is_paid(service: Any) -> None:
    _, paid = run("await order({ checkout: lookAlike });", service().url, SHOP, IMITATION)
    assert paid == ["impersonation.test"]


def test_an_allow_serves_until_expiry_and_is_requested_again(service: Any) -> None:
    lasting, brief = service(), service(timedelta(seconds=1))
    script = """
    await attempt(() => pay({ checkout: shop })); await attempt(() => pay({ checkout: shop }));
    const now = Date.now; Date.now = () => now() + 2000;
    await attempt(() => pay({ checkout: shop }));"""

    assert run(script, lasting.url, SHOP)[1] == ["allow.test"] * 3
    reported, paid = run(script, brief.url, SHOP)

    # By the clock that was moved on, the second answer of the brief service has expired too.
    assert (len(lasting.seen), len(brief.seen)) == (1, 2)
    assert (reported[:2], reasons(reported[2]), len(paid)) == (["paid", "paid"], ["expired"], 2)


def test_the_details_of_a_payment_are_sent_and_separate_allows(service: Any) -> None:
    lasting = service()
    script = """
    const details = (order) => ({ amount: order.amount, payee: { type: "iban", id: order.iban } });
    const bound = waypost.tool("payment", (order) => order.checkout, order, details);
    const amount = { currency: "EUR", value: 1999, cap: 2500 };
    await attempt(() => bound({ checkout: shop, amount, iban: "DE1" }));
    await attempt(() => bound({ checkout: shop, amount, iban: "DE1" }));
    await attempt(() => bound({ checkout: shop, amount, iban: "DE2" }));
    await attempt(() => waypost.require(shop, "payment", { amonut: 1 }));"""

    reported, paid = run(script, lasting.url, SHOP)

    sent = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in lasting.seen]
    assert [each["payee"]["id"] for each in sent] == ["DE1", "DE2"]
    assert sent[0]["amount"] == {"currency": "EUR", "value": 1999, "cap": 2500}
    assert paid == ["allow.test"] * 3
    assert reasons(reported[3]) == ["unknown_detail"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"reason_codes": ["merchant_declared"]}, None),
        ({"reason_codes": ["merchant_declared"], "unknowns": ["tls_not_checked"]}, "contradiction"),
        ({"reason_codes": ["merchant_declared", "amount_not_permitted"]}, "contradiction"),
        ({"reason_codes": ["official_relationship_verified"]}, "contradiction"),
    ],
)
def test_a_declared_merchant_is_paid_for_its_own_reason(service: Any, changed: Any, reason: str | None) -> None:
    members = {"unknowns": ["official_relationship_not_confirmed"], **changed}
    line = service(relationship_status="declared_merchant", confidence_class="medium", **members)

    reported, paid = run("await attempt(() => pay({ checkout: shop }));", line.url, SHOP)

    if reason is None:
        assert paid == ["allow.test"]
    else:
        assert (reasons(reported[0]), paid) == ([reason], [])


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"action": "login"}, "other_action"),
        ({"normalized_domain": "other.test"}, "other_destination"),
        ({"action_allowed": False}, "official_relationship_verified"),
        ({"relationship_status": "disputed"}, "contradiction"),
        ({"reason_codes": []}, "contradiction"),
        ({"confidence_class": "splendid"}, "unknown_value"),
        ({"expires_at": "2020-01-01T00:00:00.000Z"}, "expired"),
        ({"action_allowed": "true"}, "unreadable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_answer_but_a_plain_allow_stops(service: Any, changed: dict[str, Any], reason: str) -> None:
    reported, paid = run("await attempt(() => pay({ checkout: shop }));", service(**changed).url, SHOP)
    assert (reasons(reported[0]), paid) == ([reason], [])


def test_invalid_urls_and_an_absent_service_stop(service: Any) -> None:
    each = "for (const url of [undefined, null, 5, '', 'no url', {}]) await attempt(() => pay({ checkout: url }));"

    reported, paid = run(each, service().url)
    away, paid_away = run("await attempt(() => pay({ checkout: shop }));", "http://127.0.0.1:1", SHOP)

    assert ([reasons(one) for one in reported], paid) == ([["invalid_url"]] * 6, [])
    assert (reasons(away[0]), paid_away) == (["no_answer"], [])


def test_a_url_in_which_programs_read_different_hosts_stops(service: Any) -> None:
    """`fetch` goes to the host before the backslash, an MCP server in Python to the one behind it."""
    each = r"""
    for (const url of ["https://allow.test\\@impersonation.test/", "https:\\\\allow.test/", "https:/\\allow.test/"]) {
      await attempt(() => pay({ checkout: url }));
      await attempt(() => waypost.client(mcp, { pay: { action: "payment", url: "to" } })
        .callTool({ name: "pay", arguments: { to: url } }));
      await attempt(() => waypost.require(url, "payment"));
    }"""

    reported, paid = run(each, service().url)

    assert ([reasons(one) for one in reported], paid) == ([["invalid_url"]] * 9, [])


def test_each_url_is_checked_before_the_first_is_paid(service: Any) -> None:
    script = """
    const all = waypost.tool("payment", (order) => order.to, async ({ to }) => { paid.push(...to); return "paid"; });
    for (const to of [[shop, shop], [shop, lookAlike], [lookAlike, shop], [], [shop, null]]) {
      await attempt(() => all({ to }));
    }
    paid.splice(0, 2);"""

    reported, paid = run(script, service().url, SHOP, IMITATION)

    assert (reported[0], paid) == ("paid", [])
    assert [reasons(one) for one in reported[1:]] == [["brand_impersonation_signal"]] * 2 + [["invalid_url"]] * 2


def test_arguments_that_change_while_the_answer_is_awaited_stop(service: Any) -> None:
    script = """
    const basket = { checkout: shop }, made = pay(basket);
    basket.checkout = lookAlike;
    await attempt(() => made);
    const params = { name: "pay", arguments: { to: shop } }, seen = [];
    const inner = { callTool: async (sent) => { seen.push(sent.arguments.to === shop); return "called"; } };
    const call = waypost.client(inner, { pay: { action: "payment", url: "to" } }).callTool(params);
    params.arguments.to = lookAlike;
    await attempt(() => call); told.push(seen);"""

    reported, paid = run(script, service().url, SHOP, IMITATION)

    assert (reasons(reported[0]), paid, reported[1:]) == (["other_destination"], [], ["called", [True]])


def test_fetch_checks_first_and_never_changes_its_host(service: Any, serving: Any, wire: Any) -> None:
    decides, other = service(), serving(wire.answer(200, b"{}"))
    elsewhere = other.url.replace("127.0.0.1", "localhost")
    shop = serving(moved(wire, 307, f"{elsewhere}/pay"))
    send = "const send = (through) => through(shop, { method: 'POST', body: '4 EUR' }).then((got) => got.status);"
    script = """
    await attempt(() => send(waypost.fetch("payment")));
    await attempt(() => waypost.fetch("payment")(shop, { redirect: "manual" }).then((got) => got.status));
    await attempt(() => waypost.fetch("payment")(lookAlike));"""

    reported, _ = run(send + script, decides.url, shop.url, IMITATION)

    assert (reasons(reported[0]), reported[1], other.seen) == (["redirects_elsewhere"], 307, [])
    assert reasons(reported[2]) == ["brand_impersonation_signal"]
    # Without the guard the other host gets the payment.
    assert run(send + "await attempt(() => send(fetch));", decides.url, shop.url)[0] == [200]
    assert other.seen[0].endswith(b"4 EUR")


@pytest.mark.parametrize(("status", "method", "body"), [(307, b"POST", b"4 EUR"), (303, b"GET", b"")])
def test_fetch_follows_one_host_and_checks_each_address(
    service: Any, serving: Any, wire: Any, status: int, method: bytes, body: bytes
) -> None:
    decides, target = service(), serving(wire.answer(200, b"{}"))
    shop = serving(moved(wire, status, f"{target.url}/next"))
    script = """
    const sent = { method: "POST", body: "4 EUR", headers: { authorization: "Bearer shop", "x-kept": "1" } };
    await attempt(() => waypost.fetch("payment")(shop, sent).then((got) => got.status));"""

    reported, _ = run(script, decides.url, shop.url)

    head, _, got = target.seen[0].partition(b"\r\n\r\n")
    assert (reported, len(decides.seen), head.split(b" ")[0], got) == ([200], 2, method, body)
    # The port is another one, so it is another origin: credentials stay behind.
    assert (b"bearer shop" in head.lower(), b"x-kept: 1" in head.lower()) == (False, True)


def test_fetch_that_is_led_in_a_circle_stops(service: Any, serving: Any, wire: Any) -> None:
    shop = serving(moved(wire, 302, "/again"))
    reported, _ = run('await attempt(() => waypost.fetch("visit")(shop));', service().url, shop.url)
    assert (reasons(reported[0]), len(shop.seen)) == (["redirect_target_not_checked"], 6)


def test_an_mcp_tool_is_called_only_as_declared(service: Any) -> None:
    script = """
    const client = waypost.client(mcp, { pay: { action: "payment", url: "checkout" }, list_orders: null });
    const call = (name, given) => attempt(() => client.callTool({ name, arguments: given }));
    await call("pay", { checkout: shop }); await call("list_orders", {});
    await call("pay", { checkout: lookAlike }); await call("pay", {}); await call("wipe", {}); await call("toString");
    await attempt(() => client.request({ method: "tools/call", params: { name: "wipe" } }));
    await attempt(() => client.request({ method: "tools/list" }));"""

    reported, paid = run(script, service().url, SHOP, IMITATION)

    assert reported[:2] == ["results", "results"]
    assert [reasons(one) for one in reported[2:7]] == [
        ["brand_impersonation_signal"],
        ["invalid_url"],
        *[["undeclared_tool"]] * 3,
    ]
    assert paid == ["pay", "list_orders", "tools/list"]
