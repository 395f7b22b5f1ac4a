"""What the server logs: one JSON object a line on stderr, and no secret in any; knows no call.

A secret is hidden in two ways: by its shape, wherever it comes from (session tokens, and what follows a
telling name), and by its value, for as long as the call that brought it is handled.
"""

from __future__ import annotations

import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from urllib.parse import quote, quote_plus

import msgspec

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_HIDDEN = "…"
# How secrets.token_urlsafe(32) looks.
_TOKEN = re.compile(r"(?<![\w-])[\w-]{43}(?![\w-])", re.ASCII)
_NAMED = re.compile(r"(?i)((?:token|password|secret)[\"']?\s*[=:]\s*[\"']?)[^\s&\"',}]+")
# They tell every statement with its rows, or what is misleading here.
_TOO_TALKATIVE = ("sqlalchemy", "alembic", "asyncio")

_secrets: ContextVar[tuple[str, ...]] = ContextVar("_secrets", default=())


def start_logging(level: str) -> None:
    """Logs from a level up, one of LEVELS, whatever logged before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _TOO_TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class hiding:  # noqa: N801 - it reads as a statement
    """Keeps these texts out of every line that is logged meanwhile in this thread."""

    def __init__(self, *secrets: str) -> None:
        self._secrets = tuple(filter(None, secrets))

    def __enter__(self) -> None:
        self._before = _secrets.set(_secrets.get() + self._secrets)

    def __exit__(self, *_: object) -> None:
        _secrets.reset(self._before)


def without_secrets(text: str) -> str:
    """A text in which nothing can be read that signs somebody in."""
    for secret in _secrets.get():
        for written in _spellings(secret):
            text = text.replace(written, _HIDDEN)
    hidden = _NAMED.sub(rf"\1{_HIDDEN}", _TOKEN.sub(_HIDDEN, text))
    # Half a surrogate pair, as in a damaged name, can stand in no JSON.
    return hidden.encode(errors="replace").decode()


def _spellings(secret: str) -> set[str]:
    # Bytes that are no UTF-8 are carried along in texts of calls, and escaped as what they were.
    quoted = (quote(secret, safe, errors="surrogateescape") for safe in ("/", ""))
    return {secret, *quoted, quote_plus(secret, errors="surrogateescape")}


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; `extra={"fields": …}` adds members to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without the line's end."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode({name: _clean(value) for name, value in told.items()}).decode()


def _clean(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return without_secrets(str(value))
