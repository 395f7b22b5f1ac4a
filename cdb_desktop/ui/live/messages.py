"""Texts about a feed that several widgets show."""

from __future__ import annotations

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.vocabulary.event_types import EventFamily

_MOST_NAMED = 2  # types; more are only counted


def feed_name() -> str:
    """The accessible name of a feed."""
    return tr("Live feed, newest event last")


def counts_text(feed: Feed) -> str:
    """How many events there are and how many of them are shown."""
    if not feed.filter.shows_all:
        return tr("{count} of {total} shown", count=len(feed), total=feed.kept)
    if feed.removed:
        return tr("{count:newest event|newest {count} events}", count=len(feed))
    return tr("{count:1 event|{count} events}", count=len(feed))


def capacity_text(feed: Feed) -> str:
    """How much a full feed keeps: a number of events, or their size if they are large."""
    if feed.is_size_limited:
        return f"{number_text(feed.largest_size // 2**20)}\N{NO-BREAK SPACE}MB"
    return number_text(feed.capacity)


def filter_text(feed: Feed) -> str:
    """The filter of a feed, empty if it shows everything."""
    chosen = feed.filter
    parts = [_types_text(feed, chosen), query_text(chosen), chosen.user.strip()]
    return " · ".join(part for part in parts if part)


def query_text(chosen: FeedFilter) -> str:
    """The part of a filter that comes from a query of the event browser, or empty."""
    users = tr("users {names}", names=", ".join(f"#{one}" for one in sorted(chosen.users)))
    parts = [", ".join(sorted(chosen.base_types)), users if chosen.users else ""]
    return " · ".join(part for part in parts if part)


def family_text(family: EventFamily) -> str:
    """The name of a family of event types."""
    return {
        EventFamily.READING: tr("Reading"),
        EventFamily.WRITING: tr("Writing"),
        EventFamily.DELETING: tr("Deleting"),
        EventFamily.FAILURE: tr("Failures"),
        EventFamily.SESSION: tr("Sessions"),
        EventFamily.EXPORT: tr("Exports"),
        EventFamily.SYSTEM: tr("System"),
    }[family]


def _types_text(feed: Feed, chosen: FeedFilter) -> str:
    if chosen.others and not chosen.exceptions:
        return ""
    if len(chosen.exceptions) in range(1, _MOST_NAMED + 1):
        names = ", ".join(sorted(chosen.exceptions))
        return tr("without {types}", types=names) if chosen.others else names
    known = feed.types.keys() | chosen.exceptions
    shown = sum(chosen.shows_type(one) for one in known)
    return tr("{shown} of {total:1 type|{total} types}", shown=shown, total=len(known))
