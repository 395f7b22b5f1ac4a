"""The records that calls return, the rights of a session, and the capabilities of a service."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec
from msgspec import field

from cdb_desktop.client import lenient_json
from cdb_desktop.client.redaction import MASK

ROOT = "system.root"
_DATAMODEL = "system.datamodel"
_INCLUDED_IN = {
    "current": ("current", "development", "commit"),
    "development": ("development", "commit"),
    "commit": ("commit",),
}

UnreadableReason = Literal["not_object", "no_id", "id_not_integer", "id_too_large", "too_deep", "too_large"]


def has_right(granted: Mapping[str, object], right: str) -> bool:
    """Whether ``granted``, a map from right to its parameters, holds the dotted ``right``.

    Root holds all. Else the dotted name (``system.datamodel.commit``) is enough, or its base name with the
    last part as level (``system.datamodel {level: commit}``); commit includes development includes current.
    """
    base, _, last = right.rpartition(".")
    levels = _INCLUDED_IN.get(last, (last,)) if base == _DATAMODEL else (last,)
    if _stands(granted, ROOT) or _stands(granted, right):
        return True
    at_base = granted.get(base)
    return any(_stands(granted, f"{base}.{level}") or _has_level(at_base, level) for level in levels)


def _stands(granted: Mapping[str, object], name: str) -> bool:
    return granted.get(name, False) not in (False, None)


def _has_level(parameters: object, level: str) -> bool:
    if not isinstance(parameters, Mapping):
        return False
    found = parameters.get("level")
    is_level = level in found if isinstance(found, list | tuple) else level == found
    # Rights without levels name what they allow, such as ``get``.
    return is_level or _stands(parameters, level)


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):  # JSON has no reference cycles
    """A record of the event log, short or full (wire §3); missing values are None, False or empty.

    In place of a user there may be a group, with ``group_id`` and its name in ``user_displayname``.
    ``unknown`` holds keys that this client does not know and known ones with a value of an unexpected type.
    """

    id: int = field(name="_id")
    type: str = ""
    timestamp: datetime | None = None  # always with an offset
    schema: str | None = None
    objecttype: str | None = None
    global_object_id: str | None = None
    basetype: str | None = None
    object_id: int | None = None
    object_version: int | None = None
    system_object_id: int | None = None
    session_self: bool = False
    pollable: bool | None = None
    info: msgspec.Raw | None = None
    ipv4_address: str | None = None
    remote_addr: str | None = None
    user_id: int | None = None
    group_id: int | None = None
    user_displayname: str | None = None
    user: Mapping[str, object] = field(default_factory=dict)
    session_token: str | None = None
    session_created: datetime | None = None
    session_expired: datetime | None = None
    unknown: Mapping[str, object] = field(name="*", default_factory=dict)  # not a key of any record

    @property
    def info_value(self) -> object:
        """The info block decoded, None when it was not sent."""
        return lenient_json.value(self.info)

    @property
    def is_whole(self) -> bool:
        """Whether it is a full record, which always contains both (wire §3)."""
        return self.info is not None and self.pollable is not None

    @property
    def address(self) -> str | None:
        """The address from which the event came, whatever the service calls it."""
        return self.ipv4_address or self.remote_addr

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Event({_shown(self, masked={'session_token'}, hidden={'info', 'user', 'unknown'})})"


class Unreadable(msgspec.Struct, frozen=True):
    """A record that is no event; ``raw`` is the received JSON, with secrets.

    ``place`` is where it stood among the records of its answer.
    """

    reason: UnreadableReason
    raw: bytes = b"null"
    place: int = 0

    @property
    def value(self) -> object:
        """The decoded JSON."""
        return lenient_json.value(msgspec.Raw(self.raw))

    def __repr__(self) -> str:
        return f"Unreadable({self.reason!r})"


Record = Event | Unreadable


class Polled(msgspec.Struct, frozen=True):
    """The result of a poll."""

    events: tuple[Event, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class EventPage(msgspec.Struct, frozen=True):
    """A slice of a list; ``count`` is the number of all matches, None if it was skipped.

    Records that are no events are in ``unreadable``, with their places in the slice.
    """

    events: tuple[Event, ...]
    count: int | None = None
    limit: int = 0
    offset: int = 0
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def records(self) -> tuple[Record, ...]:
        """All records in their order."""
        if not self.unreadable:
            return self.events
        found: list[Record] = list(self.events)
        for one in self.unreadable:
            found.insert(one.place, one)
        return tuple(found)


class ObjectVersion(msgspec.Struct, frozen=True, kw_only=True):
    """An object in one of its versions, with all fields.

    ``values`` are those of JSON by the names of columns and nested tables (``_nested:…``). ``modified`` is
    the time at which the version was saved, None if it is unknown.
    """

    objecttype: str
    object_id: int
    version: int | None = None
    modified: datetime | None = None
    values: Mapping[str, object] = field(default_factory=dict)


class User(msgspec.Struct, frozen=True, kw_only=True):
    """The user of a session."""

    id: int | None = field(name="_id", default=None)
    login: str = ""
    type: str = ""
    displayname: str = field(name="_generated_displayname", default="")


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """The service that answers."""

    api: str = ""
    server_version: str = ""
    solution: str = ""
    user_schema: int | None = field(name="user-schema", default=None)
    name: str = ""
    db_name: str = field(name="db-name", default="")


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session, signed in or not (wire §2); ``system_rights`` is read by ``allows``."""

    token: str
    instance: Instance = Instance()
    authenticated: bool = False
    method: str = ""
    authenticated_at: datetime | None = None
    user: User | None = None
    groups: tuple[Mapping[str, object], ...] = ()
    system_rights: Mapping[str, object] = field(default_factory=dict)
    current_max_event_id: int | None = None
    authentication_methods: tuple[str, ...] = ()
    config: Mapping[str, object] = field(default_factory=dict)

    def allows(self, right: str) -> bool:
        """Whether the session holds the dotted system right, in either spelling (§5.2, wire §2)."""
        return has_right(self.system_rights, right)

    def __repr__(self) -> str:
        return f"Session({_shown(self, masked={'token'}, hidden={'config', 'groups'})})"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Name and version of the service, readable without a session (wire §6).

    ``state`` is that of a service of generation 6, such as ``ready`` or ``reindex``.
    """

    name: str = ""
    api: str = ""
    server_version: str = ""
    version: str = ""
    user_schema: int | None = field(name="user-schema", default=None)
    solution: str = ""
    db_name: str = field(name="db-name", default="")
    server_time: datetime | None = None
    instance: str = ""
    generation: int = 5
    state: str = ""
    read_only: bool = False


class ServerErrorDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The details of a ServerError (wire §4); secrets in url and log are masked."""

    uuid: str
    code: str = ""
    description: str = ""
    timestamp: datetime | None = None
    method: str = ""
    url: str = ""
    log: str = ""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that the reference server can inject; ``meaning`` is in English."""

    name: str = ""
    meaning: str = ""
    injected: int = 0


class FaultInjection(msgspec.Struct, frozen=True, kw_only=True):
    """The faults of a reference server that was started with ``--chaos``.

    ``rate``: the share of requests that get a random fault, 0 to 1. ``chosen``: the names of those to choose
    from, None for all. The same ``seed`` gives the same faults for the same requests. ``injected`` counts
    since the faults were set.
    """

    active: bool = False
    rate: float = 0.0
    seed: int = 0
    chosen: tuple[str, ...] | None = None
    faults: tuple[Fault, ...] = ()
    injected: int = 0


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the service offers beyond the calls that all have.

    ``sessions``: a client that is not signed in has a session, too; polls begin with it and leave out some
    of what others do (§4.2). ``filters_by_object`` and ``id_ranges``: the list has these filters.
    ``stream``: new events without polls. ``commit_plan``: what a commit would do is known before.
    ``asks_before_commit``: a commit may return questions. ``csv_options``: the form of its CSV can be chosen.
    ``extended_schema``: documents may have options such as ``polyhierarchical`` and custom settings.
    ``re2_only``: it checks texts with RE2, so it refuses patterns with look-around or back-references.
    ``guards_csv``: it escapes formulas in CSV if ``guard`` is requested.
    ``error_details``: it keeps the details of its errors, to be read by their uuid.
    ``event_groups``: the types of events belong to groups, such as ADMIN; most are other types then.
    """

    full_list: bool = True
    skip_count: bool = True
    re2_only: bool = False
    guards_csv: bool = False
    error_details: bool = True
    event_groups: bool = False
    sessions: bool = True
    filters_by_object: bool = False
    id_ranges: bool = False
    stream: bool = False
    commit_plan: bool = True
    asks_before_commit: bool = False
    csv_options: bool = True
    extended_schema: bool = False


class CommitOption(msgspec.Struct, frozen=True):
    """A value that can be chosen in a question, with its text."""

    value: str = ""
    text: str = ""
    disabled: bool = False


class CommitField(msgspec.Struct, frozen=True):
    """A choice in a question."""

    name: str = ""
    label: str = ""
    options: tuple[CommitOption, ...] = ()


class CommitButton(msgspec.Struct, frozen=True):
    """A button of a question; its name and value are an answer."""

    name: str = ""
    value: str = ""
    text: str = ""
    hidden: bool = False


class CommitQuestion(msgspec.Struct, frozen=True):
    """What the service wants to know before it commits: its own title, message, choices and buttons."""

    title: str = ""
    message: str = ""
    form: tuple[CommitField, ...] = ()
    buttons: tuple[CommitButton, ...] = ()


def _shown(record: msgspec.Struct, *, masked: set[str], hidden: set[str]) -> str:
    values = ((name, getattr(record, name)) for name in record.__struct_fields__ if name not in hidden)
    return ", ".join(f"{name}={MASK if name in masked else repr(value)}" for name, value in values if value)
