"""Two organizations do what they please over the wire; neither ever meets anything of the other's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule
from tests.api.conftest import Api

from waypost.models.api_key import SCOPES
from waypost.registry import load

WHO = st.sampled_from(["acme", "other"])
LISTS = ("/v1/keys", "/v1/review-queue", "/v1/audit-events", "/v1/snippets/news")


class Tenants(RuleBasedStateMachine):
    """What an organization made is read by it, and is not there for the other; what it revoked is over."""

    made: Bundle[Any] = Bundle("made")

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.api = Api(Path(self.folder.name), load())
        self.admins = {
            "acme": self.api.key(organization=self.api.acme)[1],
            "other": self.api.key(organization=self.api.other)[1],
        }
        self.ids: dict[str, set[str]] = {"acme": set(), "other": set()}
        self.live: dict[str, tuple[str, frozenset[str]]] = {}

    def teardown(self) -> None:
        if hasattr(self, "api"):
            self.no_list_and_no_search_reveals_the_other()
            self.api.close()
            self.folder.cleanup()

    def call(self, who: str, method: str, path: str, **more: Any) -> Any:
        self.api.clock.tick(10)  # so that no limit is met
        answer = self.api.call(method, path, key=self.admins[who], **more)
        assert answer.status_code < 500, answer.text
        return answer

    def remember(self, who: str, path: str, name: str) -> tuple[str, str]:
        self.ids[who].add(name)
        return who, path

    @rule(target=made, who=WHO, scopes=st.sets(st.sampled_from(SCOPES), min_size=1))
    def make_a_key(self, who: str, scopes: set[str]) -> Any:
        answer = self.call(who, "POST", "/v1/keys", json={"name": "k", "scopes": sorted(scopes)}).json()
        self.live[answer["id"]] = (answer["key"], frozenset(scopes))
        return self.remember(who, f"/v1/keys/{answer['id']}", answer["id"])

    @rule(target=made, who=WHO, name=st.sampled_from(["Ferry", "Harbour"]))
    def store_a_document(self, who: str, name: str) -> Any:
        body = {"document": {"@type": "NewsArticle", "name": f"{name} of {who}"}, "store": True}
        answer = self.call(who, "POST", "/v1/snippets/news", json=body)
        return self.remember(who, answer.headers["location"], answer.json()["id"])

    @rule(target=made, who=WHO, host=st.sampled_from(["a", "b"]))
    def submit_a_claim(self, who: str, host: str) -> Any:
        claim = {"entity": {"name": f"Owner {who}"}, "domain": f"{host}.{who}.example.com",
                 "relationship_type": "official_site"}  # fmt: skip
        answer = self.call(who, "POST", "/v1/relationships", json=claim)
        return self.remember(who, answer.headers["location"], answer.json()["relationship_id"])

    @rule(target=made, who=WHO)
    def request_and_object(self, who: str) -> Any:
        request_body = {"url": f"https://{who}.example.com/", "intended_action": "payment"}
        decision = self.call(who, "POST", "/v1/agent-safety", json=request_body).json()
        words = {"claim": "other", "statement": "no"}
        answer = self.call(who, "POST", decision["dispute_path"], json=words)
        self.remember(who, "", decision["decision_id"])
        return self.remember(who, answer.headers["location"], answer.json()["dispute_id"])

    @rule(what=made)
    def what_is_ones_own_is_read_and_what_is_anothers_is_not_there(self, what: tuple[str, str]) -> None:
        who, path = what
        stranger = "other" if who == "acme" else "acme"

        assert self.call(who, "GET", path).status_code == 200
        assert self.call(stranger, "GET", path).status_code == 404

    @rule(what=made, step=st.sampled_from(["/rotate", "/revoke", "/withdraw", "/approve", "/uphold"]))
    def nothing_can_be_done_to_what_is_anothers(self, what: tuple[str, str], step: str) -> None:
        who, path = what
        stranger = "other" if who == "acme" else "acme"
        path = path.replace("/v1/relationships/", "/v1/review-queue/") if step in {"/approve", "/uphold"} else path

        answer = self.call(stranger, "POST", f"{path}{step}", json={"reason": "x"} if "review" in path else None)

        assert answer.status_code in {404, 405}

    @rule(what=made)
    def a_revoked_key_is_over(self, what: tuple[str, str]) -> None:
        who, path = what
        name = path.rpartition("/")[2]
        if name in self.live:
            assert self.call(who, "DELETE", path).status_code == 200
            del self.live[name]

    @rule()
    def a_key_opens_only_its_scopes(self) -> None:
        for text, scopes in self.live.values():
            self.api.clock.tick(10)
            request_body = self.api.call("GET", "/v1/domain?domain=a.example.com", key=text)
            assert request_body.status_code == (200 if "domain" in scopes else 403)

    @rule()
    def no_list_and_no_search_reveals_the_other(self) -> None:
        for who, stranger in (("acme", "other"), ("other", "acme")):
            texts = [self.call(who, "GET", f"{path}?limit=100").text for path in LISTS]
            texts.append(self.call(who, "GET", "/v1/search?q=owner").text)
            texts.append(self.call(who, "GET", "/v1/search?q=of").text)
            # Disputes about decisions that rest on nothing of an organization's own are the operator's to review.
            reviewed = {each for each in self.ids[stranger] if who == "acme" and self._is_dispute(each, stranger)}
            for text in texts:
                assert not [each for each in self.ids[stranger] - reviewed if f'"{each}"' in text]

    def _is_dispute(self, name: str, who: str) -> bool:
        return any(self.call(who, "GET", f"/v1/{kind}/{name}").status_code == 200 for kind in ("disputes", "decisions"))


Tenants.TestCase.settings = settings(
    max_examples=4,
    stateful_step_count=14,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTenants = Tenants.TestCase
