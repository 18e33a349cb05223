"""What is kept between runs: a warm run says what a cold one says, whatever has changed, and costs nobody anything."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from waypost import validate
from waypost.cli import main
from waypost.lint import cache as caches
from waypost.models.finding import FileReport
from waypost.models.page import Page
from waypost.registry import registry as registries
from waypost.registry import shared_registry

FAULTY = '{"@context": "https://schema.org", "@type": "Book", "name": "x", "datecreated": "2026-01-01"}'
OFFER = (
    '{"@context": "https://schema.org", "@type": "Product", "name": "x", "offers": {"@type": "Offer", "price": 1,'
    ' "priceCurrency": "EUR", "priceValidUntil": "2026-11-20T12:00:00Z"}}'
)
LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    shared_registry.cache_clear()


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were judged, in this process."""
    seen: list[str] = []
    validate_parsed = validate.validate_parsed

    def noted(page: Page, *args: Any, **options: Any) -> FileReport:
        seen.append(page.path)
        return validate_parsed(page, *args, **options)

    monkeypatch.setattr(validate, "validate_parsed", noted)
    return seen


def write(name: str, text: str = FAULTY, changed_ns: int = LONG_AGO) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    os.utime(name, ns=(changed_ns, changed_ns))


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    main(["validate", "--json", "--now", "2026-11-20", *argv])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def rules(report: dict[str, Any]) -> list[list[str]]:
    return [[each["rule"] for each in file["findings"]] for file in report["files"]]


def test_a_second_run_checks_nothing_and_reports_the_same(
    capsys: pytest.CaptureFixture[str], checked: list[str]
) -> None:
    write("site/a.jsonld")
    write("site/b.html", f'<script type="application/ld+json">{FAULTY}</script>')
    write("site/package.json", '{"name": "no page"}')
    Path("site/c.jsonld.gz").write_bytes(gzip.compress(FAULTY.encode()))

    cold = run(capsys, "site", "--cache", "kept")
    first = list(checked)
    warm = run(capsys, "site", "--cache", "kept")

    assert warm == cold == run(capsys, "site")
    assert first == checked[: len(first)] == ["site/a.jsonld", "site/b.html", "site/c.jsonld.gz"]
    assert len(checked) == 2 * len(first), "only the run without a cache judged again"
    assert warm["summary"]["skipped"] == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_share_it(capsys: pytest.CaptureFixture[str], checked: list[str], jobs: str) -> None:
    for number in range(45):
        write(f"site/{number}.jsonld")

    cold = run(capsys, "site", "--cache", "kept", "--jobs", jobs)
    checked.clear()

    assert run(capsys, "site", "--cache", "kept") == cold
    assert checked == []


def test_a_page_that_was_edited_is_checked_again(capsys: pytest.CaptureFixture[str], checked: list[str]) -> None:
    write("site/a.jsonld")
    write("site/b.jsonld")
    run(capsys, "site", "--cache", "kept")
    checked.clear()
    write("site/b.jsonld", FAULTY.replace("datecreated", "dateCreated"), LONG_AGO + 1)

    report = run(capsys, "site", "--cache", "kept")

    assert checked == ["site/b.jsonld"]
    assert report == run(capsys, "site")
    assert "property-wrong-case" not in rules(report)[1]


