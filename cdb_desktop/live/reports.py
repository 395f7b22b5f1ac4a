"""What the watch over a service's log has to tell, one frozen value for each thing. No I/O."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import ClientError, SessionLostError
from cdb_desktop.live.batch import Batch


class Arrived(msgspec.Struct, frozen=True):
    """What had not come before of an answer.

    ``milliseconds`` is how long the service took, None where it held the request on purpose.
    """

    batch: Batch
    milliseconds: float | None = None


class Unread(msgspec.Struct, frozen=True):
    """So many records had come that are no events, and had not come before."""

    number: int


class Held(msgspec.Struct, frozen=True):
    """The service is there and keeps the request until something happens."""


class Silent(msgspec.Struct, frozen=True):
    """The service neither answers nor refuses; the answer is still awaited."""

    error: ClientError


class Away(msgspec.Struct, frozen=True):
    """The service does not answer; it is asked again after ``wait`` seconds from where it stopped."""

    error: ClientError
    wait: float


class Trying(msgspec.Struct, frozen=True):
    """The wait is over, an answer is awaited."""


class Back(msgspec.Struct, frozen=True):
    """The first sign of life after ``Away``."""


class Gap(msgspec.Struct, frozen=True):
    """Polls of this session begin at ``upto``, above the cursor ``after`` (§4.2).

    ``found`` events between the two came from the list; None where the right to list is missing (§5.2).
    """

    after: int
    upto: int
    found: int | None


class Anew(msgspec.Struct, frozen=True):
    """The log is another one than before, and its ids begin again below those that are known."""

    last_id: int


class Woke(msgspec.Struct, frozen=True):
    """The time of day has jumped by so many ``seconds``: the computer slept, or its clock was set."""

    seconds: float


class Lost(msgspec.Struct, frozen=True):
    """The session is gone: the watch has ended until there is another one."""

    error: SessionLostError


class Stopped(msgspec.Struct, frozen=True):
    """The service refuses to be polled: the watch has ended, asking again might help."""

    error: ClientError


Report = Arrived | Unread | Held | Silent | Away | Trying | Back | Gap | Anew | Woke | Lost | Stopped
