"""Queries of the log as SQL of each database."""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from server_stub.database.tables import event
from server_stub.events.query import NEWEST_FIRST, EventFilter, paged


def test_any_offset_that_a_call_takes() -> None:
    """OFFSET and LIMIT are BIGINT in PostgreSQL, since an offset may have 18 digits."""
    page = paged(select(event.c.id), EventFilter(), NEWEST_FIRST)
    sql = str(page.compile(dialect=PGDialect_psycopg()))  # type: ignore[no-untyped-call]
    assert "OFFSET %(page_offset)s::BIGINT" in sql
    assert "LIMIT %(page_limit)s::BIGINT" in sql
