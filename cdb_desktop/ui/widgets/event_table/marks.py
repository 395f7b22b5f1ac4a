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
_MOST = 20_000  # events whose mark is remembered

_KEY = "events/highlight"
_EARLIER_NAME = "accent"  # the name of the first tone in settings of earlier versions


class Marks:
    """Highlighting rules: for each tone the text to look for in an event. The first match counts."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """``texts`` maps tones to texts; blank texts are ignored."""
        self.texts = {tone: text for tone in TONES if (text := texts.get(tone, "").strip())}
        self._patterns = [(TONES.index(tone), Pattern(text)) for tone, text in self.texts.items()]
        self._known: dict[int, int | None] = {}

    def of(self, event: Event) -> int | None:
        """The index in TONES for ``event``, None if no rule matches."""
        if not self._patterns:
            return None
        if event.id not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = (place for place, pattern in self._patterns if pattern.find(event) is not None)
            self._known[event.id] = next(found, None)
        return self._known[event.id]


def load_marks(settings: QSettings) -> Marks:
    """The stored rules; none if they cannot be read."""
    try:
        texts = msgspec.json.decode(str(settings.value(_KEY, "")) or "{}", type=dict[str, str])
    except DAMAGE as error:
        set_value_aside(settings, _KEY, error)
        texts = {}
    if _EARLIER_NAME in texts:
        texts.setdefault(TONES[0], texts.pop(_EARLIER_NAME))
    return Marks(texts)


def save_marks(settings: QSettings, texts: Mapping[str, str]) -> None:
    """Stores the texts of the rules."""
    settings.setValue(_KEY, msgspec.json.encode(texts).decode())
