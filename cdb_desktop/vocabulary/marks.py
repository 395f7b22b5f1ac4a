"""Marks events by rules: the first rule whose text an event has gives it its tone. No I/O."""

from __future__ import annotations

from collections.abc import Mapping

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.pattern import Pattern

TONES = ("mark", "good", "warning", "danger")  # in the order in which rules are tried
_KEPT = 20_000  # events whose mark is remembered


class Marks:
    """Rules in force: for each tone the text that it looks for in the values that an event has here."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Tones without a text, and texts of blanks, mark nothing."""
        self.texts = {tone: text for tone in TONES if (text := texts.get(tone, "").strip())}
        self._patterns = [(TONES.index(tone), Pattern(text)) for tone, text in self.texts.items()]
        self._known: dict[int, int | None] = {}

    def of(self, event: Event) -> int | None:
        """The place of the event's tone in TONES, None where no rule fits."""
        if not self._patterns:
            return None
        if event.id not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = (place for place, pattern in self._patterns if pattern.find(event) is not None)
            self._known[event.id] = next(found, None)
        return self._known[event.id]
