"""Parts records into events and what cannot be read. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from cdb_desktop.client import Event, Record, Unreadable


def parted(records: Sequence[Record]) -> tuple[list[Event], list[Unreadable]]:
    """The events and the others, each in their order."""
    events = [one for one in records if isinstance(one, Event)]
    if len(events) == len(records):
        return events, []
    return events, [one for one in records if isinstance(one, Unreadable)]


def events_of(records: Sequence[Record]) -> list[Event]:
    """The events among ``records``."""
    return [one for one in records if isinstance(one, Event)]
