"""`waypost check` from end to end, its name server, certificates, pages and registry all on loopback."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import msgspec
import pytest

from waypost.cli import main
from waypost.net.resolve import SystemResolver
from waypost.registry.world import World, load
from waypost.service import network
from waypost.store import open_store

BRANDS = Path(__file__).parent.parent / "cases" / "signals" / "brands"
CANARY = "k4n4ry"
SIGN_IN = "<title>Quillmart: sign in</title><form><input type=password></form>"
COPY = '{"@context": "https://schema.org", "@type": "Organization", "name": "Quillmart", "url": "%s"}'
DAY_MS = 86_400_000


def small_world() -> World:
    """The shipped world with brands that nobody owns."""
    shipped = {path: data for path, data in load().files.items() if not path.startswith(("brands/", "sites.json"))}
    brands = {f"brands/x/{path.name}": path.read_bytes() for path in BRANDS.glob("*.json")}
    return World(shipped | brands | {"sites.json": b'{"sites": []}'})


WORLD = small_world()


def reply(wire: bytes) -> bytes:
    """Every name is on loopback, but for those that begin with `no`."""
    question = dns.message.from_wire(wire)
    (resolver,) = question.question
    answer = dns.message.make_response(question)
    answer.flags |= dns.flags.RA
    if resolver.name.to_text().startswith("no"):
        answer.set_rcode(dns.rcode.NXDOMAIN)
    elif resolver.rdtype == dns.rdatatype.A:
        answer.answer = [dns.rrset.from_text(resolver.name, 300, "IN", "A", "127.0.0.1")]
    return answer.to_wire()


@pytest.fixture
def resolver() -> Iterator[SystemResolver]:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            wire, sender = server.recvfrom(4096)
            if not wire:
                return
            server.sendto(reply(wire), sender)

    thread = threading.Thread(target=serve)
    thread.start()
    request_body = dns.asyncresolver.Resolver(configure=False)
    request_body.nameservers, request_body.port = ["127.0.0.1"], server.getsockname()[1]
    yield SystemResolver(request_body)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as farewell:
        farewell.sendto(b"", server.getsockname())
    thread.join()
    server.close()


class Place:
    """A data folder, and a network in which every host is the one server that `serve` started."""

    def __init__(self, world: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.world, self.folder, self._capsys = world, folder, capsys
        self.port = 0

    def serve(self, page: str = "<p>welcome", certificate: str = "good") -> Any:
        server = self.world.server(self.world.page(page.encode()), certificate)
        self.port = server.port
        return server

    def run(self, *words: str) -> tuple[int, str, str]:
        status = main([*words, "--data", str(self.folder)])
        return status, *self._capsys.readouterr()

    def url(self, host: str, credentials: str = "") -> str:
        return f"https://{credentials}{host}:{self.port}/{CANARY}?{CANARY}={CANARY}#{CANARY}"

    def check(self, host: str, *words: str, action: str = "payment") -> tuple[int, dict[str, Any]]:
        status, out, _ = self.run("check", self.url(host), "--action", action, "--json", "--within", "5", *words)
        return status, json.loads(out)

    def add_feed(self, *hosts: str) -> None:
        source = self.folder / "list.txt"
        source.write_text("\n".join(["bad.example", *hosts]) + "\n")
        status, _, error = self.run("feeds", "add", "list", str(source))
        assert status == 0, error

    def accept(self, domain: str, kind: str, *reviewers: str) -> None:
        words = ("review", "submit", domain, "--entity", "A shop", "--type", kind, "--json", "--as", "ann")
        filed = json.loads(self.run(*words)[1])["relationship_id"]
        assert [self.run("review", "accept", filed, "--as", each, "--offline")[0] for each in reviewers] == [0] * len(
            reviewers
        )


@pytest.fixture
def place(
    world: Any,
    resolver: SystemResolver,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Place:
    registered = {
        "objectClassName": "domain",
        "events": [{"eventAction": "registration", "eventDate": "2020-02-03T04:05:06Z"}],
    }
    body = msgspec.json.encode(registered)
    head = f"HTTP/1.1 200 OK\nContent-Type: application/rdap+json\nContent-Length: {len(body)}"
    registry = world.server(world.replies(head, body), "good")
    registries = {"test": f"https://pay.shop.test:{registry.port}/"}
    observe = network(registries, resolver=resolver, policy=world.policy, trust=world.trust)
    monkeypatch.setattr("waypost.service.opening.network", lambda *_: observe)
    monkeypatch.setattr("waypost.registry.world.load", lambda: WORLD)
    monkeypatch.delenv("WAYPOST_SERVICE", raising=False)
    made = Place(world, tmp_path / "data", capsys)
    made.folder.mkdir()
    return made


def moment(text: str) -> float:
    assert datetime.fromisoformat(text).tzinfo == UTC
    assert text.endswith("Z")
    assert text[-5] == "."
    return datetime.fromisoformat(text).timestamp()


def apart(decision: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """The decision without what differs from one time to the next, and how many seconds it holds."""
    assert len(decision.pop("decision_id")) == 36
    return decision, moment(decision.pop("expires_at")) - time.time()


def test_an_impersonating_host_is_stopped_with_specified_fields(place: Place) -> None:
    place.serve(SIGN_IN)
    place.add_feed()

    status, report = place.check("quillmart-login.test")

    assert list(report) == [
        "decision_id",
        "normalized_domain",
        "relationship_status",
        "risk_status",
        "action",
        "action_allowed",
        "reason_codes",
        "official_alternative",
        "confidence_class",
        "unknowns",
        "expires_at",
    ]
    decision, holds_s = apart(report)
    assert status == 1
    assert decision == {
        "normalized_domain": "quillmart-login.test",
        "relationship_status": "suspected_impersonation",
        "risk_status": "high_risk_signal_observed",
        "action": "payment",
        "action_allowed": False,
        "reason_codes": ["brand_impersonation_signal"],
        "official_alternative": "https://quillmart.example/",
        "confidence_class": "medium",
        "unknowns": [],
    }
    assert 0 < holds_s <= 86_400


def test_an_unknown_host_is_stopped_with_specified_fields(place: Place) -> None:
    place.serve()
    place.add_feed()

    status, report = place.check("shop.test", "--include", "evidence_summary,policy_version")

    decision, holds_s = apart(report)
    evidence = decision.pop("evidence_summary")
    assert status == 1
    assert decision == {
        "normalized_domain": "shop.test",
        "relationship_status": "unverified",
        "risk_status": "no_high_risk_signal_observed",
        "action": "payment",
        "action_allowed": False,
        "reason_codes": ["no_decisive_signal"],
        "policy_version": "baseline-2026-11-29",
        "confidence_class": "medium",
        "unknowns": ["official_relationship_not_confirmed"],
    }
    observed = {each["type"] for each in evidence if each["status"] == "observed"}
    assert {"automated_network_check", "registration_data_check", "threat_list_check", "lexical_check"} <= observed
    assert 0 < holds_s <= 120


def test_a_verified_destination_with_all_required_evidence_is_allowed(place: Place) -> None:
    place.serve()
    place.add_feed()

    status, report = place.check("acme.test", "--policy", "strict")

    decision, holds_s = apart(report)
    assert status == 0
    assert decision == {
        "normalized_domain": "acme.test",
        "relationship_status": "verified_official",
        "risk_status": "no_high_risk_signal_observed",
        "action": "payment",
        "action_allowed": True,
        "reason_codes": ["official_relationship_verified"],
        "confidence_class": "high",
        "unknowns": ["page_content_not_inspected"],
    }
    assert 0 < holds_s <= 300


def test_a_review_by_two_operators_permits_a_payment(place: Place) -> None:
    place.serve()
    place.add_feed()
    place.accept("shop.test", "official_payment", "bea", "cleo")

    status, decision = place.check("shop.test")

    assert (status, decision["relationship_status"]) == (0, "verified_official")


def test_a_review_by_one_permits_uploads_and_no_payment(place: Place) -> None:
    place.serve()
    place.add_feed()
    place.accept("shop.test", "official_site", "bea")

    assert place.check("shop.test", action="upload")[0] == 0
    assert place.check("shop.test", action="payment")[0] == 1
    assert "A second reviewer confirms it" in place.run("check", place.url("shop.test"), "--action", "payment")[1]


def test_without_a_list_baseline_permits_a_payment_openly(place: Place) -> None:
    place.serve()
    open_store(place.folder).close()

    assert place.check("acme.test")[1]["unknowns"] == ["threat_list_not_configured", "page_content_not_inspected"]
    assert place.check("acme.test", "--policy", "strict")[0] == 1


@pytest.mark.parametrize("host", ["acme.test", "shop.test"])
def test_a_host_of_a_list_is_stopped(place: Place, host: str) -> None:
    place.serve()
    place.add_feed(host)

    status, decision = place.check(host, action="visit")

    assert status == 1
    assert decision["risk_status"] == "high_risk_signal_observed"
    assert "threat_list_match" in decision["reason_codes"]


def test_reviews_that_are_not_trusted_verify_nothing(place: Place) -> None:
    place.serve()
    place.add_feed()

    assert place.check("acme.test", "--no-shipped-reviews")[0] == 1


def test_the_name_of_a_brand_alone_does_not_accuse(place: Place) -> None:
    place.serve()
    place.add_feed()

    status, decision = place.check("quillmart-login.test")

    assert status == 1
    assert decision["relationship_status"] == "unverified"


def test_a_copied_page_gives_itself_away(place: Place) -> None:
    place.serve(f'{SIGN_IN}<script type="application/ld+json">{COPY % "https://quillmart.example/"}</script>')
    place.add_feed()

    status, decision = place.check("shop.test", "--include", "evidence_summary")

    assert status == 1
    assert decision["relationship_status"] == "suspected_impersonation"
    assert decision["reason_codes"] == ["brand_impersonation_signal"]
    assert decision["official_alternative"] == "https://quillmart.example/"
    codes = [each.get("summary_code") for each in decision["evidence_summary"]]
    assert "structured_data_claims_other_domain" in codes


def test_page_that_names_a_brand_is_a_claim_only(place: Place) -> None:
    place.serve(f'<script type="application/ld+json">{COPY % "https://shop.test/"}</script>')
    place.add_feed()

    status, decision = place.check("shop.test")

    assert status == 1
    assert decision["relationship_status"] == "claimed_unreviewed"
    assert decision["reason_codes"] == ["relationship_claim_unreviewed"]
    assert decision["unknowns"] == ["official_relationship_not_confirmed"]


def test_a_page_after_a_redirect_claims_nothing_for_destinations(place: Place) -> None:
    copied = place.serve(f'<script type="application/ld+json">{COPY % "https://quillmart.example/"}</script>')
    leading = place.world.server(place.world.sends_to(f"https://shop.test:{copied.port}/"), "good")
    place.port = leading.port
    place.add_feed()

    decision = place.check("acme.test")[1]

    assert decision["relationship_status"] == "verified_official"
    assert decision["action_allowed"] is False
    assert "redirect_to_other_domain" in decision["reason_codes"]


@pytest.mark.parametrize(
    ("host", "certificate", "unknown"),
    [("nowhere.test", "good", "dns_not_resolved"), ("acme.test", "self-signed", "http_not_fetched")],
)
def test_unobserved_evidence_is_reported_and_allows_nothing(
    place: Place, host: str, certificate: str, unknown: str
) -> None:
    place.serve(certificate=certificate)
    place.add_feed()

    status, decision = place.check(host)

    assert status == 1
    assert unknown in decision["unknowns"]


@pytest.mark.parametrize(("host", "policy", "allowed"), [
    ("acme.test", "strict", True), ("acme.test", "strict-2026-12-02", False), ("shop.test", "strict", False),
])  # fmt: skip
def test_a_front_page_that_hangs_stops_unreviewed_hosts_alone(
    place: Place, host: str, policy: str, allowed: bool
) -> None:
    place.port = place.world.server(lambda to, _: to.recv(1), "good").port
    place.add_feed()

    status, decision = place.check(host, "--within", "0.3", "--policy", policy)

    assert (status == 0) is allowed is decision["action_allowed"]
    assert "http_not_fetched" in decision["unknowns"]


def test_a_disputed_relationship_stops_at_once(place: Place) -> None:
    place.serve()
    place.add_feed()
    place.accept("shop.test", "official_site", "bea")
    (found,) = json.loads(place.run("review", "list", "--json")[1])
    place.run("review", "dispute", found["id"], "--reason", "sold", "--as", "cleo")

    status, decision = place.check("shop.test", action="visit")

    assert (status, decision["reason_codes"]) == (1, ["relationship_disputed"])


def test_a_recorded_decision_repeats_exactly_without_store_or_network(place: Place, tmp_path: Path) -> None:
    place.serve(f'<script type="application/ld+json">{COPY % "https://quillmart.example/"}</script>')
    place.add_feed()
    record = tmp_path / "record.json"
    _, first = place.check("shop.test", "--record", str(record))
    place.world.close()
    place.folder = tmp_path / "empty"

    status, out, output = place.run("check", "--replay", str(record), "--json")

    answer = json.loads(out)
    assert answer.pop("recorded")["file"] == str(record)
    assert (status, answer) == (1, first)
    assert "to the letter" in output
    assert "Quillmart" not in record.read_text().replace("calls itself Quillmart", "")


def test_only_the_host_of_a_url_is_ever_written(place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A canary stands in the path, the query, the fragment and the credentials of every URL."""
    caplog.set_level(logging.DEBUG)
    server = place.serve()
    place.add_feed()
    place.accept("shop.test", "official_site", "bea")
    urls = [place.url(host, f"{CANARY}:{CANARY}@") for host in ("shop.test", "quillmart-login.test", "nowhere.test")]
    urls += [place.url("acme.test", f"{CANARY}.example.com:{CANARY}@"), place.url("acme.test")]
    spoiled = [
        f"ftp://shop.test/{CANARY}",
        f"https://{CANARY}@/{CANARY}",
        f"https://shop.test:99999/{CANARY}",
        f"//shop.test/{CANARY}",
    ]
    batch = tmp_path / "urls.txt"
    batch.write_text("\n".join([*urls, *spoiled]))
    reported = []

    for url in (*urls, *spoiled):
        for words in ((), ("--json",), ("--explain",), ("--offline", "--json", "--explain")):
            reported += place.run("check", url, "--action", "payment", *words)[1:]
        reported += place.run("check", url, "--record", str(tmp_path / f"{len(reported)}.json"))[1:]
        reported += place.run("check", url, url)[1:]
        reported += place.run("check", "https://shop.test/", "--action", url)[1:]
        reported += place.run("check", "https://shop.test/", "--policy", url)[1:]
        reported += place.run("check", "--batch", url if "://" in url else f"https://{url}")[1:]
        reported += place.run("check", "--replay", str(batch), url)[1:]
    reported += place.run("check", "--batch", str(batch), "--action", "login")[1:]
    reported += place.run("check", "--batch", str(batch), "--action", "login", "--json", "--explain")[1:]
    batch.unlink()

    stored = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(stored) >= 6
    assert all(CANARY.encode() not in each for each in stored)
    assert [each for each in reported if CANARY in each] == []
    assert CANARY not in caplog.text
    assert server.requests
    assert all(CANARY.encode() not in each for each in server.requests)
