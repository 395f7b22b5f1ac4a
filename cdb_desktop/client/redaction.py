"""Takes tokens and passwords out of text that will be shown, raised or logged; knows nothing of calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus, urlsplit, urlunsplit

MASK = "•••"

_WORDS = ("token", "passw", "secret")
_NAMES = r"(?:token|passw(?:or)?d|secret)"
_ASSIGNED = re.compile(rf"(?i)({_NAMES}=)[^&\s\"'<>\\;,)]+")
_QUOTED = re.compile(rf"(?i)(\\*[\"'][\w-]{{0,24}}{_NAMES}\\*[\"']\s*:\s*\\*[\"'])[^\"'\\]*")
_HEADER = re.compile(rf"(?i)({_NAMES}:\s*)[^\s\"'<>]+")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without ``secrets`` in any spelling, and without values of things named token or password."""
    for spelling in sorted(_spellings(secrets), key=len, reverse=True):
        text = text.replace(spelling, MASK)
    # Most texts name none, and the patterns take long to find that out.
    folded = text.casefold()
    if any(word in folded for word in _WORDS):
        for pattern in (_ASSIGNED, _QUOTED, _HEADER):
            text = pattern.sub(rf"\g<1>{MASK}", text)
    return text


def redact_all(parameters: Mapping[str, str], secrets: Iterable[str]) -> dict[str, str]:
    """``parameters`` with every value redacted; an unknown token comes back in one (wire §2)."""
    known = tuple(secrets)
    return {key: redact(value, known) for key, value in parameters.items()}


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
