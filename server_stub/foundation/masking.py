"""Removes secrets from texts such as logs and the details of errors.

A secret is hidden in two ways: by its shape, wherever it comes from (session tokens, and what follows a
telling name), and by its value, for as long as the call that brought it is handled.
"""

import re
from contextvars import ContextVar
from urllib.parse import quote, quote_plus

_HIDDEN = "…"
# How secrets.token_urlsafe(32) looks.
_TOKEN = re.compile(r"(?<![\w-])[\w-]{43}(?![\w-])", re.ASCII)
_NAMED = re.compile(r"(?i)((?:token|password|secret)[\"']?\s*[=:]\s*[\"']?)[^\s&\"',}]+")

_secrets: ContextVar[tuple[str, ...]] = ContextVar("_secrets", default=())


class hide_secrets:  # noqa: N801 - it reads as a statement
    """Context in which `mask_secrets` hides these texts, within this thread or task."""

    def __init__(self, *secrets: str) -> None:
        self._secrets = tuple(filter(None, secrets))

    def __enter__(self) -> None:
        self._before = _secrets.set(_secrets.get() + self._secrets)

    def __exit__(self, *_: object) -> None:
        _secrets.reset(self._before)


def mask_secrets(text: str) -> str:
    """Returns a text without anything that signs somebody in."""
    for secret in _secrets.get():
        for written in _spellings(secret):
            text = text.replace(written, _HIDDEN)
    hidden = _NAMED.sub(rf"\1{_HIDDEN}", _TOKEN.sub(_HIDDEN, text))
    # JSON cannot contain half a surrogate pair, as in a damaged name.
    return hidden.encode(errors="replace").decode()


def _spellings(secret: str) -> set[str]:
    # Bytes that are no UTF-8 are carried along in texts of calls, and escaped as what they were.
    quoted = (quote(secret, safe, errors="surrogateescape") for safe in ("/", ""))
    return {secret, *quoted, quote_plus(secret, errors="surrogateescape")}
