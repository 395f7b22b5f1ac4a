"""Texts about a feed that several widgets show."""

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import named_types, shows_other_types, shows_type, with_types
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.event_types import EventFamily

_MOST_NAMED = 2  # types; more are only counted


def counts_text(feed: Feed) -> str:
    """How many events there are and how many of them are shown."""
    if feed.filter != Query():
        return tr("{count} of {total} shown", count=len(feed), total=feed.kept)
    if feed.removed:
        return tr("{count:newest event|newest {count} events}", count=len(feed))
    return tr("{count:1 event|{count} events}", count=len(feed))


def capacity_text(feed: Feed) -> str:
    """How much a full feed keeps: a number of events, or their size if they are large."""
    if feed.is_size_limited:
        return f"{number_text(feed.largest_size // 2**20)}\N{NO-BREAK SPACE}MB"
    return number_text(feed.capacity)


def filter_text(feed: Feed, seen: KnownValues) -> str:
    """The filter of a feed, empty if it shows everything; ``seen`` contains the names of users."""
    parts = [_types_text(feed), whole_query(without_types(feed.filter), seen)]
    return " · ".join(part for part in parts if part)


def without_types(query: Query) -> Query:
    """The parts of a query other than its types, which have check boxes."""
    return with_types(query, (), (), others=True)


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


def _types_text(feed: Feed) -> str:
    query = feed.filter
    named, others = named_types(query), shows_other_types(query)
    if others and not named:
        return ""
    if len(named) in range(1, _MOST_NAMED + 1):
        names = ", ".join(sorted(named))
        return tr("without {types}", types=names) if others else names
    known = feed.types.keys() | named
    shown = sum(shows_type(query, one) for one in known)
    return tr("{shown} of {total:1 type|{total} types}", shown=shown, total=len(known))
