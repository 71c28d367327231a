"""The key goes to the server and nowhere else."""

import json
from pathlib import Path

import pytest
from judge.conftest import Judging
from judge.stub import Reaction, always, completion, good, in_turn, said, serving
from readers.command_line import Ran

from chronoscore.errors import UsageError
from chronoscore.rubric.judge.client import make_endpoint

KEY = "sk-very-secret-key-0123456789"
HEADER = "other-secret-9876543210"
WORD = "pass-word-in-the-address"


def leaks(folder: Path, ran: Ran) -> list[str]:
    """Where secrets are found: in what was printed, in names and in all files."""
    places = {"out": ran.out, "err": ran.err}
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode(errors="replace")
            places[str(path.relative_to(folder))] = f"{path} {text}"
    return [name for name, text in places.items() if any(s in text for s in (KEY, HEADER, WORD))]


def echo(_number: int, _body: object) -> Reaction:
    """Answer with the key in every place."""
    return completion(said(Comment=f"{KEY} {HEADER}"), model=KEY)


@pytest.mark.parametrize(
    "behaviour",
    [
        good,
        echo,
        in_turn(completion(f"not JSON {KEY}")),
        always(completion(f"never JSON {KEY} {HEADER}")),
        always(completion(None, message={"refusal": f"not with {KEY}"})),
        always(Reaction(401, json.dumps({"error": {"message": f"bad key {KEY}"}}).encode())),
        always(Reaction(400, f"bad header {HEADER} {WORD}".encode())),
        always(Reaction(500, f"oops {KEY}".encode())),
    ],
)
@pytest.mark.parametrize("how", ["text", "json"])
def test_no_secret_is_printed_or_kept(
    behaviour: object, how: str, judging: Judging, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    with serving(behaviour) as stub:  # type: ignore[arg-type]
        url = stub.url.replace("http://", f"http://me:{WORD}@") + f"?token={WORD}"
        ran = judging(
            *(url, "--key-variable", "MY_KEY", "--header", f"X-Other={HEADER}", "--format", how),
            *("--retries", 1),
        )
    assert stub.headers
    for headers in stub.headers:
        assert headers["x-other"] == HEADER
    assert leaks(folder, ran) == []


def test_the_key_is_sent(judging: Judging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as stub:
        ran = judging(stub)
    assert {headers["authorization"] for headers in stub.headers} == {f"Bearer {KEY}"}
    assert "without a key" not in ran.err


def test_a_server_without_keys_is_asked_without(judging: Judging) -> None:
    with serving() as stub:
        ran = judging(stub)
    assert ran.code == 0
    assert not any("authorization" in headers for headers in stub.headers)
    assert "OPENAI_API_KEY is not set: asking without a key" in ran.err


def test_a_variable_that_was_named_must_be_there(judging: Judging) -> None:
    ran = judging("http://127.0.0.1:1", "--key-variable", "NOT_THERE_AT_ALL")
    assert ran.code == 2
    assert "NOT_THERE_AT_ALL" in ran.err


def test_a_redirect_does_not_carry_the_key_away(
    judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as other:
        away = Reaction(307, headers=(("Location", f"{other.url}/chat/completions"),))
        with serving(always(away)) as stub:
            assert judging(stub).code == 4
    assert other.asked == 0


@pytest.mark.parametrize("url", ["", "host/v1", "ftp://host", "http://", "http://host:port", "//x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--base-url must be an address"):
        make_endpoint(url)


@pytest.mark.parametrize("header", ["", "=x", "a b=x", "X=a\n", "X=ü"])
def test_a_header_that_can_not_be_sent_is_refused_without_its_value(header: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_endpoint("http://host", headers=[header + KEY])
    assert KEY not in str(raised.value)


def test_a_key_that_can_not_be_sent_is_refused_without_it() -> None:
    with pytest.raises(UsageError) as raised:
        make_endpoint("http://host", key=f"{KEY}\n{KEY}")
    assert KEY not in str(raised.value)


def test_an_endpoint_does_not_show_its_secrets() -> None:
    endpoint = make_endpoint(f"https://u:{WORD}@h:1/v1", key=KEY, headers=[f"X={HEADER}"])
    assert not any(secret in repr(endpoint) for secret in (KEY, HEADER, WORD))
    assert endpoint.shown == "https://h:1/v1/chat/completions"
    assert make_endpoint("http://[::1]:8/v1/chat/completions/").shown == (
        "http://[::1]:8/v1/chat/completions"
    )


def test_a_short_key_is_no_secret_and_spoils_no_text() -> None:
    assert make_endpoint("http://h", key="x").clean("a text with x") == "a text with x"
