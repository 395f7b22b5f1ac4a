"""What the watch over a service's log has to tell, one frozen value for each thing. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.client import ClientError, SessionLostError
from cdb_desktop.live.batch import Batch


@dataclass(frozen=True, slots=True)
class Arrived:
    """What had not come before of an answer.

    ``milliseconds`` is how long the service took, None where it held the request on purpose.
    """

    batch: Batch
    milliseconds: float | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """So many records had come that are no events, and had not come before."""

    number: int


@dataclass(frozen=True, slots=True)
class Held:
    """The service is there and keeps the request until something happens."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The service neither answers nor refuses; the answer is still awaited."""

    error: ClientError


@dataclass(frozen=True, slots=True)
class Away:
    """The service does not answer; it is asked again after ``wait`` seconds from where it stopped."""

    error: ClientError
    wait: float


@dataclass(frozen=True, slots=True)
class Trying:
    """The wait is over, an answer is awaited."""


@dataclass(frozen=True, slots=True)
class Back:
    """The first sign of life after ``Away``."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Polls of this session begin at ``upto``, above the cursor ``after`` (§4.2).

    ``found`` events between the two came from the list; None where the right to list is missing (§5.2).
    """

    after: int
    upto: int
    found: int | None


@dataclass(frozen=True, slots=True)
class Anew:
    """The log is another one than before, and its ids begin again below those that are known."""

    last_id: int


@dataclass(frozen=True, slots=True)
class Woke:
    """The time of day has jumped by so many ``seconds``: the computer slept, or its clock was set."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The session is gone: the watch has ended until there is another one."""

    error: SessionLostError


@dataclass(frozen=True, slots=True)
class Stopped:
    """The service refuses to be polled: the watch has ended, asking again might help."""

    error: ClientError


Report = Arrived | Unread | Held | Silent | Away | Trying | Back | Gap | Anew | Woke | Lost | Stopped
