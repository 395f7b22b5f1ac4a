"""The store of events: appends, reads, lists, counts, polls and deletes; knows no rights and no HTTP."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, insert, select, update

from server_stub.database import Database
from server_stub.database.tables import counter, event, session
from server_stub.events import texts
from server_stub.events.query import OLDEST_FIRST, EventFilter, Listing
from server_stub.events.record import EventDraft, event_row
from server_stub.events.visibility import Asker, visible_to
from server_stub.times import to_wire


class EventLog:
    """All events of one database; `instance` is the part of global object ids after the `@`."""

    def __init__(self, database: Database, instance: str) -> None:
        self._database = database
        self.instance = instance

    def append(self, connection: Connection, drafts: Sequence[EventDraft]) -> range:
        """Stores events as the last statements of the caller's transaction; answers their ids.

        Ids come from a counter row, which stays locked until the commit: their order is the order in which
        they become visible, so a poll never passes one by.
        """
        if not drafts:
            return range(0)
        taken = update(counter).where(counter.c.name == "event").values(value=counter.c.value + len(drafts))
        last = connection.execute(taken.returning(counter.c.value)).scalars().one()
        ids = range(last - len(drafts) + 1, last + 1)
        rows = [event_row(draft, self.instance) | {"id": id_} for id_, draft in zip(ids, drafts, strict=True)]
        connection.execute(insert(event), rows)
        return ids

    def last_id(self, connection: Connection) -> int:
        """The greatest id ever given; deleted events count."""
        return int(connection.execute(select(counter.c.value).where(counter.c.name == "event")).scalar_one())

    def full_record(self, connection: Connection, event_id: int, asker: Asker) -> str | None:
        """One full record as JSON text (§4.1), None when there is none."""
        found = select(*texts.full(asker.session)).where(event.c.id == event_id)
        return next(iter(self._full_records(connection, connection.execute(found).all())), None)

    def short_records(self, connection: Connection, asker: Asker, listing: Listing) -> list[str]:
        """Short records of a list as JSON texts (§4.3)."""
        return list(connection.execute(listing.applied(select(texts.short(asker.session)))).scalars())

    def full_records(self, connection: Connection, asker: Asker, listing: Listing) -> list[str]:
        """Full records of a list as JSON texts (§4.3, json_full)."""
        found = connection.execute(listing.applied(select(*texts.full(asker.session))))
        return self._full_records(connection, found.all())

    def count(self, connection: Connection, wanted: EventFilter) -> int:
        """How many events fulfil a filter."""
        matching = select(func.count()).select_from(event).where(*wanted.conditions())
        return connection.execute(matching).scalar_one()

    def poll(self, connection: Connection, asker: Asker, last_id: int, limit: int) -> list[str]:
        """Short records after `last_id` that the asker may see, by ascending id (§4.2)."""
        seen = select(texts.short(asker.session)).where(event.c.id > last_id, *visible_to(asker))
        return list(connection.execute(seen.order_by(event.c.id).limit(limit)).scalars())

    def delete_ids(self, connection: Connection, ids: Sequence[int]) -> int:
        """Deletes by id; answers how many there were (§4.5)."""
        deleted = 0
        for start in range(0, len(ids), 1000):
            batch = delete(event).where(event.c.id.in_(ids[start : start + 1000]))
            deleted += connection.execute(batch).rowcount
        return deleted

    def delete_matching(self, connection: Connection, wanted: EventFilter, limit: int, offset: int) -> int:
        """Deletes the matching events by ascending id (wire §3); answers how many there were."""
        listing = Listing(wanted, OLDEST_FIRST, limit, offset)
        matching = listing.applied(select(event.c.id)).scalar_subquery()
        return connection.execute(delete(event).where(event.c.id.in_(matching))).rowcount

    def _full_records(self, connection: Connection, rows: Sequence[tuple[str, str | None]]) -> list[str]:
        references = {row[1] for row in rows if row[1] is not None}
        columns = (session.c.reference, session.c.created, session.c.ended)
        known = connection.execute(select(*columns).where(session.c.reference.in_(references)))
        added = {reference: _session_members(created, ended) for reference, created, ended in known}
        return [
            f"{text[:-2]}{added[reference]}}}}}" if reference in added else text for text, reference in rows
        ]


def _session_members(created: int, ended: int | None) -> str:
    expired = "" if ended is None else f',"expired":"{to_wire(ended)}"'
    return f',"created":"{to_wire(created)}"{expired}'
