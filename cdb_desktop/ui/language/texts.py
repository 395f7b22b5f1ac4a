"""Reads the German texts from the packaged files; knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdb_desktop.foundation.resources import resource

# (context, English source) to German.
Texts = Mapping[tuple[str, str], str]

_FOLDER = "texts/de"


def german_texts() -> Texts:
    """All texts of all files; each file maps contexts to {source: German}. Raises OSError, ValueError."""
    found: dict[tuple[str, str], str] = {}
    for file in sorted(resource(_FOLDER).glob("*.json")):
        contexts = msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]])
        for context, texts in contexts.items():
            found.update({(context, source): german for source, german in texts.items()})
    return found
