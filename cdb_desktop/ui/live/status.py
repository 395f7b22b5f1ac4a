"""The state of the feed as a text with a color and at most one button."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed_status import ArrivalRate, ConnectionState, FeedStatus
from cdb_desktop.ui.widgets.labels import DotTone
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_LATE = 5.0  # seconds after which an unanswered poll is shown
# Seconds between two polls from which on they are counted down. An interval of 2 s is included, although the
# wait itself is shorter by the time that the poll took.
_COUNTED_DOWN = 1.5

MakeError = Callable[[], ErrorMessage]  # called whenever it is shown


class StatusText(msgspec.Struct, frozen=True):
    """A text for the strip; ``button`` is empty if there is nothing to do.

    ``keeps_end``: elides the beginning of the text instead of its end.
    """

    tone: DotTone
    text: str
    button: str = ""
    keeps_end: bool = False


class StatusTracker:
    """Collects what the status consists of; moments are those of ``time.monotonic``."""

    def __init__(self) -> None:
        self.connection = ConnectionState()
        self.rate = ArrivalRate()
        self._error: MakeError | None = None
        self._delay: float | None = None
        self._due: float | None = None  # of the last poll that was planned

    def set_connection(
        self, connection: ConnectionState, error: MakeError | None, delay: float | None
    ) -> None:
        """Sets the connection, its last error, and the seconds that events take to the feed."""
        if connection.answered != self.connection.answered:
            self._due = None
        self.connection, self._error, self._delay = connection, error, delay

    def set_due(self, due: float | None) -> None:
        """Sets the moment of the next poll; None during one."""
        self.connection = replace(self.connection, due=due)
        self._due = due or self._due

    def status(self, unseen: int | None, now: float) -> FeedStatus:
        """The status at the moment ``now``; ``unseen`` is None while the feed follows."""
        return FeedStatus(
            self.connection,
            now,
            unseen,
            self.rate.per_second(now),
            self.rate.per_minute(now),
            self._delay,
            self._awaited_since(),
            self._error().title if self._error else "",
        )

    def _awaited_since(self) -> float | None:
        connection = self.connection
        if connection.due is not None or connection.answered is None:
            return None
        # With a long interval, nothing is wrong until the poll was due.
        return max(connection.answered, self._due or connection.answered)


def status_text(status: FeedStatus) -> StatusText:
    """The text for a status."""
    connection, now = status.connection, status.now
    match connection.phase:
        case "connecting":
            return StatusText("accent", tr("Opening the feed…"))
        case "open":
            return _open_text(status)
        case "lost":
            return StatusText("danger", tr("Not signed in"), tr("Sign in again"))
        case "stopped":
            return StatusText("danger", status.error, tr("Try again"))
        case "silent":
            age = _seconds_text(max(0.0, now - (connection.answered or now)))
            text = tr("The service does not answer · last poll {seconds} s ago", seconds=age)
            return StatusText("warning", text, keeps_end=True)
    return _retrying_text(status)


def _retrying_text(status: FeedStatus) -> StatusText:
    connection, now = status.connection, status.now
    if connection.phase == "retrying":
        # The call may still wait for other calls to the same service.
        return StatusText("warning", tr("{error} · trying again…", error=status.error), tr("Try now"))
    seconds = max(1, round((connection.due or now) - now))
    text = tr("{error} · trying again in {seconds} s", error=status.error, seconds=seconds)
    return StatusText("warning", text, tr("Try now"), keeps_end=True)


def _open_text(status: FeedStatus) -> StatusText:
    connection, now = status.connection, status.now
    late = 0.0 if status.awaited_since is None or connection.holds else now - status.awaited_since
    if late >= _LATE:
        # The service may only be slow; the follower is finding out.
        return StatusText("warning", tr("No answer for {seconds} s", seconds=int(late)))
    if status.unseen is None:
        parts = [tr("Following")]
    elif status.unseen:
        parts = [tr("Paused, {count} new", count=status.unseen)]
    else:
        parts = [tr("Paused")]
    if status.per_second < 1 and status.per_minute:
        parts.append(tr("{count}/min", count=status.per_minute))
    else:
        parts.append(tr("{count}/s", count=_seconds_text(status.per_second)))
    if status.delay is not None:
        parts.append(tr("lag {seconds} s", seconds=_seconds_text(status.delay)))
    if connection.answered is not None:
        age = _seconds_text(max(0.0, now - connection.answered))
        parts.append(tr("last poll {seconds} s ago", seconds=age))
    if connection.holds:
        parts.append(tr("the service answers when something happens"))
    elif connection.due is not None and connection.due - (connection.answered or now) >= _COUNTED_DOWN:
        parts.append(tr("next in {seconds} s", seconds=_seconds_text(max(0.0, connection.due - now))))
    return StatusText("good" if status.unseen is None else "warning", " · ".join(parts))


def _seconds_text(value: float) -> str:
    return number_text(value, 1 if 0 < value < 9.95 else 0)
