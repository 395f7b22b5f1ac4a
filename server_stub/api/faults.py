"""Keeps what a server error was about, so that it can be read by its uuid (wire §4); no secret gets in."""

from __future__ import annotations

import logging
import traceback

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts import Session
from server_stub.api.call import Incoming, Rooms
from server_stub.errors import ServerError
from server_stub.logs import without_secrets
from server_stub.times import to_wire

log = logging.getLogger(__name__)


def report_fault(rooms: Rooms, incoming: Incoming, found: Session | None, error: ServerError) -> str | None:
    """Logs and keeps the details; answers their uuid, None when even the keeping failed."""
    trace = without_secrets("".join(traceback.format_exception(error.__cause__ or error)))
    log.error("%s on %s %s\n%s", error.code, incoming.method, incoming.path, trace)

    def describe(_uuid: str, second: int) -> str:
        details = {
            "code": error.code,
            "description": error.description,
            "timestamp": to_wire(second),
            "request": {"method": incoming.method, "url": _url(incoming)},
            "session": found.reference if found else None,
            "log": trace,
        }
        return msgspec.json.encode(details).decode()

    try:
        return rooms.faults.keep(describe)
    except SQLAlchemyError:
        log.exception("The details of a server error could not be kept")
        return None


def _url(incoming: Incoming) -> str:
    # Values of a query may be secrets (a password among them); names suffice to understand a fault.
    names = "&".join(f"{name}=…" for name, _ in incoming.query)
    return without_secrets(f"{incoming.path}?{names}" if names else incoming.path)
