"""Conditions on single events, for what the service cannot filter by: values anywhere, keys, objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


class NearMiss(msgspec.Struct, frozen=True):
    """The only condition that an event fails, and the words of it that are missing."""

    condition: Condition
    missing: tuple[str, ...]
    event: SearchedEvent


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
        return not self._tests or not self._failures(SearchedEvent(event), 1)

    def failing(self, event: Event) -> NearMiss | bool:
        """Whether some conditions fail, or the only one that does."""
        searched = SearchedEvent(event)
        failures = self._failures(searched, 2)
        if len(failures) != 1:
            return bool(failures)
        condition, pattern = failures[0]
        is_words = pattern.kind is PatternKind.WORDS and not condition.is_excluded
        missing = dict.fromkeys(pattern.missing_words(searched)) if is_words else ()
        return NearMiss(condition, tuple(missing), searched)

    def _failures(self, event: SearchedEvent, most: int) -> list[tuple[Condition, Pattern]]:
        """The first conditions that do not hold."""
        failures = []
        for one, pattern in self._tests:
            if (pattern.find_in(event) is None) is not one.is_excluded:
                failures.append((one, pattern))
                if len(failures) == most:
                    break
        return failures

    def places(self, text: str, event_type: str = "") -> list[tuple[int, int]]:
        """The ranges of a displayed text to highlight: what the conditions that are not excluded look for.

        All of it where it is the ``event_type``, which contains a word in the language of the window only.
        """
        shown = [pattern for one, pattern in self._tests if not one.is_excluded]
        found = _merged(place for pattern in shown for place in pattern.places_in(text))
        if event_type and not found and any(pattern.shows_type(event_type) for pattern in shown):
            return [(0, len(text))]
        return found


def _merged(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in their order, without overlaps."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if found and first < found[-1][1]:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def object_condition(event: Event) -> Condition:
    """The condition for all events of the object of an event, of any version.

    The global id is used only if there is no other key, since not every event of an object has it.
    """
    is_named = event.object_id is not None and (event.objecttype or event.basetype)
    if event.global_object_id and not is_named:
        return Condition(key_value_text("global_object_id", event.global_object_id), PatternKind.KEY)
    return Condition(object_text(replace(event, object_version=None)), PatternKind.OBJECT)
