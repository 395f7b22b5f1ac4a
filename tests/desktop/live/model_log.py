"""A service without a socket that hides, delays, deletes and reorders events within the contract."""

from collections.abc import Callable
from dataclasses import dataclass, field

from cdb_desktop.client import (
    ApiError,
    Capabilities,
    Event,
    EventFilter,
    EventPage,
    Polled,
    Session,
    UnreachableError,
    User,
)
from cdb_desktop.live.event_lookup import LIST_RIGHT

ME = 1
_FORM = {
    "plain": ("USER_LOGIN", None, True),
    "unpollable": ("SEARCH", None, False),
    "insert": ("OBJECT_INSERT", None, True),
    "user update": ("OBJECT_UPDATE", "user", True),
}


@dataclass
class StoredEvent:
    """An event of the log that is visible from a moment on."""

    id: int
    form: str
    mine: bool
    session: int
    from_moment: float
    is_wrong: bool = False  # the id is not from the log's sequence


@dataclass
class ModelLog:
    """The client methods that the follower and the gap check call; answers have at most ``most`` events."""

    has_right: bool
    most: int = 5
    now: float = 0.0
    lowest: int = 0
    number: int = 1  # of the session
    last: int = 0  # the id that was taken last
    log: dict[int, StoredEvent] = field(default_factory=dict)
    ever: dict[int, StoredEvent] = field(default_factory=dict)
    failures: int = 0
    meanwhile: list[Callable[[], None]] = field(default_factory=list)
    capabilities: Capabilities = field(default_factory=Capabilities)
    pause = 0.0

    def try_now(self) -> None:
        """Does nothing, since nothing waits."""

    @property
    def session(self) -> Session:
        """The current session."""
        rights: dict[str, object] = {LIST_RIGHT: {}} if self.has_right else {}
        return Session(
            token="t",
            authenticated=True,
            user=User(id=ME),
            system_rights=rights,
            current_max_event_id=self.lowest,
        )

    def write(self, form: str, *, mine: bool, delay: float) -> None:
        """Writes an event that takes its id now and is visible later; no id is given twice."""
        self.last += 1
        while self.last in self.ever:
            self.last += 1
        one = StoredEvent(self.last, form, mine, self.number, self.now + delay)
        self.log[one.id] = self.ever[one.id] = one

    def write_wrong(self, distance: int) -> None:
        """Writes an event with an id far above all others."""
        one = StoredEvent(self.last + distance, "plain", False, self.number, self.now, is_wrong=True)
        self.log[one.id] = self.ever[one.id] = one

    def delete(self, place: int) -> None:
        """Deletes an event."""
        if self.log:
            del self.log[sorted(self.log)[place % len(self.log)]]

    def sign_in(self) -> None:
        """Creates another session, whose polls begin at its own log-in event."""
        self.number += 1
        self.write("plain", mine=True, delay=0.0)
        self.lowest = max([self.lowest, *(one.id for one in self.visible() if not one.is_wrong)])

    def visible(self) -> list[StoredEvent]:
        """The visible events by id."""
        return [one for _, one in sorted(self.log.items()) if one.from_moment <= self.now]

    def reaches(self, one: StoredEvent) -> bool:
        """Whether polls of the session bring an event, by the rules of §4.2."""
        if one.form == "insert":
            return one.mine and one.session == self.number
        return one.form != "unpollable" and (one.form != "user update" or one.mine)

    async def read_session(self) -> Session:
        """Reads the session."""
        self._fail()
        return self.session

    async def poll(self, last_max_id: int, limit: int) -> Polled:
        """Polls as in §4.2."""
        self._fail()
        if self.capabilities.sessions and last_max_id < self.lowest:
            raise ApiError("api", "error.api.invalid_value", status=400)
        after = [one for one in self.visible() if one.id > last_max_id and self.reaches(one)]
        return Polled(tuple(map(self._event, after[: limit or self.most])))

    async def list_events(
        self, chosen: EventFilter, *, limit: int, offset: int, skip_count: bool
    ) -> EventPage:
        """Lists as in §4.3, newest first; changes may happen between pages."""
        self._fail()
        assert self.has_right
        assert skip_count
        found = [one for one in self.visible() if (one.form != "unpollable") is chosen.pollable]
        page = found[::-1][offset : offset + min(limit, self.most)]
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return EventPage(tuple(map(self._event, page)))

    def _event(self, one: StoredEvent) -> Event:
        kind, basetype, _ = _FORM[one.form]
        return Event(
            id=one.id,
            type=kind,
            basetype=basetype,
            user_id=ME if one.mine else ME + 1,
            session_self=one.mine and one.session == self.number,
        )

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise UnreachableError("refused", "as the test wants it")
