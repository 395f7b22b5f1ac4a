"""Stored queries keep their meaning: searches of version 1 are phrases, words are stored as version 2."""

from datetime import UTC, datetime

import pytest

from cdb_desktop.client import Event
from cdb_desktop.queries.history import QueryHistory, decode_history, encode_history
from cdb_desktop.queries.links import Link, LinkOrigin, link_text, parse_link
from cdb_desktop.queries.query import Query, QueryMatcher
from cdb_desktop.queries.saved_views import SavedView, decode_view_file, encode_view_file
from cdb_desktop.vocabulary.pattern import Condition, PatternKind

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
PHRASE = Query(conditions=(Condition("work deleted"),))
WORDS = Query(conditions=(Condition("work deleted", PatternKind.WORDS),))
DELETED = Event(id=1, type="OBJECT_DELETE", objecttype="work", object_id=477, object_version=2)


def test_a_phrase_of_before_stays_a_phrase() -> None:
    """A history, a view file and a link as version 1 has written them find what they have found."""
    history = b'{"version":1,"history":{"present":{"conditions":[{"text":"work deleted"}]}}}'
    view = (
        b'{"format":"cdb-desktop-events-view","version":1,"view":{"name":"Deleted",'
        b'"query":{"conditions":[{"text":"work deleted","kind":"text"}]}}}'
    )
    link = "cdb://events?profile=Museum&text=work%20deleted&v=1"
    found = (decode_history(history).present, decode_view_file(view).query, parse_link(link).query)
    assert found == (PHRASE, PHRASE, PHRASE)
    assert not QueryMatcher(PHRASE).matches(DELETED)


@pytest.mark.parametrize(("query", "version"), [(PHRASE, 1), (WORDS, 2)])
def test_words_are_stored_as_another_version(query: Query, version: int) -> None:
    """Earlier programs do not take words for a phrase; what they can read is written as before."""
    history = encode_history(QueryHistory(query))
    file = encode_view_file(SavedView("Deleted", query))
    link = link_text(Link(LinkOrigin("Museum"), query), NOW)
    assert f'"version":{version}'.encode() in history
    assert f'"version": {version}'.encode() in file
    assert link.endswith(f"&v={version}")
    found = (decode_history(history).present, decode_view_file(file).query, parse_link(link).query)
    assert found == (query, query, query)
    assert QueryMatcher(query).matches(DELETED) is (version == 2)
