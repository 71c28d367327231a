"""The configurations of the docs, for real: nginx with TLS in front of the workbench, systemd."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path

import pytest
from workbench.bench import BEST, Bench, answer
from workbench.test_operations import started

from chronoscore.workbench.store import Store, people

PAGE = Path(__file__).parents[2] / "docs" / "workbench-team.md"
HOST = "judge.example.org"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
ANALYZE = shutil.which("systemd-analyze")
PATIENCE = 20
needs_nginx = pytest.mark.skipif(
    not (NGINX and OPENSSL), reason="there is no nginx or openssl: apt-get install nginx-light"
)
needs_systemd = pytest.mark.skipif(not ANALYZE, reason="there is no systemd-analyze")


def blocks(language: str) -> list[str]:
    """The configurations of the docs page in this language."""
    page = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.S)


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Proxy:
    """nginx on a port of this machine, with a certificate of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.behind = folder, free_port(), free_port()
        self.address = f"https://{HOST}:{self.port}"

    def configure(self) -> Path:
        """Write the docs' configuration with our ports and files."""
        (block,) = blocks("nginx")
        certificate, key = self.folder / "cert.pem", self.folder / "key.pem"
        arguments = [OPENSSL or "", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        arguments += ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
        arguments += ["-keyout", str(key), "-out", str(certificate)]
        subprocess.run(arguments, check=True, capture_output=True)
        changes = {
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "127.0.0.1:8765": f"127.0.0.1:{self.behind}",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(certificate),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(key),
            "/var/log/nginx/": f"{self.folder}/",
        }
        for before, after in changes.items():
            assert before in block
            block = block.replace(before, after)
        parts = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{one}_temp_path {self.folder}/{one};\n" for one in parts)
        user = "user root;\n" if os.geteuid() == 0 else ""
        head = f"{user}daemon off;\npid {self.folder}/pid;\nerror_log {self.folder}/main.log;\n"
        path = self.folder / "nginx.conf"
        path.write_text(f"{head}events {{}}\nhttp {{\n{temporary}{block}}}\n", encoding="utf-8")
        return path

    @contextmanager
    def running(self) -> Iterator[None]:
        arguments = [str(NGINX), "-p", str(self.folder), "-c", str(self.configure())]
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
        try:
            ends = time.monotonic() + PATIENCE
            while time.monotonic() < ends and process.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                        break
                time.sleep(0.05)
            assert process.poll() is None, process.stderr and process.stderr.read()
            yield
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)

    def ask(
        self,
        method: str,
        path: str,
        body: str | None = None,
        source: str = "127.0.0.1",
        **headers: str,
    ) -> tuple[HTTPResponse, str]:
        """Ask as a browser at an address does, which checks the certificate."""
        trusted = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        place = ("127.0.0.1", self.port)
        plain = socket.create_connection(place, PATIENCE, source_address=(source, 0))
        http = HTTPSConnection(HOST, self.port)
        http.sock = trusted.wrap_socket(plain, server_hostname=HOST)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        http.request(method, path, body, {"Origin": self.address, **named})
        got = http.getresponse()
        text = got.read().decode()
        http.close()
        return got, text

    def logged(self) -> str:
        return "".join(one.read_text(encoding="utf-8") for one in self.folder.glob("*.log"))


@pytest.fixture
def proxy(tmp_path: Path) -> Proxy:
    folder = tmp_path / "nginx"
    folder.mkdir()
    return Proxy(folder)


@contextmanager
def workbench(proxy: Proxy, database: Path, *words: str) -> Iterator[None]:
    """The workbench behind the proxy; the last --port counts."""
    place = ("--port", str(proxy.behind), "--db", str(database), "--address", proxy.address)
    with started(*place, *words):
        yield


@needs_nginx
def test_behind_nginx_someone_logs_in_and_saves(proxy: Proxy, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.project() == 1
    bench.visitor("ana", 1)
    batch = bench.batch(1, "ana")
    token = people.invite(bench.store, bench.person("ana").id, None)
    bench.store.close()
    with proxy.running():
        down, _ = proxy.ask("GET", f"/enter/{token}")
        assert down.status == 502, "the workbench is not there yet"
        with workbench(proxy, bench.store.path, "--trusted-proxy", "127.0.0.1"):
            assert proxy.ask("GET", "/health")[1] == '{"chronoscore":"ready"}'
            shown, _ = proxy.ask("GET", f"/enter/{token}")
            assert shown.status == 200
            assert "max-age" in (shown.getheader("strict-transport-security") or "")
            entered, _ = proxy.ask("POST", f"/enter/{token}")
            assert entered.status == 303
            cookie = (entered.getheader("set-cookie") or "").split(";")[0]
            assert cookie.startswith("__Host-chronoscore=")
            session = cookie.partition("=")[2]
            ours = {"Cookie": cookie, "X_CSRF_Token": people.csrf(session)}
            body = json.dumps(answer(BEST, comment="through the proxy"))
            kind = {"Content_Type": "application/json"}
            saved, text = proxy.ask("POST", f"/judge/{batch}/1", body, **ours, **kind)
            assert saved.status == 200, text
            foreign, _ = proxy.ask("GET", "/", Host="evil.example")
            assert foreign.status == 421
    store = Store(bench.store.path)
    assert store.value("SELECT comment FROM judgements") == "through the proxy"
    store.close()
    logged = proxy.logged()
    assert " POST 200 " in logged
    assert token not in logged
    assert session not in logged


@needs_nginx
@pytest.mark.parametrize("trusted", [True, False])
def test_the_visitor_s_address_is_taken_from_a_trusted_proxy_only(
    proxy: Proxy, tmp_path: Path, trusted: bool
) -> None:
    """nginx appends the address that connects: what a visitor puts before it is not believed."""
    words = ("--trusted-proxy", "127.0.0.1") if trusted else ()
    with proxy.running(), workbench(proxy, tmp_path / "w.db", *words):
        for number in range(11):
            made_up = f"192.0.2.{number}"
            headers = {"X_Forwarded_For": made_up}
            last, _ = proxy.ask("GET", f"/enter/{number}", source="127.0.0.2", **headers)
        assert last.status == 429, "made-up addresses are no way around the limit"
        other, _ = proxy.ask("GET", "/enter/wrong", source="127.0.0.3")
        assert other.status == (404 if trusted else 429)


@needs_systemd
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    names = ("chronoscore.service", "chronoscore-backup.service", "chronoscore-backup.timer")
    paths = []
    for name, block in zip(names, blocks("ini"), strict=True):
        unit = block.replace("/opt/chronoscore/bin/chronoscore", sys.executable)
        assert "/opt/" not in unit
        paths.append(tmp_path / name)
        paths[-1].write_text(unit, encoding="utf-8")
    done = subprocess.run(
        [str(ANALYZE), "verify", *map(str, paths)], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "chronoscore" in line]
    assert ours == []
    assert done.returncode == 0, done.stderr


def test_the_service_is_started_with_options_that_exist(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from chronoscore.cli.main import command

    unit = blocks("ini")[0].replace("\\\n", " ")
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    words = line.replace("/var/lib/chronoscore", str(tmp_path)).split()[1:]
    done = CliRunner().invoke(command, [*words, "--check"])
    assert done.exit_code == 0, done.output
