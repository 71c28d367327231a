"""The command: where it listens, what it says, and what it refuses."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command
from chronoscore.errors import DataError, UsageError
from chronoscore.workbench import serving
from chronoscore.workbench.security import PublicAddress


def test_check_starts_answers_and_stops(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["serve", "--check", "--db", str(tmp_path / "w.db")])
    assert done.exit_code == 0
    assert done.stdout.startswith("http://127.0.0.1:")
    assert (tmp_path / "w.db").exists()


@pytest.mark.parametrize("words", [["--address", "notaurl"], ["--host", "0.0.0.0"]])
def test_check_refuses_what_serving_would(words: list[str], tmp_path: Path) -> None:
    place = str(tmp_path / "w.db")
    done = CliRunner().invoke(command, ["serve", "--check", "--db", place, *words])
    assert isinstance(done.exception, UsageError)
    assert "--address" in str(done.exception)
    assert not (tmp_path / "w.db").exists()


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        with pytest.raises(UsageError, match="--port"):
            serving.bound("127.0.0.1", held.getsockname()[1])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_an_open_host_needs_an_address_for_people(host: str) -> None:
    with pytest.raises(UsageError, match="--address"):
        serving.address_of(host, 80, None)
    assert serving.address_of(host, 80, "https://Judge.example.org/") == "https://judge.example.org"


@pytest.mark.parametrize(
    "wrong", ["judge.example.org", "ftp://x", "http://", "http://x/y", "http://x:y", "http://a@b"]
)
def test_a_wrong_address_is_told(wrong: str) -> None:
    with pytest.raises(UsageError, match="--address"):
        serving.address_of("0.0.0.0", 80, wrong)


@pytest.mark.parametrize("wrong", ["localhost", "10.0.0.0/8", "", "10.0.0.1:80"])
def test_a_trusted_proxy_must_be_an_ip_address(wrong: str, tmp_path: Path) -> None:
    arguments = ["serve", "--check", "--db", str(tmp_path / "w.db"), "--trusted-proxy", wrong]
    done = CliRunner().invoke(command, arguments)
    assert isinstance(done.exception, UsageError)
    assert "such as 127.0.0.1" in str(done.exception)
    assert serving.proxy_addresses(["::FFFF:10.0.0.1", "::1"]) == ("10.0.0.1", "::1")


def test_an_open_host_is_told_about(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Quiet:
        def run(self, **_: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(serving, "server", lambda *_: Quiet())
    arguments = ["serve", "--host", "0.0.0.0", "--port", "0", "--db", str(tmp_path / "w.db")]
    done = CliRunner().invoke(command, [*arguments, "--address", "https://judge.example.org"])
    assert done.exit_code == 0
    assert "Everyone must log in" in done.stderr
    assert "https://judge.example.org/enter/" in done.stdout


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("http://127.0.0.1:80", ("127.0.0.1:80", "localhost:80", "[::1]:80")),
        ("http://[::1]:81", ("127.0.0.1:81", "localhost:81", "[::1]:81")),
        ("https://judge.example.org", ("judge.example.org",)),
        ("http://10.0.0.5:8765", ("10.0.0.5:8765",)),
    ],
)
def test_hosts_of_an_address(address: str, hosts: tuple[str, ...]) -> None:
    assert PublicAddress(address).hosts == hosts


def test_restore_brings_back_and_writes_over_nothing(tmp_path: Path) -> None:
    run = CliRunner()
    made, copy, again = (str(tmp_path / f"{name}.db") for name in ("made", "copy", "again"))
    assert run.invoke(command, ["serve", "--check", "--db", made]).exit_code == 0
    assert run.invoke(command, ["serve", "backup", copy, "--db", made]).exit_code == 0
    assert run.invoke(command, ["serve", "restore", copy, "--db", again]).exit_code == 0
    assert run.invoke(command, ["serve", "--check", "--db", again]).exit_code == 0
    for arguments in (["backup", copy, "--db", made], ["restore", copy, "--db", again]):
        refused = run.invoke(command, ["serve", *arguments])
        assert isinstance(refused.exception, UsageError)
    wrong = tmp_path / "text.db"
    wrong.write_text("no database " * 100, encoding="utf-8")
    refused = run.invoke(command, ["serve", "restore", str(wrong), "--db", str(tmp_path / "n.db")])
    assert isinstance(refused.exception, DataError)
    assert not (tmp_path / "n.db").exists()
