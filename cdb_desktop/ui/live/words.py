"""The feed's own words for how it goes, fetched when they are shown. No widget."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.widgets.labels import DotTone
from cdb_desktop.vocabulary.event_types import EventFamily

translate = QCoreApplication.translate

_FEW = 2  # types that are named; of more it is told how many
_LONG = 5.0  # seconds for which a poll may go unanswered before it is told
# Seconds between two polls from which on they are counted down. An interval of 2 s is included, although the
# wait itself is shorter by the time that the poll took.
_COUNTED_DOWN = 1.5


class Status(msgspec.Struct, frozen=True):
    """What the strip tells; ``step`` is the way out that it offers, if there is one.

    ``keeps_end``: where there is little room, what stands at the end is worth more than the beginning.
    """

    tone: DotTone
    words: str
    step: str = ""
    keeps_end: bool = False


class Pulse(msgspec.Struct, frozen=True):
    """How the feed goes at one moment: what has not been seen, None while following, rate, and lag in s.

    ``asked`` is when the poll was due that has not been answered yet, if there is one.
    """

    unseen: int | None
    per_second: float
    now: float
    lag: float | None = None
    per_minute: int = 0
    asked: float | None = None


def status(link: ConnectionState, pulse: Pulse, title: str) -> Status:
    """The strip's words; ``title`` is what is said about the last failure."""
    match link.phase:
        case "connecting":
            return Status("accent", translate("Live", "Opening the feed…"))
        case "open":
            return _open(link, pulse)
        case "lost":
            return Status("danger", translate("Live", "Not signed in"), translate("Live", "Sign in again"))
        case "stopped":
            return Status("danger", title, translate("Live", "Try again"))
    return _away(link, pulse, title)


def counts(feed: Feed) -> str:
    """How many events there are and how many of them are shown."""
    if feed.filter.shows_all:
        one, many = translate("Live", "1 event"), translate("Live", "%1 events")
        if feed.removed:
            one, many = translate("Live", "newest event"), translate("Live", "newest %1 events")
        return plural(len(feed), one, many)
    words = translate("Live", "%1 of %2 shown")
    return words.replace("%1", number_text(len(feed))).replace("%2", number_text(feed.kept))


def capacity(feed: Feed) -> str:
    """How much a feed keeps that events have left: a number of events, or their size where they are large."""
    return (
        f"{number_text(feed.largest_size // 2**20)}\N{NO-BREAK SPACE}MB"
        if feed.is_size_limited
        else number_text(feed.capacity)
    )


def filter_text(feed: Feed) -> str:
    """What the choice of events is, empty when it is everything."""
    chosen = feed.filter
    parts = [_types(feed, chosen), besides(chosen), chosen.user.strip()]
    return " · ".join(part for part in parts if part)


def besides(chosen: FeedFilter) -> str:
    """What a query of the event browser has left in a choice, empty where it is nothing."""
    users = translate("Live", "users %1").replace("%1", ", ".join(f"#{one}" for one in sorted(chosen.users)))
    parts = [", ".join(sorted(chosen.base_types)), users if chosen.users else ""]
    return " · ".join(part for part in parts if part)


def name() -> str:
    """The name of the feed, for those who hear it."""
    return translate("Live", "Live feed, newest event last")


def family(one: EventFamily) -> str:
    """The name of a family of event types."""
    return {
        EventFamily.READING: translate("Live", "Reading"),
        EventFamily.WRITING: translate("Live", "Writing"),
        EventFamily.DELETING: translate("Live", "Deleting"),
        EventFamily.FAILURE: translate("Live", "Failures"),
        EventFamily.SESSION: translate("Live", "Sessions"),
        EventFamily.EXPORT: translate("Live", "Exports"),
        EventFamily.SYSTEM: translate("Live", "System"),
    }[one]


def _away(link: ConnectionState, pulse: Pulse, title: str) -> Status:
    if link.phase == "silent":
        age = max(0.0, pulse.now - (link.answered or pulse.now))
        words = translate("Live", "The service does not answer · last poll %1 s ago")
        return Status("warning", words.replace("%1", _decimal(age)), keeps_end=True)
    if link.phase == "retrying":
        words = translate("Live", "%1 · trying again…").replace("%1", title)
        # It may still wait for other calls to the same service.
        return Status("warning", words, translate("Live", "Try now"))
    seconds = number_text(max(1, round((link.due or pulse.now) - pulse.now)))
    words = translate("Live", "%1 · trying again in %2 s").replace("%2", seconds)
    return Status("warning", words.replace("%1", title), translate("Live", "Try now"), keeps_end=True)


def _open(link: ConnectionState, pulse: Pulse) -> Status:
    waits = 0.0 if pulse.asked is None or link.holds else pulse.now - pulse.asked
    if waits >= _LONG:
        # It may only be slow: whether anybody is there turns out a little later.
        words = translate("Live", "No answer for %1 s").replace("%1", number_text(int(waits)))
        return Status("warning", words)
    if pulse.unseen is None:
        parts = [translate("Live", "Following")]
    elif pulse.unseen:
        parts = [translate("Live", "Paused, %1 new").replace("%1", number_text(pulse.unseen))]
    else:
        parts = [translate("Live", "Paused")]
    if pulse.per_second < 1 and pulse.per_minute:
        parts.append(translate("Live", "%1/min").replace("%1", number_text(pulse.per_minute)))
    else:
        parts.append(translate("Live", "%1/s").replace("%1", _decimal(pulse.per_second)))
    if pulse.lag is not None:
        parts.append(translate("Live", "lag %1 s").replace("%1", _decimal(pulse.lag)))
    if link.answered is not None:
        age = _decimal(max(0.0, pulse.now - link.answered))
        parts.append(translate("Live", "last poll %1 s ago").replace("%1", age))
    if link.holds:
        parts.append(translate("Live", "the service answers when something happens"))
    elif link.due is not None and link.due - (link.answered or pulse.now) >= _COUNTED_DOWN:
        wait = _decimal(max(0.0, link.due - pulse.now))
        parts.append(translate("Live", "next in %1 s").replace("%1", wait))
    return Status("good" if pulse.unseen is None else "warning", " · ".join(parts))


def _types(feed: Feed, chosen: FeedFilter) -> str:
    if chosen.others and not chosen.exceptions:
        return ""
    if len(chosen.exceptions) in range(1, _FEW + 1):
        named = ", ".join(sorted(chosen.exceptions))
        return translate("Live", "without %1").replace("%1", named) if chosen.others else named
    known = feed.types.keys() | chosen.exceptions
    shown = [one for one in known if chosen.shows_type(one)]
    one, many = translate("Live", "%1 of 1 type"), translate("Live", "%1 of %2 types")
    return plural(len(known), one, many, len(shown), len(known))


def _decimal(value: float) -> str:
    return QLocale().toString(value, "f", 1 if 0 < value < 9.95 else 0)
