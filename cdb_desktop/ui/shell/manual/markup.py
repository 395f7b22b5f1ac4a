"""What the markers of the manual are shown as: names, keys and texts of the program."""

from __future__ import annotations

import re

from PySide6.QtGui import QKeySequence

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import ActionSpec, action_specs, plain
from cdb_desktop.vocabulary.error_messages import find_entry
from cdb_desktop.vocabulary.manual import MARKER

_ARROW = " › "
_MARK = re.compile(r"[\\`*_\[\]<>|#~]")  # what has a meaning in Markdown


class MarkerNames:
    """What markers are shown as, in the language in use."""

    def __init__(self) -> None:
        self._specs = {spec.name: spec for spec in action_specs()}

    def text(self, kind: str, value: str) -> str:
        """As plain text. Raises KeyError if there is no such action or error."""
        name, key = self._parts(kind, value)
        return f"{name} ({key})" if name and key else name or key

    def markdown(self, kind: str, value: str) -> str:
        """As Markdown: names are bold; keys, codes and queries are code."""
        name, key = self._parts(kind, value)
        if kind in ("query", "example"):
            return f"`{name}`"
        shown, code = f"**{_MARK.sub(_escaped, name)}**", f"`{key}`"
        return f"{shown} ({code})" if name and key else shown if name else code

    def _parts(self, kind: str, value: str) -> tuple[str, str]:
        """The name, and the key or code after it; either may be empty."""
        match kind:
            case "action":
                return _name(self._specs[value].text), _key(self._specs[value])
            case "menu":
                spec = self._specs[value]
                return _ARROW.join(_name(part) for part in (spec.menu, spec.group, spec.text) if part), ""
            case "key":
                return "", _key(self._specs[value])
            case "text":
                return _name(tr(value)), ""
            case "error":
                entry = find_entry(value)
                if entry is None:
                    raise KeyError(value)
                return entry.explanation.title, entry.code
        return value, ""


def _escaped(mark: re.Match[str]) -> str:
    return f"\\{mark[0]}"


def _name(text: str) -> str:
    """The text without mnemonic, and without the ellipsis that promises a dialog."""
    return plain(text).removesuffix("…")


def _key(spec: ActionSpec) -> str:
    return QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)


def topic_markdown(text: str, names: MarkerNames) -> str:
    """The Markdown of a topic with what its markers are shown as. Raises KeyError for an unknown marker."""
    return MARKER.sub(lambda found: names.markdown(found[1], found[2]), text)
