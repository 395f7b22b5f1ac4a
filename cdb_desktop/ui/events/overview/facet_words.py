"""Says how far the values of a part are known, and what the events are that have none of them."""

from __future__ import annotations

from cdb_desktop.events.facets import FacetCounts
from cdb_desktop.events.query import QueryPart
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.query_text import part_name


def section_title(part: QueryPart, counts: FacetCounts) -> str:
    """The name of a part, with the number of its values while there may be others."""
    if counts.is_whole or not counts.rest:
        return part_name(part)
    known = sum(1 for number in counts.numbers.values() if number) + counts.more
    return tr("{name}, {known} found so far", name=part_name(part), known=known)


def section_tip(counts: FacetCounts) -> str:
    """That not all of those who are known were counted."""
    if not counts.more:
        return ""
    return tr(
        "{count:1 more value is known. It is rare and was|"
        "{count} more values are known. They are rare and were} not counted.",
        count=counts.more,
    )


def rest_words(part: QueryPart, counts: FacetCounts) -> str:
    """What the events are that none of the values has."""
    if counts.is_whole:
        return {
            QueryPart.TYPE: tr("Without a type"),
            QueryPart.BASE_TYPE: tr("Without a base type"),
        }.get(part, tr("Without a user"))
    return {
        QueryPart.TYPE: tr("Others, or without a type"),
        QueryPart.BASE_TYPE: tr("Others, or without a base type"),
    }.get(part, tr("Others, or without a user"))


def rest_tip(counts: FacetCounts) -> str:
    """Why they cannot be chosen."""
    if counts.is_whole:
        return tr("The service cannot be asked for events without a value.")
    return tr(
        "The service has no list of values; the ones listed here come from events read so "
        "far. These events have another value, or none."
    )


def link_words(*, looking: bool) -> str:
    """What is done about it."""
    return tr("Stop searching") if looking else tr("Search for other values")


def link_tip() -> str:
    """What that takes."""
    return tr("Reads all events, which takes a while for a long log.")


def fold_words(number: int, *, all_shown: bool) -> str:
    """Shows all values of a part, or the most frequent only."""
    if all_shown:
        return tr("Only the most frequent")
    return tr("All {count}…", count=number)
