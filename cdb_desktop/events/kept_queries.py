"""What each user asked of each service, as one text that can be kept from start to start. No I/O."""

from __future__ import annotations

import msgspec

from cdb_desktop.client.lenient import BROKEN
from cdb_desktop.events.history import History
from cdb_desktop.events.query import can_be_asked

VERSION = 1
_HOMES = 20  # services and users; those of longest ago are forgotten
_STEPS = 50  # queries each way


class UnreadableError(ValueError):
    """Something is kept that this program cannot ask: it is damaged, or of another version."""


class _Kept(msgspec.Struct, frozen=True):
    version: int
    history: msgspec.Raw


def history_of(text: str, home: str) -> History:
    """What was asked at ``home``, which is nothing at first. Raises UnreadableError."""
    try:
        record = _records(text).get(home)
        if record is None:
            return History()
        kept = msgspec.json.decode(record, type=_Kept)
        if kept.version != VERSION:
            reason = f"version {kept.version}"
            raise UnreadableError(reason)
        history = msgspec.json.decode(kept.history, type=History)
    except BROKEN as error:
        raise UnreadableError(str(error)) from error
    if not all(map(can_be_asked, (history.present, *history.past, *history.future))):
        reason = "an order or a time that cannot be asked for"
        raise UnreadableError(reason)
    return history


def with_history(text: str, home: str, history: History) -> str:
    """The text with another history of ``home``, which is the newest then; others stay as they are."""
    try:
        others = {name: record for name, record in _records(text).items() if name != home}
    except BROKEN:
        others = {}
    short = History(history.present, history.past[-_STEPS:], history.future[-_STEPS:])
    record = msgspec.json.encode(_Kept(VERSION, msgspec.Raw(msgspec.json.encode(short))))
    newest = list((others | {home: msgspec.Raw(record)}).items())[-_HOMES:]
    return msgspec.json.encode(dict(newest)).decode()


def _records(text: str) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(text or "{}", type=dict[str, msgspec.Raw])
