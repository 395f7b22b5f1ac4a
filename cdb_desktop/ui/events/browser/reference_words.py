"""What can be gone to from an event, in the user's language: for its menu and for the inspector."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import committed_version, object_text

translate = QCoreApplication.translate


def commit_words(event: Event) -> str:
    """The schema that a commit has made, by its number where the record is here."""
    version = committed_version(event)
    if version is None:
        return translate("EventLinks", "Show the schema version of this commit")
    return translate("EventLinks", "Show schema version %1").replace("%1", str(version))


def object_words(event: Event) -> str:
    """All that has happened to the object of an event, in whatever version."""
    of_any_version = replace(event, object_version=None)
    return translate("EventLinks", "Find all events of %1").replace("%1", object_text(of_any_version))
