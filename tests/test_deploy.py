"""The recipes for a container and for several replicas, as far as they can be tried without running them."""

from __future__ import annotations

import http.server
import ipaddress
import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

from waypost.api.settings import Settings, read_settings  # noqa: E402
from waypost.store.wrapping import FILE_VARIABLE, KEY_VARIABLE  # noqa: E402

DEPLOY = Path(__file__).parents[1] / "deploy"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def settings_in(names: Any) -> set[str]:
    """Names of settings among variables of the environment."""
    return {name.removeprefix("WAYPOST_").lower() for name in names if name.startswith("WAYPOST_")}


@pytest.fixture
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8")))


@pytest.fixture
def kubernetes() -> dict[str, Any]:
    documents = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8"))
    return {document["kind"]: document for document in documents}


def test_every_secret_and_volume_of_the_composition_is_declared(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert set(service.get("secrets", ())) <= set(compose["secrets"]), name
        named = {volume.split(":")[0] for volume in service.get("volumes", ()) if not volume.startswith(".")}
        assert named <= set(compose["volumes"]), name
        assert set(service.get("depends_on", ())) <= set(compose["services"]), name


def test_replicas_of_the_composition_share_store_and_keys_only(
    compose: dict[str, Any],
) -> None:
    one, two = compose["services"]["one"], compose["services"]["two"]

    assert one["environment"] == two["environment"]
    assert settings_in(set(one["environment"]) - {FILE_VARIABLE}) <= set(Settings.__struct_fields__)
    assert one["environment"]["WAYPOST_REPLICAS"] == "2"
    assert one["environment"][FILE_VARIABLE] == "/run/secrets/store-key"
    assert "store-key" in one["secrets"]
    assert one["volumes"][0] != two["volumes"][0]


def test_only_the_proxy_of_the_composition_is_reachable(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    assert "POSTGRES_PASSWORD" not in compose["services"]["database"]["environment"]


def test_compositions_proxy_leads_to_every_replica_and_is_trusted(compose: dict[str, Any]) -> None:
    services = compose["services"]
    proxy = services["proxy"]
    (mounted,) = proxy["volumes"]
    # Where the main file of nginx's image includes files within `http`.
    file, place = mounted.removesuffix(":ro").split(":")
    assert place == "/etc/nginx/conf.d/default.conf"

    text = (DEPLOY / file).read_text("utf-8")
    assert re.findall(r"^ *server (\w+):8000", text, re.MULTILINE) == [
        name for name, service in services.items() if "WAYPOST_STORE" in service.get("environment", ())
    ]
    assert {f"/run/secrets/{name}" for name in proxy["secrets"]} == set(re.findall(r"/run/secrets/[\w-]+", text))

    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    addresses = {name: service["networks"]["inside"]["ipv4_address"] for name, service in services.items()}
    assert len(set(addresses.values())) == len(services)
    assert all(ipaddress.ip_address(each) in ipaddress.ip_network(network["subnet"]) for each in addresses.values())
    settings = read_settings(DEPLOY / "server.toml", services["one"]["environment"])
    assert settings.trusted_proxies == (addresses["proxy"],)
    assert "trust.example.com" in settings.allowed_hosts
    assert "trust.example.com" in services["one"]["healthcheck"]["test"][-1]


@pytest.mark.skipif(NGINX is None, reason="there is no nginx here")
@pytest.mark.parametrize("name", ["nginx.conf", "nginx-replicas.conf"])
def test_nginx_takes_its_configuration(name: str, tmp_path: Path) -> None:
    assert NGINX
    text = re.sub(r" ssl;|\n *ssl_certificate\w* [^\n]+", lambda found: ";" if found[0] == " ssl;" else "",
                  (DEPLOY / name).read_text("utf-8"))  # fmt: skip
    text = re.sub(r"server (?:one|two):", "server 127.0.0.1:", text)
    text = re.sub(r"access_log \S+", f"access_log {tmp_path}/access", text)
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path}/pid; events {{}} http {{\n{text} }}", "utf-8")

    done = subprocess.run(
        [NGINX, "-t", "-p", str(tmp_path), "-c", str(config)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


REJECTED = b'{"status":400,"code":"unknown-host"}'


@pytest.mark.parametrize(
    ("status", "body", "is_healthy"),
    [
        (200, b'{"status":"ok"}', True),
        (400, REJECTED, True),
        (400, b'{"status":400,"code":"malformed-http"}', False),
        (404, b"Not found", False),
        (301, b"", False),
        (503, b"", False),
    ],
)
def test_a_container_is_healthy_while_it_answers_any_host(status: int, body: bytes, is_healthy: bool) -> None:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    text = (DEPLOY / "Containerfile").read_text("utf-8")
    (found,) = re.findall(r"^HEALTHCHECK CMD (\[.+\])$", text, re.MULTILINE)
    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = json.loads(found)[-1].replace("8000", str(server.server_port))
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
        server.shutdown()
    assert (done.returncode == 0) is is_healthy, done.stderr


def test_a_pod_has_no_rights_and_serves_when_ready(kubernetes: dict[str, Any]) -> None:
    pod = kubernetes["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"]
    for each in (container, *pod["initContainers"]):
        assert each["securityContext"]["readOnlyRootFilesystem"], each["name"]
        assert each["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {mount["name"] for mount in each["volumeMounts"]} <= {volume["name"] for volume in pod["volumes"]}
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    names = {each["name"] for each in container["env"]}
    assert settings_in(names - {KEY_VARIABLE}) <= set(Settings.__struct_fields__)
    assert KEY_VARIABLE in names


def test_pods_of_a_rolling_upgrade_share_quota_slack(kubernetes: dict[str, Any]) -> None:
    deployment = kubernetes["Deployment"]["spec"]
    (container,) = deployment["template"]["spec"]["containers"]
    at_most = deployment["replicas"] + deployment["strategy"]["rollingUpdate"]["maxSurge"]

    assert {each["name"]: each.get("value") for each in container["env"]}["WAYPOST_REPLICAS"] == str(at_most)
    labels = deployment["template"]["metadata"]["labels"]
    assert kubernetes["Service"]["spec"]["selector"] == labels == deployment["selector"]["matchLabels"]


def test_service_loads_no_package_that_the_container_leaves_out() -> None:
    packages = re.findall(r"^unused=\((.+)\)$", (DEPLOY.parent / "tools" / "lock.sh").read_text("utf-8"), re.MULTILINE)
    modules = [{"markdown-it-py": "markdown_it"}.get(name, name.replace("-", "_")) for name in packages[0].split()]
    code = (
        "import importlib, pkgutil, sys\n"
        f"sys.modules.update(dict.fromkeys({modules}))\n"
        "for package in ('api', 'service', 'store', 'receipts'):\n"
        "    found = importlib.import_module(f'waypost.{package}')\n"
        "    for each in pkgutil.walk_packages(found.__path__, f'{found.__name__}.'):\n"
        "        importlib.import_module(each.name)\n"
        "print('uvicorn' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("True\n", "")
