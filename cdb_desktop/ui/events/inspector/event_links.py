"""The ways from an event to what it is about: a commit's schema, and its object. Follows none itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.ui.events.browser.row_menu import commit_words, object_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.vocabulary.event_text import is_commit


class EventLinks(QWidget):
    """A button for each way that the event has; hidden while there is none.

    Signals: ``schema_requested`` with the Event of a commit · ``object_requested`` with an Event whose object
    is meant.
    """

    schema_requested = Signal(object)
    object_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._event: Event | None = None
        self.schema = named("events.inspector.schema", QToolButton(self))
        self.object = named("events.inspector.object", QToolButton(self))
        self.schema.setIcon(icon("schema", appearance))
        self.object.setIcon(icon("search", appearance))
        self.schema.clicked.connect(lambda: self.schema_requested.emit(self._event))
        self.object.clicked.connect(lambda: self.object_requested.emit(self._event))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP - TIGHT, TIGHT, GAP, 0)
        layout.setSpacing(0)
        for button in (self.schema, self.object):
            button.setAutoRaise(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            # A long name of an object type is cut off rather than widening the inspector.
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            layout.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_event(self, event: Event | None) -> None:
        """Offers the ways of another event, None for none."""
        self._event = event
        ways = {
            self.schema: commit_words(event) if event is not None and is_commit(event) else "",
            self.object: object_words(event) if event is not None and event.object_id is not None else "",
        }
        for button, words in ways.items():
            if words != button.toolTip():
                button.setText(words.replace("&", "&&"))
                button.setToolTip(words)
                button.setAccessibleName(words)
            button.setVisible(bool(words))
        self.setVisible(any(ways.values()))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.show_event(self._event)
