"""Requirements of a project: profiles and checks in files, and rules of packages, in every format and interface."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import waypost
from waypost.cli import main
from waypost.config import ConfigError
from waypost.lint.project import Project
from waypost.registry import shared_registry
from waypost.report import format_names

EXAMPLE = Path(__file__).parent.parent / "examples" / "own-rules"
RULES = {"acme-sku", "acme-brand-in-name", "required-property-missing"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Site of the company, with the package of the examples as `pip install` would leave it."""
    packages = tmp_path / "packages"
    shutil.copytree(EXAMPLE / "src" / "acme_rules", packages / "acme_rules")
    shutil.copytree(EXAMPLE / "site", tmp_path / "site")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    points = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["waypost.rules"].items())
    install(packages, "acme-rules", points)
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.chdir(tmp_path / "site")
    yield tmp_path / "site"
    for name in [name for name in sys.modules if name.partition(".")[0] in {"acme_rules", "other_rules"}]:
        del sys.modules[name]


def install(packages: Path, name: str, points: str) -> None:
    info = packages / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[waypost.rules]\n{points}", "utf-8")


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def output(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    capsys.readouterr()
    return main([*argv]), *capsys.readouterr()


def test_a_page_against_them_has_a_finding_of_each(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = output(capsys, "validate", "bad.jsonld", "--json")

    (file,) = json.loads(out)["files"]
    own = {each["rule"]: each for each in file["findings"] if each["authority"] == "project"}
    assert status == 1
    assert own.keys() == RULES
    assert own["acme-sku"]["message"] == "the sku 'X-1' is not AC and six digits"
    assert (own["acme-sku"]["line"], own["acme-sku"]["pointer"]) == (5, "/sku")
    assert own["acme-brand-in-name"]["line"] == 4
    assert own["required-property-missing"]["profile"] == "acme/product"
    assert file["items"][0]["eligible"] == ["google/product-snippet"], "what Google shows is another question"


def test_a_page_with_everything_has_no_finding_of_them(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = output(capsys, "validate", "good.jsonld", "--json")

    (file,) = json.loads(out)["files"]
    assert (status, err) == (0, "")
    assert [each for each in file["findings"] if each["authority"] == "project"] == []
    assert file["items"][0]["eligible"] == ["acme/product", "google/product-snippet"]


def test_a_page_about_something_else_is_left_alone(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("other.jsonld", '{"@context": "https://schema.org", "@type": "Book", "name": "A", "sku": "X"}')

    assert output(capsys, "validate", "other.jsonld")[0] == 0


@pytest.mark.parametrize("format_name", format_names())
def test_every_format_names_them(format_name: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = output(capsys, "validate", "bad.jsonld", "--format", format_name, "--verbose")[1]
    good = output(capsys, "validate", "good.jsonld", "--format", format_name, "--verbose")[1]

    assert all(rule in bad for rule in RULES)
    assert not any(rule in good for rule in RULES)


def test_processes_and_the_cache_have_them_too(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(30):
        shutil.copy("bad.jsonld", f"bad{number}.jsonld")

    first = output(capsys, "validate", ".", "--jobs", "2", "--json")[1]

    assert first.count('"acme-brand-in-name"') == 31
    assert output(capsys, "validate", ".", "--json")[1] == first
    write(
        "../packages/acme_rules/checks/acme-sku.json",
        (EXAMPLE / "src/acme_rules/checks/acme-sku.json").read_text().replace("AC[", "X-["),
    )
    assert '"acme-sku"' in output(capsys, "validate", ".", "--json")[1]


def test_editor_python_and_tests_have_them(site: Path) -> None:
    from waypost.library import check_pages

    checked = waypost.check(Path("bad.jsonld"))
    project = Project(shared_registry(), home=site)

    assert {each.rule for each in checked.findings} >= RULES
    assert "acme-sku" in checked.render("sarif")
    assert {each.rule for page in check_pages(["bad.jsonld"]) for each in page.findings} >= RULES
    assert {"acme-sku", "acme-brand-in-name"} <= set(project.config(str(site / "bad.jsonld")).own_rules)


def test_python_takes_a_profile_in_a_file(site: Path) -> None:
    profile = "../packages/acme_rules/product.json"

    for checked in (
        waypost.check(Path("bad.jsonld"), profiles=profile, config=False),
        waypost.check(Path("bad.jsonld").read_text("utf-8"), profiles=[profile]),
        waypost.check_pages(["bad.jsonld"], profiles=profile, config=False)[0],
        waypost.check_pages(["bad.jsonld"], profiles="acme/product", config="waypost.toml")[0],
    ):
        assert "acme/product" in {each.profile for each in checked.findings}
    with pytest.raises(ConfigError, match="no such file"):
        waypost.check("{}", profiles="./none.json", config=False)


def test_the_editor_explains_them(site: Path) -> None:
    pytest.importorskip("pygls")
    from waypost.lsp.checked_document import Subject, check_document
    from waypost.lsp.document import Document
    from waypost.lsp.hover import hover

    path, registry = site / "bad.jsonld", shared_registry()
    subject = Subject(Document(path.read_text("utf-8"), "utf-16"), str(path), "json")

    checked = check_document(Project(registry, home=site), subject)

    assert {each.rule for each in checked.findings} >= RULES
    text = hover(checked, subject.document.text.index("X-1"))
    assert text is not None
    assert "Acme's article numbers are AC and six digits." in text[0]


def test_settings_and_comments_know_their_names(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "waypost.toml",
        'extends = "package:acme-rules/acme.toml"\n[rules]\nacme-sku = "off"\n"acme/product" = "warning"\n',
    )
    write(
        "page.html",
        "<!doctype html><title>A</title>\n<!-- waypost-ignore-file acme-brand-in-name: until May -->\n"
        f'<script type="application/ld+json">{Path("bad.jsonld").read_text()}</script>',
    )

    status, out, _ = output(capsys, "validate", "page.html", "--json", "--show-suppressed")

    (file,) = json.loads(out)["files"]
    assert status == 0
    assert "acme-brand-in-name" in [each["rule"] for each in file["suppressed"]]
    assert "acme-sku" not in out
    assert output(capsys, "validate", "bad.jsonld", "--rule", "acme-sku=info")[0] == 0


def test_they_are_explained_as_the_others_are(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Acme's article numbers are AC and six digits." in output(capsys, "rules", "acme-sku")[1]
    assert "acme-brand-in-name" in output(capsys, "rules", "--filter", "acme")[1]
    assert "acme/product" in output(capsys, "rules", "--filter", "acme")[1]
    assert "repeats the brand" in output(capsys, "validate", "bad.jsonld", "--explain")[1]


def test_the_command_line_takes_files(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = "../packages/acme_rules"
    status, out, _ = output(
        capsys, "validate", "bad.jsonld", "--no-config", "--profile", f"{files}/product.json", "--check-file",
        f"{files}/checks", "--json",
    )  # fmt: skip

    assert status == 1
    assert '"acme-sku"' in out
    assert '"acme/product"' in out


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        ("raise ImportError('no numbers')", "cannot be loaded: ImportError: no numbers (other_rules.py:2)"),
        ("x = 1", "needs exactly one of check, check_value, check_page"),
        ("SEVERITY = 'loud'\ndef check(item): return ()", "SEVERITY is 'loud'; there are error, warning, info"),
    ],
)
def test_a_rule_that_cannot_be_loaded_ends_the_run(
    failing: str, message: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("../packages/other_rules.py", f'"""Never met."""\n{failing}\n')
    install(site.parent / "packages", "other-rules", "other-one = other_rules\n")
    write("waypost.toml", 'packages = ["other-rules"]\n')

    status, _, err = output(capsys, "validate", "bad.jsonld")

    assert status == 2
    assert "the rule 'other-one' of other-rules 1.0" in err
    assert message in err


@pytest.mark.parametrize("body", ["1 / 0", "yield 'text'", "yield item.error('none', 'a', severity='x')"])
def test_a_rule_that_fails_is_a_finding(body: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("../packages/other_rules.py", f'"""Never met."""\ndef check(item):\n    {body}\n')
    install(site.parent / "packages", "other-rules", "other-one = other_rules\n")
    write("waypost.toml", 'packages = ["other-rules", "acme-rules"]\n')

    status, out, _ = output(capsys, "validate", "bad.jsonld", "--json")

    (file,) = json.loads(out)["files"]
    failed = [each for each in file["findings"] if each["rule"] == "other-one"]
    assert status == 1
    assert "failed here, so that it is unknown" in failed[0]["message"]
    assert "report it to the authors of other-rules 1.0" in failed[0]["hint"]
    assert "acme-brand-in-name" in out, "the other rules go on"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("product.json", '"path": "sku"', '"pth": "sku"', "product.json:6: required[0]"),
        ("product.json", '"status": "supported"', '"status": "suported"', "did you mean supported?"),
        ("product.json", '"acme/product"', '"google/product"', "product.json:2: name: 'google/product' is waypost's"),
        ("product.json", '"path": "sku"', '"path": "sku", "value": "enum:none"', "product.json:1: acme/product"),
        ("product.json", '"title": "Acme product", ', "", "the member 'title' is missing"),
        ("product.json", '"recommended"', "recommended", "product.json:7: this is not JSON"),
        ("checks/acme-sku.json", '"severity": "error"', '"severity": "eror"', "acme-sku.json:3: severity: 'eror'"),
        ("checks/acme-sku.json", "{'value'}", "{valu}", "acme-sku.json:6: message: there is no field {valu}"),
        ("checks/acme-sku.json", "^AC[0-9]{6}$", "^AC[0-9", "acme-sku.json:5: when.does_not_match: this is not"),
        ("checks/acme-sku.json", "^AC", "(?i)^AC", "acme-sku.json:5: when.does_not_match: "),
        ("checks/acme-sku.json", '"kind": "value"', '"kind": "read-error"', "acme-sku.json:"),
        (
            "checks/acme-sku.json",
            '"hint"',
            '"hnt"',
            ":6: hnt: there is no such member; did you mean hint?",
        ),
    ],
)
def test_error_of_a_file_names_line_and_member(
    name: str, old: str, new: str, message: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site.parent / "packages" / "acme_rules" / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")

    status, _, err = output(capsys, "validate", "bad.jsonld")

    assert status == 2
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('profiles = ["./none.json"]', "waypost.toml:1: profiles: "),
        ('checks = [\n  "none"\n]', "waypost.toml:2: checks: "),
        ('packages = ["no-such-rules"]', "waypost.toml:1: packages: there is no package 'no-such-rules'"),
        ('packages = ["msgspec"]', "has no entry point of the group waypost.rules; installed with rules: acme-rules"),
    ],
)
def test_what_is_not_there_is_reported(text: str, message: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("waypost.toml", text)

    status, _, err = output(capsys, "validate", "bad.jsonld")

    assert status == 2
    assert message in err


def test_a_rule_has_one_name_only(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("../packages/acme_rules/checks/acme-sku.json", "price-negative.json")
    write("waypost.toml", 'checks = ["price-negative.json"]')

    assert "has the name of a rule of waypost; rename it" in output(capsys, "validate", "bad.jsonld")[2]


def test_the_site_of_the_company_has_pages_for_them(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    built = tmp_path / "built"

    assert main(["build", "--config", "waypost.toml", "--only", "rules/acme", "--output", str(built)]) == 0
    assert main(["build", "--config", "waypost.toml", "--only", "profiles/acme", "--output", str(built / "2")]) == 0

    assert "repeats the brand" in (built / "rules/acme-brand-in-name/index.html").read_text("utf-8")
    assert "AC and six digits" in (built / "rules/acme-sku/index.html").read_text("utf-8")
    assert "Acme product page" in (built / "2/profiles/acme/product/index.html").read_text("utf-8")
    scripts = "".join(path.read_text("utf-8") for path in (built / "assets").glob("*.js"))
    assert "^AC[0-9]{6}$" in scripts, "Validate in the browser has the check"


def test_packages_of_a_monorepo_have_their_own(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("plain/waypost.toml", "")
    shutil.copy("bad.jsonld", "plain/bad.jsonld")

    files = json.loads(output(capsys, "validate", ".", "--json")[1])["files"]

    own = {
        file["path"]: {each["rule"] for each in file["findings"] if each["authority"] == "project"} for file in files
    }
    assert own == {"bad.jsonld": RULES, "good.jsonld": set(), "plain/bad.jsonld": set()}
