"""Rules that highlight events, and their stored texts."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QSettings

from cdb_desktop.client import Event
from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.ui.widgets.settings import set_value_aside
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


_KEY = "events/highlight"
_BEFORE = "accent"  # the name of the first tone in older settings


def load_marks(settings: QSettings) -> Marks:
    """The rules of the last time; what cannot be read is none."""
    try:
        texts = msgspec.json.decode(str(settings.value(_KEY, "")) or "{}", type=dict[str, str])
    except DAMAGE as error:
        set_value_aside(settings, _KEY, error)
        texts = {}
    if _BEFORE in texts:
        texts.setdefault(TONES[0], texts.pop(_BEFORE))
    return Marks(texts)


def save_marks(settings: QSettings, texts: Mapping[str, str]) -> None:
    """Keeps the texts of the rules in force."""
    settings.setValue(_KEY, msgspec.json.encode(texts).decode())
