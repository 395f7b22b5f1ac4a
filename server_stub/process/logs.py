"""What the server logs: one JSON object a line on stderr, and no secret in any."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

import msgspec

from server_stub.foundation.masking import mask_secrets

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
# They log every statement with its rows, or what is misleading here.
_TOO_TALKATIVE = ("sqlalchemy", "alembic", "asyncio")


def start_logging(level: str) -> None:
    """Logs from a level up, one of LEVELS, replacing the previous configuration."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for name in _TOO_TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON; `extra={"fields": …}` adds members to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without the line's end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode({name: _clean(value) for name, value in line.items()}).decode()


def _clean(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_secrets(str(value))
