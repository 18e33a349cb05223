"""A staging site behind a password: what reaches it, and that no secret is in any byte that waypost writes."""

from __future__ import annotations

import base64
import gzip
import json
import re
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import main, watch
from waypost.cli._program import parser

CERTIFICATES = Path(__file__).parent / "net" / "certificates"
PASSWORD = "pw-8f3a"
SECRETS = ("pw-8f3a", base64.b64encode(b"ci:pw-8f3a").decode(), base64.b64encode(b"pw-8f3a").decode()[:8])
BASIC = f"Basic {SECRETS[1]}"
DATA = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe", "name": "Pie"}</script>'
)
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{}/page</loc></url></urlset>'


class Staging:
    """Server that answers who knows the password by any of its ways; `seen` are the headers of each request."""

    def __init__(self, certificate: bool = False, away: str = "") -> None:
        self.seen: list[dict[str, str]] = []
        self.data = DATA
        staging = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                staging.seen.append({"path": self.path, **headers})
                if self.path == "/away":
                    return self.reply(302, b"", ("Location", away))
                is_known = headers.get("authorization") == BASIC or PASSWORD in headers.get("x-token", "")
                if not (certificate or is_known or PASSWORD in headers.get("cookie", "")):
                    return self.reply(401, b"who?", ("WWW-Authenticate", "Basic"))
                if self.path == "/sitemap.xml":
                    return self.reply(200, SITEMAP.format(staging.origin).encode())
                if self.path == "/robots.txt":
                    return self.reply(404, b"")
                etag = f'"{zlib.crc32(staging.data.encode())}"'
                if headers.get("if-none-match") == etag:
                    return self.reply(304, b"", ("ETag", etag))
                packed = gzip.compress(staging.data.encode())
                return self.reply(200, packed, ("Content-Encoding", "gzip"), ("ETag", etag))

            def reply(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
                self.send_response(status)
                for name, value in (("Content-Type", "text/html"), ("Content-Length", str(len(body))), *headers):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the base class
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if certificate:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            trust.load_cert_chain(CERTIFICATES / "good.pem")
            trust.load_verify_locations(CERTIFICATES / "authority.pem")
            trust.verify_mode = ssl.CERT_REQUIRED
            self._server.socket = trust.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"{'https' if certificate else 'http'}://127.0.0.1:{self._server.server_port}"
        self.with_password = self.origin.replace("//", f"//ci:{PASSWORD}@")
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def staging() -> Iterator[Staging]:
    server = Staging()
    yield server
    server.close()


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """(exit status, output) of a command in an empty folder; no byte of output or files has a secret."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def done(*argv: str) -> tuple[int, str]:
        try:
            status = main([*argv])
        except SystemExit as end:
            status = int(end.code or 0)
        output = "".join(capfd.readouterr())
        without_secrets(output.encode(), argv[0])
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.name not in GIVEN:
                without_secrets(path.read_bytes(), str(path))
        return status, output

    return done


def without_secrets(data: bytes, where: str) -> None:
    found = [secret for secret in SECRETS if secret.encode() in data]
    assert not found, f"{where} has a secret"
    # What is packed inside may have one too: caches are.
    for at in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", data)):
        try:
            unpacked = zlib.decompressobj(47).decompress(data[at:])
        except zlib.error:
            continue
        assert not [secret for secret in SECRETS if secret.encode() in unpacked], f"{where} has a packed secret"


GIVEN = {".netrc", "waypost.toml", "urls.txt"}
"""Files of the user, which may have a secret."""
WAYS = {
    "--auth": ["--auth", f"ci:{PASSWORD}"],
    "--header": ["--header", f"X-Token: {PASSWORD}"],
    "--cookie": ["--cookie", "a=b", "--cookie", f"session={PASSWORD}"],
}
REPORTS = [argument for name in ("json", "ndjson", "sarif", "junit", "markdown", "html", "text") for argument in (
    "--output", f"{name}=report.{name}")]  # fmt: skip


@pytest.mark.parametrize("way", [*WAYS, "url", "netrc", "configuration"])
def test_a_page_behind_a_password_is_checked(
    staging: Staging, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    (tmp_path / "waypost.toml").write_text("cache = true\n")
    if way == "netrc":
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / ".netrc").write_text(f"machine 127.0.0.1 login ci password {PASSWORD}\n")
        (tmp_path / "home" / ".netrc").chmod(0o600)
    if way == "configuration":
        (tmp_path / "waypost.toml").write_text(f'[fetch.origins."{staging.origin}"]\nauth = "ci:$PW"\n')
        monkeypatch.setenv("PW", PASSWORD)
    origin = staging.with_password if way == "url" else staging.origin

    for _ in range(2):
        status, _ = run("validate", f"{origin}/page", "--verbose", *REPORTS, *WAYS.get(way, []))

        assert status == 1
        assert f"{staging.origin}/page" in (tmp_path / "report.json").read_text()
    assert "Recipe" in (tmp_path / "report.text").read_text()
    assert [each["path"] for each in staging.seen] == ["/page", "/page"]
    # The cache was used, and searched for secrets as every other file.
    assert staging.seen[1]["if-none-match"]


@pytest.mark.parametrize("command", ["preview", "convert", "diff"])
@pytest.mark.parametrize("way", [*WAYS, "url"])
def test_each_command_that_fetches_knows_the_password(
    staging: Staging, run: Callable[..., Any], command: str, way: str
) -> None:
    url = f"{staging.with_password if way == 'url' else staging.origin}/page"
    urls = [url, url] if command == "diff" else [url]

    status, output = run(command, *urls, *WAYS.get(way, []))

    assert status == (1 if command == "convert" else 0), output
    assert "401" not in output
    assert "authorization" in staging.seen[0] or way in {"--header", "--cookie"}


@pytest.mark.parametrize("way", [*WAYS, "url"])
def test_a_crawl_stores_no_secret(staging: Staging, run: Callable[..., Any], tmp_path: Path, way: str) -> None:
    pytest.importorskip("duckdb", reason="the extra crawl is not installed")
    (tmp_path / "urls.txt").write_text(f"{staging.origin}/page\n")
    origin = staging.with_password if way == "url" else staging.origin

    status, output = run(
        "crawl", f"{origin}/sitemap.xml", "--out", "out", "--workers", "1", "--user-agent", "googlebot",
        *WAYS.get(way, []),
    )  # fmt: skip

    assert "1 page checked" in output, output
    assert status == 1
    assert {each["path"] for each in staging.seen} == {"/sitemap.xml", "/robots.txt", "/page"}
    assert all("Googlebot" in each["user-agent"] for each in staging.seen)
    for part in (tmp_path / "out" / "pages").iterdir():
        part.unlink()
    status, output = run("crawl", "--out", "out", "--resume", *WAYS.get(way, WAYS["--auth"]))
    assert "1 page checked" in output, output


@pytest.mark.parametrize("command", ["validate", "crawl"])
def test_passwords_of_a_list_stay_in_the_list(
    staging: Staging, run: Callable[..., Any], tmp_path: Path, command: str
) -> None:
    if command == "crawl":
        pytest.importorskip("duckdb", reason="the extra crawl is not installed")
    (tmp_path / "urls.txt").write_text(f"{staging.with_password}/page\n{staging.with_password}/gone\n")
    (tmp_path / "waypost.toml").write_text("cache = true\n")
    output = ["--out", "out", "--workers", "1"] if command == "crawl" else REPORTS

    status, printed = run(command, "--urls", "urls.txt", "--allow-private", *output)

    assert status == 1, printed
    assert {each["path"] for each in staging.seen} == {"/robots.txt", "/page", "/gone"}
    assert all(each["authorization"] == BASIC for each in staging.seen)


def test_no_secret_is_sent_to_a_cluster(staging: Staging, run: Callable[..., Any]) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")

    status, output = run(
        "crawl", f"{staging.with_password}/sitemap.xml", "--out", "out", "--cluster", "tcp://127.0.0.1:1"
    )  # fmt: skip

    assert status == 2
    assert "--cluster: secrets stay on this machine" in output


def test_a_watched_page_is_requested_again_by_its_validators(
    staging: Staging, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(DATA)
    options = ["--interval", "0.01", "--auth", f"ci:{PASSWORD}"]

    watched = watch.Watch(parser("watch").parse_args(["watch", f"{staging.origin}/page", "page.html", *options]))
    assert watched._web is not None
    watched._web._pause_s = 0
    watched.begin()
    is_changed = watched.poll()
    staging.data = DATA.replace("Recipe", "Reciipe")
    is_changed_now = watched.poll()
    watched.close()

    output = "".join(capfd.readouterr())
    assert (is_changed, is_changed_now) == (False, True)
    assert "watching 2 pages" in output
    assert "Reciipe" in output
    assert staging.seen[1]["if-none-match"]
    without_secrets(output.encode(), "watch")


def test_after_a_redirect_elsewhere_nothing_is_sent(run: Callable[..., Any], staging: Staging) -> None:
    other = Staging(away=f"{staging.origin}/page")
    try:
        _, output = run("validate", f"{other.origin}/away", "--allow-private", "--auth", f"ci:{PASSWORD}")
    finally:
        other.close()

    assert "authorization" in other.seen[0]
    assert "authorization" not in staging.seen[0]
    assert "the server answered with status 401" in output


def test_a_client_certificate_opens_the_page(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
    staging = Staging(certificate=True)
    try:
        status, output = run("validate", f"{staging.origin}/page", "--cert", str(CERTIFICATES / "good.pem"))
    finally:
        staging.close()

    assert (status, len(staging.seen)) == (1, 1), output


ERRORS = {
    "no header": (["--header", f"pw {PASSWORD}"], "write a header as 'Name: value'"),
    "a header of ours": (["--header", f"Host: {PASSWORD}"], "Host is set by waypost itself"),
    "a line break": (["--header", f"X-Token: {PASSWORD}\nY: z"], "has a character that no header may have"),
    "no cookie": (["--cookie", PASSWORD], "write a cookie as name=value"),
    "no password": (["--auth", PASSWORD], "write it as user:password"),
    "an unknown crawler": (["--user-agent", "goglebot"], "did you mean googlebot?"),
    "a key alone": (["--key", "x.pem"], "--key needs --cert"),
    "http with a certificate": (["--cert", "x.pem"], "a client certificate needs https"),
    "an unknown option": ([f"--auht=ci:{PASSWORD}"], "unknown argument '--auht'; did you mean --auth?"),
    "a stray address": (
        ["--auth", "a:b", f"http://ci:{PASSWORD}@127.0.0.1:1/"],
        "unknown argument 'http://127.0.0.1:1/'",
    ),
    "no origin": (["--auth", f"ci:{PASSWORD}", "--origin", "staging"], "write an origin, as in https://"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_unusable_option_is_an_error_without_its_value(staging: Staging, run: Callable[..., Any], name: str) -> None:
    options, message = ERRORS[name]

    status, output = run("validate", f"{staging.origin}/page", *options)

    assert (status, staging.seen) == (2, []), output
    assert message in output


def test_options_for_two_origins_are_not_sent_at_all(staging: Staging, run: Callable[..., Any]) -> None:
    status, output = run("diff", f"{staging.origin}/page", "http://127.0.0.1:1/page", "--auth", f"ci:{PASSWORD}")

    assert (status, staging.seen) == (2, [])
    assert "go to one origin, and the addresses have 2" in output
    assert "name it with --origin" in output


def test_with_two_origins_the_option_names_the_one(staging: Staging, run: Callable[..., Any]) -> None:
    other = Staging()
    try:
        run("diff", f"{other.origin}/page", f"{staging.origin}/page", "--auth", f"ci:{PASSWORD}", "--origin",
            staging.origin)  # fmt: skip
    finally:
        other.close()

    assert "authorization" in staging.seen[0]
    assert "authorization" not in other.seen[0]


CONFIGURATIONS = {
    "variable": (
        'auth = "ci:$WAYPOST_NOT_SET"',
        "waypost.toml:3: {}.auth: the environment variable WAYPOST_NOT_SET is not set",
    ),
    "header of a number": ("headers = { X-Token = 5 }", "waypost.toml:3: {}: headers: write a string"),
    "number": ("auth = 5", "waypost.toml:3: {}: auth: write a string, not a whole number"),
    "header": (f'headers = {{ "X Token" = "{PASSWORD}" }}', "waypost.toml:3: {}.headers.X Token: write a header as"),
    "auth": (f'auth = "{PASSWORD}"', "waypost.toml:3: {}.auth: write it as user:password"),
    "key": (f'pasword = "{PASSWORD}"', "waypost.toml:3: {}: there is no key 'pasword'"),
    "key alone": ('key = "client.key"', "waypost.toml:3: {}.key: key needs cert"),
    "certificate": ('cert = "missing.pem"', "waypost.toml:3: {}.cert: a client certificate needs https"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_an_error_in_the_configuration_has_file_and_line(
    staging: Staging, run: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    line, message = CONFIGURATIONS[name]
    text = f'[fetch.origins."{staging.origin}"]\n# auth = "a comment: $WAYPOST_NOT_SET, X Token, cert"\n{line}\n'
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "waypost.toml").write_text(text)

    status, output = run("validate", f"{staging.origin}/page", "--config", "settings/waypost.toml")

    assert (status, staging.seen) == (2, []), output
    assert message.format(f'fetch.origins."{staging.origin}"') in output


def test_a_secret_of_another_origin_may_be_unset(staging: Staging, run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "waypost.toml").write_text('[fetch.origins."https://other.test"]\nauth = "ci:$WAYPOST_NOT_SET"\n')

    status, output = run("validate", f"{staging.origin}/page", *WAYS["--auth"])

    assert status == 1, output


def test_the_broken_netrc_is_named_without_its_text(
    staging: Staging, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login ci pass {PASSWORD}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))

    status, output = run("validate", f"{staging.origin}/page")

    assert status == 2
    assert re.search(r"\.netrc(:1)?: this is not a line of a netrc file", output)


def test_without_an_address_the_options_have_no_effect(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(DATA)

    _, output = run("validate", "page.html", "--auth", f"ci:{PASSWORD}", "--user-agent", "googlebot")

    assert "--header, --cookie and --auth have no effect: no page is fetched" in output
    assert "--user-agent has no effect: no page is fetched" in output


def test_the_configuration_shows_names_of_secrets_alone(run: Callable[..., Any], tmp_path: Path) -> None:
    text = f'[fetch.origins."https://staging.test"]\nauth = "ci:{PASSWORD}"\n'
    (tmp_path / "waypost.toml").write_text(text)

    _, output = run("config")
    _, data = run("config", "--json")

    assert "fetch.origins.https://staging.test: auth (" in output
    assert json.loads(data)["settings"]["fetch.origins.https://staging.test"]["value"] == ["auth"]


def test_a_report_has_no_password_of_the_url(staging: Staging, run: Callable[..., Any]) -> None:
    _, output = run("validate", "--json", "-q", f"{staging.with_password}/page")

    assert json.loads(output)["files"][0]["path"] == f"{staging.origin}/page"
