"""The event log: appends, reads, lists, counts, polls and deletes; which events a poll may return (§4.2)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import msgspec
from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Select,
    and_,
    bindparam,
    delete,
    func,
    not_,
    or_,
    select,
    update,
)

from server_stub.database import Database, Reader, WriteLock
from server_stub.database.bulk import insert_rows
from server_stub.database.dialects import among, ends_in_pause, upsert
from server_stub.database.reader import TooLongError
from server_stub.database.tables import counter, event, insertion
from server_stub.events.query import (
    OLDEST_FIRST,
    EventFilter,
    EventQuery,
    SortField,
    page_restriction,
    paged,
    with_ids,
)
from server_stub.events.record import (
    CALLER,
    RECORDS,
    EventDraft,
    RecordForm,
    event_row,
    joined_records,
    separate_records,
)
from server_stub.foundation.errors import ApiError

# How long a request is known by its key, and how many of those that are not are deleted with a new one.
_KNOWN_SECONDS = 86_400
_PURGED_AT_ONCE = 100


class RequestKey(msgspec.Struct, frozen=True):
    """By what a repeated insertion is recognized: hashes of its key and of its body, and the time."""

    key: str
    content: str
    now: int


class Caller(msgspec.Struct, frozen=True):
    """For whom records are read: the public reference of a session and its user."""

    session: str
    user_id: int | None


_asking_user = bindparam("calling_user", type_=BigInteger)
_foreign_insert = and_(event.c.type == "OBJECT_INSERT", event.c.session.is_distinct_from(CALLER))
_foreign_user_update = and_(
    event.c.type == "OBJECT_UPDATE",
    event.c.base_type.is_not_distinct_from("user"),
    event.c.user_id.is_distinct_from(_asking_user),
)

# The three rules of §4.2; a statement is run with `caller` and `calling_user`.
_VISIBLE = (
    event.c.pollable == 1,  # §4.2 rule 3
    not_(or_(_foreign_insert, _foreign_user_update)),  # §4.2 rules 1 and 2
)


_NEWEST = select(counter.c.value).where(counter.c.name == "event")
_ONE = {form: records.where(event.c.id == bindparam("id")) for form, records in RECORDS.items()}
# Generation 6 has no rules but that an event is pollable.
_POLL = {
    form: joined_records(
        RECORDS[form]
        .where(event.c.id > bindparam("last_id"), *visible)
        .order_by(event.c.id)
        .limit(bindparam("most", type_=Integer))
    )
    for form, visible in ((RecordForm.SHORT, _VISIBLE), (RecordForm.WHOLE, _VISIBLE[:1]))
}


# A page up to this size is joined by the database, which is fastest; a larger one is read in batches.
_JOINED_BYTES = 2 << 20
_BATCH = 20


@lru_cache(maxsize=64)
def _page(event_filter: EventFilter | None, sort: tuple[SortField, ...], form: RecordForm) -> Select[bytes]:
    # Building a statement takes longer than running it, and a client turns many pages of one query.
    return joined_records(_records(event_filter, sort, form))


@lru_cache(maxsize=64)
def _rows(event_filter: EventFilter | None, sort: tuple[SortField, ...], form: RecordForm) -> Select[bytes]:
    return separate_records(_records(event_filter, sort, form))


def _records(event_filter: EventFilter | None, sort: tuple[SortField, ...], form: RecordForm) -> Select[str]:
    """The records of a page, which is restricted by a filter or by ids."""
    records = RECORDS[form]
    return with_ids(records, sort) if event_filter is None else paged(records, event_filter, sort)


@lru_cache(maxsize=64)
def _counting(event_filter: EventFilter) -> Select[int]:
    return select(func.count()).select_from(event).where(*event_filter.conditions())


class EventLog:
    """All events of one database; `instance` is the part of global object ids after the `@`."""

    def __init__(self, database: Database, instance: str) -> None:
        self._database = database
        self.instance = instance

    def append(self, connection: Connection, drafts: Sequence[EventDraft]) -> range:
        """Stores events as the last statements of the caller's transaction; returns their ids.

        Ids come from a counter row, which stays locked until the commit: their order is the order in which
        they become visible, so that a poll never misses one.
        """
        if not drafts:
            return range(0)
        rows = [event_row(draft, self.instance) for draft in drafts]
        taken = update(counter).where(counter.c.name == "event").values(value=counter.c.value + len(drafts))
        last: int = connection.execute(taken.returning(counter.c.value, ends_in_pause())).scalars().one()
        self._database.reach_event(last)
        ids = range(last - len(drafts) + 1, last + 1)
        insert_rows(connection, event, [(id_, *row) for id_, row in zip(ids, rows, strict=True)])
        return ids

    def append_once(
        self, connection: Connection, drafts: Sequence[EventDraft], request: RequestKey | None
    ) -> range:
        """The same, but where a request with this key has inserted events, returns their ids.

        Requests with one key wait for one another. Raises ApiError if the body of the first was another one.
        """
        if request is None:
            return self.append(connection, drafts)
        outdated = insertion.c.timestamp < request.now - _KNOWN_SECONDS
        of_key = insertion.c.key == request.key
        new = {"content": request.content, "timestamp": request.now, "first_id": 0, "count": 0}
        taken = upsert(connection, insertion).values(key=request.key, **new)
        taken = taken.on_conflict_do_update(index_elements=["key"], set_=new, where=outdated)
        if connection.execute(taken.returning(insertion.c.key)).first() is None:
            known = connection.execute(select(insertion).where(of_key)).one()
            if known.content != request.content:
                raise ApiError("invalid_value", "This Idempotency-Key was that of another request.")
            return range(known.first_id, known.first_id + known.count)
        old = select(insertion.c.key).where(outdated).order_by(insertion.c.timestamp).limit(_PURGED_AT_ONCE)
        connection.execute(delete(insertion).where(insertion.c.key.in_(old)))
        ids = self.append(connection, drafts)
        connection.execute(update(insertion).where(of_key).values(first_id=ids.start, count=len(ids)))
        return ids

    def last_id(self, connection: Connection) -> int:
        """The greatest id ever given; deleted events count."""
        return int(connection.execute(_NEWEST).scalar_one())

    def newest_id(self, reader: Reader) -> int:
        """The same, read with a compiled statement."""
        return int(reader.scalar(_NEWEST, {}))

    def full_record(
        self, reader: Reader, event_id: int, caller: Caller, form: RecordForm = RecordForm.FULL
    ) -> str | None:
        """One record as JSON text (§4.1), or None if there is no such event."""
        values = {"caller": caller.session, "instance": self.instance, "id": event_id}
        record: str | None = reader.scalar(_ONE[form], values)
        return record

    def records(self, reader: Reader, caller: Caller, query: EventQuery, form: RecordForm) -> Iterator[bytes]:
        """The records of a page (§4.3) in pieces: each is some members of a JSON array, comma-separated.

        The page is read while the pieces are taken, so that a page of large events takes no more memory
        than one piece.
        """
        event_filter, values = page_restriction(reader, query)
        values = {"caller": caller.session, "instance": self.instance, **values}
        page = _page(event_filter, query.sort, form)
        try:
            joined: bytes | None = reader.limited(page, values, _JOINED_BYTES)
        except TooLongError:
            rows = _rows(event_filter, query.sort, form)
            for batch in reader.batches(rows, values, _BATCH):
                yield b",".join([record for (record,) in batch])
        else:
            if joined:
                yield joined

    def count(self, reader: Reader, event_filter: EventFilter) -> int:
        """The number of events that match a filter."""
        return int(reader.scalar(_counting(event_filter), {}))

    def poll(
        self,
        reader: Reader,
        caller: Caller,
        last_id: int,
        limit: int,
        form: RecordForm = RecordForm.SHORT,
    ) -> bytes:
        """Records after `last_id` that the caller may see, by ascending id, as array members (§4.2)."""
        if self._database.is_read_instead:
            # What is not on the next primary would be shown, and its ids used again.
            return b""
        nothing_new = ("nothing new", caller, last_id, form)
        if nothing_new in reader.cache:
            return b""
        values = {
            "caller": caller.session,
            "calling_user": caller.user_id,
            "instance": self.instance,
            "last_id": last_id,
            "most": limit,
        }
        found: bytes | None = reader.scalar(_POLL[form], values)
        if found is None:
            reader.cache[nothing_new] = True
        return found or b""

    def delete(self, event_filter: EventFilter, limit: int, offset: int = 0) -> int:
        """Deletes the matching events by ascending id (wire §3); returns the number of deleted events.

        This is one transaction, unless the disk is full: then it may be several.
        """

        def delete_some(connection: Connection, most: int) -> int:
            query = EventQuery(event_filter, OLDEST_FIRST, most, offset)
            matching = query.applied(select(event.c.id)).scalar_subquery()
            return connection.execute(delete(event).where(among(event.c.id, matching)), query.values).rowcount

        return self._database.delete_in_parts(WriteLock.DELETION, limit, delete_some)

    def delete_ids(self, ids: Sequence[int]) -> int:
        """Deletes by ascending id; returns the number of deleted events (§4.5)."""
        # Consecutive ids are one range: PostgreSQL takes a hundred times as long to find them one by one.
        runs = [[*run] for _, run in groupby(enumerate(ids), lambda each: each[1] - each[0])]
        return self.delete(EventFilter(ids=tuple((run[0][1], run[-1][1]) for run in runs)), len(ids))


class ClosedLog(EventLog):
    """A log that is only read: nothing that happens while it is served is added."""

    def append(self, connection: Connection, drafts: Sequence[EventDraft]) -> range:  # noqa: ARG002
        """Stores nothing."""
        return range(0)
