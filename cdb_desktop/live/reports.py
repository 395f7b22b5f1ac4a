"""What the follower of a service's log reports: a frozen value for each thing that happens."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdb_desktop.client import ClientError, Event, SessionLostError, Unreadable

_LARGEST_ANSWER = 1000  # records of a poll (§8)


class EventBatch(msgspec.Struct, frozen=True):
    """The events of one answer in their order; ``after`` is the id after which they were requested."""

    after: int
    events: tuple[Event, ...]
    source: Literal["poll", "list"] = "poll"
    unreadable: tuple[Unreadable, ...] = ()  # records that are no events

    @property
    def is_full(self) -> bool:
        """Whether more events may be waiting."""
        return len(self.events) + len(self.unreadable) >= _LARGEST_ANSWER


class EventsReceived(msgspec.Struct, frozen=True):
    """The new events of an answer.

    ``milliseconds`` is how long the service took, None if it held the request on purpose.
    """

    batch: EventBatch
    milliseconds: float | None = None


class UnreadableReceived(msgspec.Struct, frozen=True):
    """A number of new records are no events."""

    number: int


class PollHeld(msgspec.Struct, frozen=True):
    """The service answers, and holds the poll until something happens."""


class ServiceSilent(msgspec.Struct, frozen=True):
    """The service neither answers nor refuses; the poll continues."""

    error: ClientError


class ServiceUnavailable(msgspec.Struct, frozen=True):
    """A poll has failed and is repeated after ``wait`` seconds."""

    error: ClientError
    wait: float


class PollRetried(msgspec.Struct, frozen=True):
    """A poll begins after others have failed."""


class ServiceRestored(msgspec.Struct, frozen=True):
    """The first answer after `ServiceUnavailable` or `ServiceSilent`."""


class PollGap(msgspec.Struct, frozen=True):
    """Polls of this session begin at ``upto``, above the cursor ``after`` (§4.2).

    ``found`` events between the two were read from the list; None without the right to read it (§5.2).
    """

    after: int
    upto: int
    found: int | None


class LogReplaced(msgspec.Struct, frozen=True):
    """The service has another log, whose ids begin again after ``last_id``."""

    last_id: int


class ClockJumped(msgspec.Struct, frozen=True):
    """The time of day has jumped by ``seconds``: the computer slept, or its clock was set."""

    seconds: float


class SessionEnded(msgspec.Struct, frozen=True):
    """The session is lost and the follower has stopped."""

    error: SessionLostError


class PollRefused(msgspec.Struct, frozen=True):
    """The service refuses polls and the follower has stopped."""

    error: ClientError


FollowerReport = (
    EventsReceived
    | UnreadableReceived
    | PollHeld
    | ServiceSilent
    | ServiceUnavailable
    | PollRetried
    | ServiceRestored
    | PollGap
    | LogReplaced
    | ClockJumped
    | SessionEnded
    | PollRefused
)