def test_strictly_the_bytes_count_and_not_the_stamp(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.jsonld")
    run(capsys, "a.jsonld", "--cache", "kept")
    node = Path("a.jsonld").stat().st_ino
    with Path("a.jsonld").open("r+", encoding="utf-8") as file:
        file.write(FAULTY.replace("datecreated", "dateCreated"))
    os.utime("a.jsonld", ns=(LONG_AGO, LONG_AGO))
    assert Path("a.jsonld").stat().st_ino == node

    trusting = run(capsys, "a.jsonld", "--cache", "kept")
    strict = run(capsys, "a.jsonld", "--cache", "kept", "--cache-strict")

    assert "property-wrong-case" in rules(trusting)[0], "somebody who forges times is believed"
    assert "property-wrong-case" not in rules(strict)[0]


def test_file_that_was_only_touched_is_not_checked_again(
    capsys: pytest.CaptureFixture[str], checked: list[str]
) -> None:
    write("a.jsonld")
    run(capsys, "a.jsonld", "--cache", "kept")
    checked.clear()
    os.utime("a.jsonld", ns=(LONG_AGO + 5, LONG_AGO + 5))

    run(capsys, "a.jsonld", "--cache", "kept")

    assert checked == []


def test_stamp_of_a_file_just_written_is_not_trusted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be written again within what its time of change can tell."""
    write("a.jsonld")
    stamp = caches.stamp_of("a.jsonld")
    monkeypatch.setattr(caches, "stamp_of", lambda path: stamp)
    monkeypatch.setattr(caches.time, "time_ns", lambda: LONG_AGO + 1_000_000_000)
    run(capsys, "a.jsonld", "--cache", "kept")
    Path("a.jsonld").write_text(FAULTY.replace("datecreated", "dateCreated"), encoding="utf-8")

    assert "property-wrong-case" not in rules(run(capsys, "a.jsonld", "--cache", "kept"))[0]


def test_another_configuration_counts(capsys: pytest.CaptureFixture[str], checked: list[str]) -> None:
    write("site/a.jsonld")
    write("waypost.toml", "")
    run(capsys, "site")
    checked.clear()
    write("waypost.toml", 'rules = { property-wrong-case = "off" }')
    off = run(capsys, "site")
    write("waypost.toml", 'profiles = ["google/recipe"]')
    output = run(capsys, "site")

    assert "property-wrong-case" not in rules(off)[0]
    assert checked == ["site/a.jsonld"], "for another profile alone is the page judged again"
    assert output == run(capsys, "site", "--no-cache")


@pytest.mark.parametrize(
    "more", [("--base-url", "https://example.com/"), ("--site", "https://way.test"), ("--syntax", "rdfa")]
)
def test_other_arguments_count(capsys: pytest.CaptureFixture[str], more: tuple[str, ...]) -> None:
    write("a.html", f'<script type="application/ld+json">{FAULTY.replace("}", ", @id: x}")}</script>')

    run(capsys, "a.html", "--cache", "kept")

    assert run(capsys, "a.html", "--cache", "kept", *more) == run(capsys, "a.html", *more)


def test_another_registry_counts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.jsonld")
    before = run(capsys, "a.jsonld", "--cache", "kept")
    files = dict(registries.load().files)
    files["vocabulary/schemaorg.json"] = files["vocabulary/schemaorg.json"].replace(b"dateCreated", b"dateKreated")
    monkeypatch.setattr("waypost.registry.registry.load", lambda: registries.Registry(files))
    shared_registry.cache_clear()

    after = run(capsys, "a.jsonld", "--cache", "kept")

    assert after["registry_version"] != before["registry_version"]
    assert rules(after) != rules(before)


def test_words_about_dates_are_valid_until_they_are_not(capsys: pytest.CaptureFixture[str], checked: list[str]) -> None:
    write("a.jsonld", OFFER)

    def reported(now: str) -> bool:
        return "offer-expired" in rules(run(capsys, "a.jsonld", "--cache", "kept", "--now", now))[0]

    assert not reported("2026-11-20T11:00:00Z")
    assert not reported("2026-11-20T11:59:59Z")
    assert len(checked) == 1
    assert reported("2026-11-20T12:00:01Z")
    assert reported("2027-01-01")
    assert len(checked) == 2
    assert not reported("2026-11-20T11:30:00Z"), "nor before"


def test_no_rule_reads_the_clock_behind_the_caches_back() -> None:
    folder = Path(validate.__file__).parent
    modules = [folder / "table_rules.py", *(folder / "rules").glob("*.py")]
    assert len(modules) > 20
    for path in modules:
        source = path.read_text(encoding="utf-8")
        assert "context.now" not in source, f"{path.name}: use context.is_past or context.is_future"


def test_it_is_next_to_the_configuration_or_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    write("site/a.jsonld")
    before = set(Path().rglob("*"))

    run(capsys, "site")
    assert set(Path().rglob("*")) == before, "without a configuration nothing is left behind"

    write("waypost.toml", "")
    run(capsys, "site")
    assert Path(".waypost-cache/.gitignore").read_text(encoding="utf-8").endswith("*\n")

    shutil.rmtree(".waypost-cache")
    write("waypost.toml", 'cache = "build/kept"')
    run(capsys, "site")
    assert Path("build/kept/.gitignore").exists()

    shutil.rmtree("build")
    write("waypost.toml", "cache = false")
    run(capsys, "site")
    assert not Path(".waypost-cache").exists()


def test_what_is_broken_or_cut_short_counts_as_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(40):
        write(f"site/{number}.jsonld")
    reported = run(capsys, "site", "--cache", "kept")
    files = sorted(each for each in Path("kept").glob("results-*/*"))
    assert len(files) > 3
    for number, each in enumerate(files):
        data = each.read_bytes()
        each.write_bytes((b"", data[: len(data) // 2], data[:-1] + b"x", b"\x00" * 100)[number % 4])

    assert run(capsys, "site", "--cache", "kept") == reported
    assert run(capsys, "site", "--cache", "kept") == reported


def test_an_unwritable_cache_is_reported_and_otherwise_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.jsonld")
    write("kept", "in the way")

    status = main(["validate", "a.jsonld", "--json", "--cache", "kept", "--fail-on", "never"])

    out, err = capsys.readouterr()
    assert (status, len(json.loads(out)["files"])) == (0, 1)
    assert "the cache kept cannot be written" in err


def test_two_runs_at_once_keep_each_others_news(tmp_path: Path) -> None:
    """As far as they do not write at the same instant: each takes over what is there when it writes."""
    registry = registries.load()
    now = caches._EPOCH
    names = [f"{n}.jsonld" for n in range(64)]
    validity = caches.Validity(b"", None, float("-inf"), float("inf"))
    one, two = (caches.Cache(tmp_path / "kept", registry, now) for _ in range(2))
    for cache, part in ((one, names[:32]), (two, names[32:])):
        for name in part:
            cache.put(caches.Input(name, name, "file"), b"key", validity, b"")
    one.save()
    two.save()

    held = [known for path in (tmp_path / "kept").glob("results-*/*")
            for known in (caches._read(path, dict[str, caches.CachedResult]) or {})]  # fmt: skip
    assert len(held) == 64


def test_it_stays_below_its_bound_and_old_entries_go(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("kept/results-0000/00", "of another version", LONG_AGO)
    os.utime("kept/results-0000", ns=(LONG_AGO, LONG_AGO))
    monkeypatch.setattr(caches, "MAX_SHARD_BYTES", 3_000)
    for number in range(100):
        write(f"site/{number}.jsonld")

    run(capsys, "site", "--cache", "kept")

    assert not Path("kept/results-0000").exists()
    assert all(each.stat().st_size < 3_100 for each in Path("kept").glob("results-*/*"))


def test_fixing_goes_past_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.jsonld")
    run(capsys, "a.jsonld", "--cache", "kept")

    assert main(["validate", "a.jsonld", "--fix", "--cache", "kept", "-q"]) is not None
    capsys.readouterr()

    assert "property-wrong-case" not in rules(run(capsys, "a.jsonld", "--cache", "kept"))[0]


def test_the_cache_knows_every_checking_part_of_the_package() -> None:
    package = Path(caches.__file__).parent.parent
    for top in ("validate", "reader", "formats", "models", "registry"):
        for folder in [package / top, *(each for each in (package / top).rglob("*") if each.is_dir())]:
            # What describes the bodies of the API decides on no finding.
            if any(folder.glob("*.py")) and folder.name != "wire":
                assert folder.relative_to(package).as_posix() in caches._CODE_FOLDERS


@pytest.mark.parametrize(
    "name", ["validate/rules/empty_value.py", "formats/dates.py", "data/kinds.json", "lint/page.py"]
)
def test_another_waypost_knows_nothing_of_it(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path(caches.__file__).parent.parent
    for folder in caches._CODE_FOLDERS:
        (here / "package" / folder).mkdir(parents=True, exist_ok=True)
        for path in (package / folder).glob("*.*"):
            shutil.copy(path, here / "package" / folder)
    monkeypatch.setattr(caches, "__file__", str(here / "package" / "lint" / "cache.py"))
    registry = registries.load()
    before = caches._identity(registry, caches._EPOCH)
    assert caches._identity(registry, caches._EPOCH) == before

    with (here / "package" / name).open("a", encoding="utf-8") as file:
        file.write(" ")

    assert caches._identity(registry, caches._EPOCH) != before


def test_rich_result_that_is_retired_meanwhile_is_another_matter() -> None:
    registry = registries.load()
    days = [profile.retired_on for profile in registry.profiles.values() if profile.retired_on]
    assert days, "else this says nothing"
    day = datetime.fromisoformat(max(days)).replace(tzinfo=UTC)

    assert caches._identity(registry, day) != caches._identity(registry, day - timedelta(days=1))
    assert caches._identity(registry, day) == caches._identity(registry, day + timedelta(days=400))
