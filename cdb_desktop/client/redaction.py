"""Masks tokens and passwords in text that is shown, raised or logged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, quote_plus, urlsplit, urlunsplit

MASK = "•••"

known_secrets: set[str] = set()  # tokens and passwords in use, see `redact_unforeseen`

_SHORTEST = 4  # characters; shorter secrets would match ordinary words
_WORDS = ("token", "passw", "secret", "authorization", "://")
_NAMES = r"(?:token|passw(?:or)?d|passwort|secret)"
_ASSIGNED = re.compile(rf"(?i)({_NAMES}=)[^&\s\"'<>\\;,)]+")
_QUOTED = re.compile(rf"(?i)(\\*[\"'][\w-]{{0,24}}{_NAMES}\\*[\"']\s*:\s*\\*[\"'])[^\"'\\]*")
_ENCODED = re.compile(rf"(?i)({_NAMES}%3d)(?:[^&\s\"'<>\\;,)%]|%(?!26))+")
_BEARER = re.compile(r"(?i)(authorization[\"']?\s*[:=]\s*[\"']?)(?:(?:basic|bearer|digest)\s+)?[^\s\"'<>,]+")
_USER = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://)[^/\s\"'<>@]+@")
_HEADER = re.compile(rf"(?i)({_NAMES}:\s*)[^\s\"'<>]+")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without ``secrets`` in any spelling, and without values of things named token or password."""
    spellings = sorted(_spellings(secrets), key=len, reverse=True)
    if spellings:
        text = re.sub("|".join(map(re.escape, spellings)), MASK, text, flags=re.IGNORECASE)
    # Most texts contain none of these words, and the patterns are slow.
    folded = text.casefold()
    if any(word in folded for word in _WORDS):
        for pattern in (_ASSIGNED, _ENCODED, _QUOTED, _BEARER, _HEADER):
            text = pattern.sub(rf"\g<1>{MASK}", text)
        text = _USER.sub(rf"\g<1>{MASK}@", text)
    return text


def redact_unforeseen(text: str) -> str:
    """Like `redact` with all known secrets, for texts of unknown content such as unforeseen exceptions."""
    return redact(text, [one for one in tuple(known_secrets) if len(one) >= _SHORTEST])


def bare_url(url: str) -> str:
    """``url`` without user, password, query and fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _spellings(secrets: Iterable[str]) -> set[str]:
    return {
        spelling
        for secret in secrets
        for spelling in (secret, quote(secret, safe=""), quote_plus(secret), _in_json(secret))
        if spelling
    }


def _in_json(secret: str) -> str:
    return secret.replace("\\", "\\\\").replace('"', '\\"')


class MaskingWriter:
    """Passes bytes on in pieces with ``secrets`` masked, also across pieces."""

    def __init__(self, write: Callable[[bytes], object], secrets: Iterable[str]) -> None:
        self._write = write
        self._secrets = tuple(secret.encode() for secret in secrets if secret)
        self._overlap = max((len(one) - 1 for one in self._secrets), default=0)
        self._rest = b""
        self.size = 0

    def write(self, data: bytes) -> None:
        """Passes a piece on."""
        text = self._masked(self._rest + data)
        end = max(0, len(text) - self._overlap)
        self._rest = text[end:]
        self._pass(text[:end])

    def end(self) -> None:
        """Passes the rest on."""
        self._pass(self._rest)
        self._rest = b""

    def _masked(self, data: bytes) -> bytes:
        for secret in self._secrets:
            data = data.replace(secret, MASK.encode())
        return data

    def _pass(self, data: bytes) -> None:
        self.size += len(data)
        if data:
            self._write(data)
