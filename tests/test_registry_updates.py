"""Releases of the registry: what is refused changes nothing, and what is installed counts at once."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from tests.command import Run

from waypost.api import background
from waypost.errors import FetchFailed, NotReady
from waypost.models.decision import Evidence, SensitiveUrl
from waypost.net.fetch import Fetched
from waypost.registry.world import DATA, Release, World, load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.target import normalise
from waypost.service import open_service
from waypost.updates import UpdateError, load_world, read_installed
from waypost.updates.difference import difference
from waypost.updates.installed import CURRENT, FOLDER, LARGEST, PINNED, world_of
from waypost.updates.publisher import ROOT, build, create_keys

DAY = 86_400_000
NOW = int(time.time() * 1000)
SOURCES = (DATA / "sources.json").read_text("utf-8")
CLEAN = Evidence(type="threat_list_check", status="observed", id="list.miss", observed_at=NOW)


def brand(slug: str, reviewed: str = "2026-11-20", **more: object) -> str:
    domain = {"domain": f"{slug}.com", "role": "principal", "reviewed": reviewed,
              "sources": ["twofactorauth", "simple-icons"]}  # fmt: skip
    members = {"slug": slug, "names": [slug.title()], "aliases": [], "owner": slug, "categories": ["payments"],
               "countries": [], "tokens": [slug], "short_or_common_tokens": [], "official_domains": [domain],
               "further_domains": []}  # fmt: skip
    return json.dumps(members | more)


def files(*slugs: str, **changed: str) -> dict[str, str]:
    texts = {slug: brand(slug) for slug in slugs} | changed
    return {f"brands/{slug[0]}/{slug}.json": text for slug, text in texts.items()} | {"sources.json": SOURCES}


class Publisher(NamedTuple):
    """Publisher with its keys, a repository, and the data folder of someone who follows it."""

    keys: Path
    repository: Path
    data: Path

    def release(self, contents: dict[str, str], *, days: int = 90, now: int = NOW) -> None:
        build(self.repository, self.keys, contents, now=now, days=days)


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    made = Publisher(tmp_path / "keys", tmp_path / "repository", tmp_path / "data")
    create_keys(made.keys, NOW, 730)
    made.release(files("quillmart", "nettle"))
    return made


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, publisher: Publisher) -> Run:
    monkeypatch.setenv("WAYPOST_DATA", str(publisher.data))
    return partial(command, "registry")


@pytest.fixture
def following(run: Run, publisher: Publisher) -> Run:
    """Command of an operator who trusts the publisher and has its first release."""
    assert run("trust", str(publisher.keys / ROOT)).status == 0
    assert run("update", "--from", str(publisher.repository)).status == 0
    return run


def in_use(publisher: Publisher) -> bytes:
    return (publisher.data / FOLDER / CURRENT).read_bytes()


def no_part_left(publisher: Publisher) -> bool:
    return {path.name for path in (publisher.data / FOLDER).iterdir()} <= {CURRENT, PINNED, "source", ".lock"}


def test_without_a_trusted_root_an_update_gives_advice(run: Run, publisher: Publisher) -> None:
    ran = run("update", "--from", str(publisher.repository))

    assert ran.status == 3
    assert "no publisher is trusted yet" in ran.err
    assert "waypost registry trust root.json" in ran.err


def test_a_release_takes_the_place_of_the_shipped_brands(following: Run, publisher: Publisher) -> None:
    world = load_world(publisher.data)

    assert list(world.brands) == ["nettle", "quillmart"]
    assert world.release is not None
    assert world.release.version == 1
    assert world.version != load().version
    assert following("show", "quillmart", "--json").json["domains"][0]["status"] == "reviewed"
    assert following("status", "--json").json["release"] == 1


def test_a_dry_run_shows_the_difference_and_installs_nothing(following: Run, publisher: Publisher) -> None:
    before = in_use(publisher)
    moved = brand("nettle").replace("nettle.com", "nettle.example.org")
    publisher.release(files("acornpay", nettle=moved))

    ran = following("update", "--from", str(publisher.repository), "--dry-run")

    assert "release 2 would be installed" in ran.out
    assert "brands added, 1: acornpay" in ran.out
    assert "brands removed, 1: quillmart" in ran.out
    assert "nettle: nettle.com is now nettle.example.org" in ran.out
    assert in_use(publisher) == before


def test_an_update_fetches_only_the_parts_that_differ(following: Run, publisher: Publisher) -> None:
    publisher.release(files("quillmart", nettle=brand("nettle", "2026-11-28")))

    entire = len(SOURCES) + len(brand("quillmart")) + len(brand("nettle"))
    changed = following("update", "--from", str(publisher.repository), "--json").json

    assert changed["installed"] is True
    assert changed["reviews_renewed"] == ["nettle: nettle.com"]
    assert changed["fetched_bytes"] < entire / 2


def test_the_archive_of_a_release_needs_no_network(following: Run, publisher: Publisher, tmp_path: Path) -> None:
    publisher.release(files("quillmart", "acornpay"))
    alone = tmp_path / "elsewhere.zip"
    shutil.copy(publisher.repository / "registry.zip", alone)

    assert following("update", "--from", str(alone), "--json").json["brands_added"] == ["acornpay"]


Attack = Callable[[Publisher], None]


def forged(of: Publisher) -> None:
    shutil.rmtree(of.repository)
    others = of._replace(keys=of.keys.parent / "others")
    create_keys(others.keys, NOW, 730)
    others.release(files("evilmart"))
    others.release(files("evilmart"))


def forged_root(of: Publisher) -> None:
    """A further root that another root key has signed, with another key for releases."""
    others = of._replace(keys=of.keys.parent / "others")
    create_keys(others.keys, NOW, 730)
    create_keys(others.keys, NOW, 730)
    others.release(files("evilmart"))


def changed_part(of: Publisher) -> None:
    of.release(files("quillmart", "acornpay"))
    for part in (of.repository / "targets" / "brands").glob("*.a.json"):
        part.write_text(part.read_text().replace("acornpay.com", "acornpax.com"))


def rolled_back(of: Publisher) -> None:
    """A server that goes back to the first release, after the second was installed."""
    older = of.repository.parent / "older"
    shutil.copytree(of.repository, older)
    of.release(files("quillmart", "acornpay"))
    update(of)
    shutil.rmtree(of.repository)
    older.rename(of.repository)


def frozen(of: Publisher) -> None:
    """A server that goes on with a release whose time is over."""
    of.release(files("quillmart", "acornpay"), now=NOW - 100 * DAY)


def mixed(of: Publisher) -> None:
    """The parts list of one release with the timestamp of the next."""
    of.release(files("quillmart", "acornpay"))
    of.release(files("quillmart"))
    shutil.copy(of.repository / "2.targets.json", of.repository / "3.targets.json")


def cut_part(of: Publisher) -> None:
    of.release(files("quillmart", "acornpay"))
    for part in (of.repository / "targets" / "brands").glob("*.a.json"):
        os.truncate(part, 40)


def cut_timestamp(of: Publisher) -> None:
    of.release(files("quillmart", "acornpay"))
    os.truncate(of.repository / "timestamp.json", 100)


def missing_part(of: Publisher) -> None:
    of.release(files("quillmart", "acornpay"))
    for part in (of.repository / "targets" / "brands").glob("*.a.json"):
        part.unlink()


def huge_timestamp(of: Publisher) -> None:
    (of.repository / "timestamp.json").write_bytes(b" " * (1 << 20))


def huge_part(of: Publisher) -> None:
    of.release(files("quillmart", "acornpay"))
    for part in (of.repository / "targets" / "brands").glob("*.a.json"):
        part.write_bytes(part.read_bytes() + b" " * (1 << 20))


def deep(of: Publisher) -> None:
    (of.repository / "timestamp.json").write_text("[" * 10_000)


def empty(of: Publisher) -> None:
    shutil.rmtree(of.repository)
    of.repository.mkdir()


def update(of: Publisher) -> None:
    code = "from waypost.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "registry", "update", "--from", str(of.repository), "--data", str(of.data)]
    subprocess.run(words, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("attack", "message"),
    [
        (forged, "it is not signed by the publisher that is trusted here"),
        (forged_root, "it is not signed by the publisher that is trusted here"),
        (changed_part, "a part of it is not the one that was signed"),
        (rolled_back, "it is older than the one in use"),
        (frozen, "it has expired: the publisher or a server on the way withholds newer ones"),
        (mixed, "it is older than the one in use"),
        (cut_part, "a part of it is not the one that was signed"),
        (cut_timestamp, "a part of it cannot be read"),
        (missing_part, "a part of it is missing"),
        (huge_timestamp, "a part of it is larger than was signed, or than is allowed"),
        (huge_part, "a part of it is larger than was signed, or than is allowed"),
        (deep, "a part of it cannot be read"),
        (empty, "a part of it is missing"),
    ],
)
def test_a_rejected_release_changes_nothing(following: Run, publisher: Publisher, attack: Attack, message: str) -> None:
    attack(publisher)
    before = in_use(publisher)

    ran = following("update", "--from", str(publisher.repository))

    assert ran.status == 3
    assert message in ran.err
    assert in_use(publisher) == before
    assert no_part_left(publisher)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (files("nettle") | {"policies/baseline.json": "{}"}, "which a registry does not hold"),
        (files("nettle") | {"brands/n/../../policies/x.json": "{}"}, "which a registry does not hold"),
        (files(nettle=brand("nettle", official_domains=[])), "has no reviewed domain"),
        (files("nettle", pagoda=brand("nettle")), "a brand in two files"),
        (files("nettle", pagoda=brand("pagoda", tokens=["nettle"])), "the word nettle belongs to nettle too"),
        ({"brands/n/nettle.json": brand("nettle")}, "has no sources.json"),
    ],
)
def test_a_release_with_an_error_is_not_built(publisher: Publisher, contents: dict[str, str], message: str) -> None:
    with pytest.raises(UpdateError, match=message):
        publisher.release(contents)

    assert not (publisher.repository / "2.targets.json").exists()


def test_a_signed_release_with_an_error_is_rejected(
    following: Run, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.updates.publisher.world_of", lambda contents, _: SimpleNamespace(brands=contents))
    publisher.release(files("nettle") | {"policies/baseline-2026-12-02.json": "{}"})
    before = in_use(publisher)

    ran = following("update", "--from", str(publisher.repository))

    assert ran.status == 3
    assert "which a registry does not hold" in ran.err
    assert in_use(publisher) == before


@pytest.mark.parametrize("spoil", [b"not an archive", b"PK\x03\x04cut"])
def test_a_damaged_archive_is_rejected(following: Run, tmp_path: Path, spoil: bytes) -> None:
    (tmp_path / "cut.zip").write_bytes(spoil)

    assert (
        "cut.zip is not an archive of a registry, or it was cut"
        in following("update", "--from", str(tmp_path / "cut.zip")).err
    )


def test_an_oversized_archive_is_read_to_the_bound(following: Run, tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("timestamp.json", b" " * (200 << 20))
    (tmp_path / "bomb.zip").write_bytes(bomb.getvalue())

    ran = following("update", "--from", str(tmp_path / "bomb.zip"))

    assert ran.status == 3
    assert "larger than was signed, or than is allowed" in ran.err


def test_an_interrupted_write_leaves_the_release_of_before(
    following: Run, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.release(files("quillmart", "acornpay"))
    before = in_use(publisher)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("waypost.updates.installed.os.fsync", full)
    ran = following("update", "--from", str(publisher.repository))

    assert ran.status == 3
    assert in_use(publisher) == before
    assert no_part_left(publisher)


@pytest.mark.parametrize("size", [0, 10, 200, -1])
def test_a_damaged_file_stops_the_start_of_a_service(following: Run, publisher: Publisher, size: int) -> None:
    whole = in_use(publisher)
    (publisher.data / FOLDER / CURRENT).write_bytes(whole[:size])

    with pytest.raises(NotReady, match="installed registry"):
        open_service(publisher.data, offline=True)


def test_two_updates_at_once_are_made_one_after_the_other(following: Run, publisher: Publisher) -> None:
    publisher.release(files("quillmart", "acornpay"))
    code = "from waypost.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "registry", "update", "--json", "--from", str(publisher.repository)]

    both = [
        subprocess.Popen([*words, "--data", str(publisher.data)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    results = [json.loads(each.communicate()[0]) for each in both]

    assert sorted(each["installed"] for each in results) == [False, True]
    assert following("status", "--json").json["release"] == 2
    assert no_part_left(publisher)


def test_a_new_release_key_replaces_the_old_one(following: Run, publisher: Publisher) -> None:
    old = publisher.keys.parent / "old"
    shutil.copytree(publisher.keys, old)
    create_keys(publisher.keys, NOW, 730)
    publisher.release(files("quillmart", "acornpay"))
    assert following("update", "--from", str(publisher.repository)).status == 0
    stored = in_use(publisher)

    shutil.copy(old / "release-key.pem", publisher.keys / "release-key.pem")
    with pytest.raises(UpdateError, match="is not the key that root"):
        publisher.release(files("quillmart"))
    for name in (ROOT, f"1.{ROOT}"):
        shutil.copy(old / name, publisher.keys / name)
    publisher.release(files("quillmart"))

    assert "not signed by the publisher" in following("update", "--from", str(publisher.repository)).err
    assert in_use(publisher) == stored


def test_another_root_is_not_pinned_over_a_release(following: Run, publisher: Publisher, tmp_path: Path) -> None:
    create_keys(tmp_path / "others", NOW, 730)

    rejected = following("trust", str(tmp_path / "others" / ROOT))
    following("reset")

    assert rejected.status == 3
    assert "waypost registry reset" in rejected.err
    assert following("trust", str(tmp_path / "others" / ROOT)).status == 0
    assert load_world(publisher.data) is load()


def test_a_file_without_a_root_is_not_pinned(run: Run, tmp_path: Path, publisher: Publisher) -> None:
    (tmp_path / "rumour.json").write_text('{"signed": {}}')

    assert run("trust", str(tmp_path / "rumour.json")).status == 3
    assert run("trust", str(publisher.repository / "timestamp.json")).status == 3
    assert not (publisher.data / FOLDER / PINNED).exists()


def test_an_address_is_followed_by_the_guarded_client_alone(
    following: Run, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.release(files("quillmart", "acornpay"))

    def fetch(url: str, **_: object) -> Fetched:
        path = publisher.repository / url.removeprefix("https://registry.example.com/feed/")
        found = path.is_file()
        displayed = SensitiveUrl(url, "https://registry.example.com")
        body = path.read_bytes() if found else b""
        return Fetched(url=displayed, status=200 if found else 404, media_type=None, headers={}, data=body, hops=())

    monkeypatch.setattr("waypost.net.fetch.fetch", fetch)
    assert following("update", "--from", "https://registry.example.com/feed/").status == 0
    assert following("update").out.startswith("release 2 is the newest")
    assert "over https" in following("update", "--from", "http://registry.example.com/").err

    def late(*_: object, **__: object) -> Fetched:
        raise FetchFailed("registry.example.com did not answer", "timeout")

    monkeypatch.setattr("waypost.net.fetch.fetch", late)
    ran = following("update")
    assert ran.status == 3
    assert "registry.example.com did not answer" in ran.err


def test_a_running_service_uses_a_release_without_a_restart(
    following: Run, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = open_service(publisher.data, offline=True)
    logged: list[str] = []
    state: Any = SimpleNamespace(
        service=service, folder=publisher.data, logs=SimpleNamespace(outage=lambda error: logged.append(str(error)))
    )

    def reload() -> None:
        state.service = open_service(publisher.data, offline=True)

    state.reload = reload
    monkeypatch.setattr(background, "REGISTRY_POLL_S", 0.01)

    async def follow() -> None:
        task = asyncio.create_task(background._follow_registry(state))
        publisher.release(files("quillmart", "acornpay"))
        await asyncio.to_thread(following, "update", "--from", str(publisher.repository))
        while state.service is service:
            await asyncio.sleep(0.01)
        (publisher.data / FOLDER / CURRENT).write_bytes(b"damaged")
        while not logged:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()

    asyncio.run(asyncio.wait_for(follow(), 60))

    assert list(state.service.world.brands) == ["acornpay", "quillmart"]
    assert logged == ["the installed registry is of another form, or damaged"]


def decided(world: World, now: int) -> Any:
    case = DecisionInput(
        decision_id="d", target=normalise("https://quillmart.com/"), action="login", now=now, further=(CLEAN,)
    )
    return decide(case, world)


def test_an_expired_release_stops_what_it_covered(following: Run, publisher: Publisher) -> None:
    world = load_world(publisher.data)
    assert world.release is not None

    before, after = (decided(world, world.release.expires_at + add) for add in (-1, 0))

    assert before.relationship_status == "verified_official"
    assert "brand_registry_stale" not in before.unknowns
    assert after.action_allowed is False
    assert after.reason_codes == ("relationship_review_expired",)
    assert "brand_registry_stale" in after.unknowns
    (review,) = [piece for piece in after.evidence if piece.type == "registry_review"]
    assert review.detail == "release 1 of the registry has expired; update it"


def test_the_status_reports_an_expired_release(
    following: Run, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_installed(publisher.data)
    assert found is not None
    monkeypatch.setattr("waypost.cli._registry_updates.now_ms", lambda: found.header.expires_at)

    ran = following("status")

    assert "release 1 has expired, and none of its reviews is in force" in ran.out


def test_the_difference_of_equal_registries_is_empty() -> None:
    assert not any(difference(load(), load()))


def test_no_release_is_larger_than_the_bound(following: Run, publisher: Publisher) -> None:
    found = read_installed(publisher.data)
    assert found is not None
    with (publisher.data / FOLDER / CURRENT).open("ab") as file:
        file.truncate(LARGEST + 1)

    assert "larger than 64 MB" in following("status").err


def test_the_same_brands_of_another_release_are_another_world() -> None:
    worlds = [world_of(files("quillmart"), Release(version=number, expires_at=NOW)) for number in (1, 2)]

    assert worlds[0].version != worlds[1].version
