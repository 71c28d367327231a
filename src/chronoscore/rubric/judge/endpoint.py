"""Where judges are asked: an address, a key and headers, and only the address is shown."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from chronoscore.core.errors import UsageError

PATH = "/chat/completions"
HIDDEN = "[hidden]"
# Keys of local servers, such as "none" or "x", are no secrets, and may be words of any text.
_SHORTEST_SECRET = 8
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible server; what is secret is left out of its representation."""

    address: str = field(repr=False)
    """The full address of chat completions, with all that was given."""
    shown: str
    """The same without user, password and query."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def header_names(self) -> list[str]:
        """The names of the headers that are sent; values may be secret."""
        return sorted(name for name, _ in self.headers)

    def clean(self, text: str) -> str:
        """Hide secrets in what a server says: some send back the key that they refuse."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text


def make_endpoint(base_url: str, *, key: str = "", headers: Sequence[str] = ()) -> Endpoint:
    """Make an endpoint of a base URL, a key and headers written NAME=VALUE.

    >>> make_endpoint("http://user:word@127.0.0.1:8000/v1/?a=b").shown
    'http://127.0.0.1:8000/v1/chat/completions'
    """
    try:
        parts = urlsplit(base_url.strip())
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("--base-url must be an address such as https://host/v1")
    path = parts.path.rstrip("/")
    path = path if path.endswith(PATH) else path + PATH
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    given = [_header(text) for text in headers]
    own = {name.lower() for name, _ in given}
    if key.strip() and "authorization" not in own:
        given.append(("Authorization", f"Bearer {_sendable(key.strip(), 'the key')}"))
    secrets = [key.strip(), parts.password or "", *(value for _, value in given)]
    secrets += [value.removeprefix("Bearer ") for _, value in given]
    secrets += [piece.partition("=")[2] for piece in parts.query.split("&")]
    kept = {one for one in secrets if len(one) >= _SHORTEST_SECRET}
    kept |= {json.dumps(one)[1:-1].replace("/", "\\/") for one in kept}  # as JSON may write it
    return Endpoint(
        address=urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")),
        shown=urlunsplit((parts.scheme, f"{host}{port}", path, "", "")),
        headers=tuple(given),
        # The longest first, so that no part of one is left where another is inside it.
        secrets=tuple(sorted(kept, key=len, reverse=True)),
    )


def key_from(variable: str) -> str:
    """Read the key from the environment; empty if there is none."""
    return os.environ.get(variable, "").strip()


def _header(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _HEADER_NAME.fullmatch(name.strip()):
        # Not quoted: without a name it may be the secret itself.
        raise UsageError("--header: write NAME=VALUE, with a name of letters, digits and hyphens")
    return name.strip(), _sendable(value.strip(), f"the value of --header {name.strip()}")


def _sendable(value: str, what: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise UsageError(f"{what} has characters that can't be sent in a header")
    return value
