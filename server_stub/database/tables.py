"""The server's own tables.

Their names begin with `_`, so they never meet a user's table, which begins with a letter.
Times are whole epoch seconds, JSON is text, truth values are 0 and 1: the same on every database.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text, column

from server_stub.database.dialects import only, partitioned_by

metadata = MetaData()

# Tables that a server's database does not have: that of a backup, and that of an unfinished migration.
BACKUP_MANIFEST = "_backup"
MIGRATION_STATE = "_migration"

# SQLite gives its fast row id only to a primary key declared INTEGER.
_Id = BigInteger().with_variant(Integer, "sqlite")
# Strings sort by code point (wire §3): SQLite does by default, PostgreSQL with this collation.
_String = Text().with_variant(Text(collation="C"), "postgresql")

counter = Table(
    "_counter",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

# Fields of which one value, or none, may be that of most events. The index of every field by which lists are
# sorted contains them all, so that a list sorted by two fields finds its page in the index of the second.
SORT_COVERED = ("type", "schema", "base_type", "object_id", "object_version")
# Fields by which lists are filtered: the same indexes tell which of the rows in their order are listed.
_FILTERED = ("pollable", "user_id")


def _others(field: str) -> Iterator[str]:
    return (name for name in (*SORT_COVERED, *_FILTERED) if name != field)


# `head` and `tail` keep the record's JSON around what varies by caller: a list is one concatenation a row.
# Indexes hold the time as well: a list that is frozen at a moment then finds its page without any other row.
event = Table(
    "_event",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=False),
    Column("timestamp", BigInteger, nullable=False),
    Column("type", _String, nullable=False),
    Column("schema", _String),
    Column("base_type", _String),
    Column("objecttype", _String),
    Column("object_id", BigInteger),
    Column("object_version", BigInteger),
    Column("pollable", Integer, nullable=False),
    Column("user_id", BigInteger),
    Column("user_displayname", _String),
    Column("user_type", _String),
    Column("session", Text),
    Column("ipv4_address", Text),
    Column("head", Text, nullable=False),
    Column("tail", Text, nullable=False),
    Column("info", Text, nullable=False),
    Index("_event_id", "id", "timestamp", "pollable"),
    Index("_event_timestamp", "timestamp", "id", *_others("timestamp")),
    Index("_event_type_id", "type", "id", "timestamp", *_others("type")),
    Index("_event_type", "type", "timestamp", "user_id"),
    Index("_event_user", "user_id", "timestamp"),
    Index("_event_base_type", "base_type", "id", "timestamp", *_others("base_type")),
    Index("_event_object", "object_id", "id", "timestamp", *_others("object_id")),
    Index("_event_version", "object_version", "id", "timestamp", *_others("object_version")),
    Index("_event_schema", "schema", "id", "timestamp", *_others("schema")),
    Index("_event_displayname", "user_displayname", "id", "timestamp", *_others("user_displayname")),
    **partitioned_by("id"),
)

user = Table(
    "_user",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("login", _String, nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("type", _String, nullable=False),
    Column("displayname", _String, nullable=False),
    Column("rights", Text, nullable=False),
)

group = Table(
    "_group",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("name", _String, nullable=False, unique=True),
    Column("displayname", _String, nullable=False),
)

membership = Table(
    "_membership",
    metadata,
    Column("user_id", ForeignKey(user.c.id, ondelete="CASCADE"), primary_key=True),
    Column("group_id", ForeignKey(group.c.id, ondelete="CASCADE"), primary_key=True, index=True),
)

# `record` is what full event records contain of the session: JSON members, each after a comma. Rows lie by
# their reference, so that joining a thousand events to theirs takes one search each.
session = Table(
    "_session",
    metadata,
    Column("token_hash", Text, nullable=False, unique=True),
    Column("reference", Text, primary_key=True),
    Column("created", BigInteger, nullable=False),
    Column("last_used", BigInteger, nullable=False),
    Column("user_id", ForeignKey(user.c.id, ondelete="CASCADE")),
    Column("method", Text),
    Column("authenticated", BigInteger),
    Column("record", Text, nullable=False),
    Column("current_max_event_id", BigInteger),
    Index("_session_last_used", "last_used"),
    Index(
        "_session_never_signed_in",
        "last_used",
        **only(column("current_max_event_id").is_(None)),
    ),
    sqlite_with_rowid=False,
)

# Codes and refresh tokens of OAuth 2.0: all that come from one log-in have the same `family`; `session` is
# the reference of the access token that each was exchanged for, or issued with. Used ones are kept for a
# while: a second use means that somebody else has it.
oauth_token = Table(
    "_oauth_token",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("family", Text, nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("user_id", ForeignKey(user.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("client_id", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("redirect_uri", Text),
    Column("challenge", Text),
    Column("session", Text, index=True),
    Column("created", BigInteger, nullable=False),
    Column("used", Integer, nullable=False),
)

# Version 0.1 counted in `_login_failure`, which its databases still have.
login_throttle = Table(
    "_login_throttle",
    metadata,
    Column("address", _String, primary_key=True),
    Column("name", _String, primary_key=True),
    Column("failures", Double, nullable=False),
    Column("last", BigInteger, nullable=False),
    Index("_login_throttle_last", "last"),
)

# What requests with an `Idempotency-Key` have inserted; `key` and `content` are hashes, of the user and the
# header, and of the body.
insertion = Table(
    "_insertion",
    metadata,
    Column("key", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("timestamp", BigInteger, nullable=False),
    Column("first_id", BigInteger, nullable=False),
    Column("count", Integer, nullable=False),
    Index("_insertion_timestamp", "timestamp"),
)

server_error = Table(
    "_server_error",
    metadata,
    Column("uuid", Text, primary_key=True),
    Column("timestamp", BigInteger, nullable=False),
    Column("details", Text, nullable=False),
)

configuration = Table(
    "_configuration",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

schema_version = Table(
    "_schema_version",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("document", Text, nullable=False),
    Column("committed_at", BigInteger),
    Column("committed_by", BigInteger),
)

# One row for each step of each commit, written by its transaction; `state` is always "done".
journal = Table(
    "_journal",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("begun", BigInteger, nullable=False),
    Column("ended", BigInteger),
)

localization = Table(
    "_localization",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("texts", Text, nullable=False),
)

# One row for each version of an object that was written since this table exists. `before` is a JSON object of
# the values that the version has replaced, by the keys of `server_stub/schema/objects.py`: an old version is
# the present object with these put back, newest first.
object_version = Table(
    "_object_version",
    metadata,
    Column("table_id", Integer, primary_key=True, autoincrement=False),
    Column("object_id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("timestamp", BigInteger),
    Column("before", Text, nullable=False),
    sqlite_with_rowid=False,
)
