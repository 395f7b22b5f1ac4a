"""Remembers the rules that mark events from one start to the next; all panes have the same ones."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QSettings

from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.ui.widgets.damaged_value import set_value_aside
from cdb_desktop.vocabulary.marks import TONES, Marks

_KEY = "events/highlight"
_BEFORE = "accent"  # the name of the first tone in older settings


def kept_marks(settings: QSettings) -> Marks:
    """The rules of the last time; what cannot be read is none."""
    try:
        texts = msgspec.json.decode(str(settings.value(_KEY, "")) or "{}", type=dict[str, str])
    except DAMAGE as error:
        set_value_aside(settings, _KEY, error)
        texts = {}
    if _BEFORE in texts:
        texts.setdefault(TONES[0], texts.pop(_BEFORE))
    return Marks(texts)


def keep_marks(settings: QSettings, texts: Mapping[str, str]) -> None:
    """Keeps the texts of the rules in force."""
    settings.setValue(_KEY, msgspec.json.encode(texts).decode())
