"""Conditions on single events, for what the service cannot filter by: values anywhere, keys, objects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import object_text
from cdb_desktop.vocabulary.key_values import key_value_text
from cdb_desktop.vocabulary.pattern import Pattern, PatternKind
from cdb_desktop.vocabulary.searched_event import SearchedEvent


class Condition(msgspec.Struct, frozen=True):
    """What an event must contain, or must not if ``is_excluded``; case counts only if ``is_exact``.

    ``text`` is written as `Pattern` reads it. Field names are part of file formats.
    """

    text: str
    kind: PatternKind = PatternKind.TEXT
    is_excluded: bool = False
    is_exact: bool = False


class EventMatcher:
    """Tests events for several conditions, all of which must hold."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        """Raises PatternError if a condition is no valid expression or lacks a key."""
        self._tests = [(one, Pattern(one.text, one.kind, exact=one.is_exact)) for one in conditions]
        # Objects are fields of short records, which are tested faster than anything else.
        self._tests.sort(key=lambda test: test[1].needs_whole)

    @property
    def needs_whole(self) -> bool:
        """Whether full records are needed."""
        return any(pattern.needs_whole for _, pattern in self._tests)

    def matches(self, event: Event) -> bool:
        """Whether all conditions hold."""
        if not self._tests:
            return True
        searched = SearchedEvent(event)
        return all((pattern.find_in(searched) is None) is one.is_excluded for one, pattern in self._tests)

    def places(self, text: str, event_type: str = "") -> list[tuple[int, int]]:
        """The ranges of a displayed text to highlight: what the conditions that are not excluded look for.

        All of it where it is the ``event_type``, which contains a word in the language of the window only.
        """
        shown = [pattern for one, pattern in self._tests if not one.is_excluded]
        found = [place for pattern in shown for place in pattern.places_in(text)]
        if event_type and not found and any(pattern.shows_type(event_type) for pattern in shown):
            return [(0, len(text))]
        return found


def object_condition(event: Event) -> Condition:
    """The condition for all events of the object of an event, of any version.

    The global id is used only if there is no other key, since not every event of an object has it.
    """
    is_named = event.object_id is not None and (event.objecttype or event.basetype)
    if event.global_object_id and not is_named:
        return Condition(key_value_text("global_object_id", event.global_object_id), PatternKind.KEY)
    return Condition(object_text(replace(event, object_version=None)), PatternKind.OBJECT)
