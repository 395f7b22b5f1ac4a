"""Says the room's sentences in the language of the moment; knows no widget."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.schema.words import Words

CONTEXT = "SchemaWords"


def told(words: Words) -> str:
    """The sentence with its gaps filled."""
    counted = {
        name: number_text(value) if name == "count" and isinstance(value, int) else value
        for name, value in words.parameters.items()
    }
    return QCoreApplication.translate(CONTEXT, words.text).format_map(counted)
