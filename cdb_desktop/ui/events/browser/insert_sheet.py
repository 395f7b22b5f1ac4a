"""The sheet in which an event is written by hand: type, info and object. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QFontDatabase, QPalette
from PySide6.QtWidgets import QComboBox, QFormLayout, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.insertion import INSERTABLE_TYPES, DraftFault, EventDraft
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.insert_words import fault_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, set_tab_order
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.vocabulary.times import clock_time

_LINES = 7
_WIDTH = 560


class InsertSheet(BaseDialog):
    """What cannot be sent is told below its field; once the event is written the way to it stands there.

    Signals: ``agreed`` with the Draft · ``event_requested`` with the Event to go to.
    """

    agreed = Signal(object)
    event_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget, *, leads: bool) -> None:
        """``leads``: whether the user may go to what is written."""
        super().__init__(appearance, "events.insert", parent)
        self._leads = leads
        self._written: Event | None = None
        self._form = QWidget(self)
        self.type = ignore_wheel(named("events.insert.type", QComboBox(self)))
        self.info = named("events.insert.info", QPlainTextEdit(self))
        self.objecttype = named("events.insert.objecttype", QLineEdit(self))
        self.object_id = named("events.insert.object_id", QLineEdit(self))
        self.object_version = named("events.insert.object_version", QLineEdit(self))
        self.notes = {name: _note(name, self) for name in ("info", "object_id", "object_version")}
        self.another = named("events.insert.another", QPushButton(self.tr("Write &another"), self))
        self._fill()
        self._connect()
        self.resize(_WIDTH, self.height())
        self._begin()

    @property
    def draft(self) -> EventDraft:
        """What is typed."""
        return EventDraft(
            self.type.currentText(),
            self.info.toPlainText(),
            self.objecttype.text(),
            self.object_id.text(),
            self.object_version.text(),
        )

    def show_writing(self) -> None:
        """The service has been asked."""
        self.accept_button.setEnabled(False)
        self.show_fault(self.tr("Writing…"), "muted")

    def show_written(self, event: Event) -> None:
        """The service has written it; the form gives way to what can be done next."""
        self._written = event
        self._form.hide()
        self.show_fault("")
        title = self.tr("Event %1 is written").replace("%1", number_text(event.id))
        told = self.tr("A %1, at %2.").replace("%1", event.type).replace("%2", clock_time(event.timestamp))
        self.say(title, told, self.tr("Go to the event") if self._leads else self.tr("Close"))
        self.cancel_button.setText(self.tr("Close"))
        self.cancel_button.setVisible(self._leads)
        self.another.show()
        self.accept_button.setEnabled(True)
        self.accept_button.setFocus()
        self.fit()

    def _begin(self) -> None:
        self._written = None
        told = self.tr(
            "The event is written to the log of the service. This cannot be undone: only users "
            "with the right to delete events can remove it."
        )
        self.say(self.tr("New test event"), told, self.tr("Write event"))
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.show()
        self.another.hide()
        self._form.show()
        self._check()
        self.fit()
        self.info.setFocus()

    def _check(self) -> None:
        faults = self.draft.faults
        for name, note in self.notes.items():
            self._tell(note, next((fault for field, fault in faults.items() if field == name), None))
        self.show_fault("")
        self.accept_button.setEnabled(not faults)

    def _tell(self, note: QLabel, fault: DraftFault | None) -> None:
        palette = QPalette(note.palette())
        palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(self._appearance.tokens.danger))
        note.setPalette(palette)
        # Its room is kept, so that nothing moves while somebody types.
        note.setText(fault_words(fault) if fault else " ")

    def _agree(self) -> None:
        if self._written is None:
            self.agreed.emit(self.draft)
            return
        self.close()
        if self._leads:
            self.event_requested.emit(self._written)

    def _connect(self) -> None:
        self.info.textChanged.connect(self._check)
        for line in (self.objecttype, self.object_id, self.object_version):
            line.textChanged.connect(self._check)
        self.accept_button.clicked.connect(self._agree)
        self.another.clicked.connect(self._begin)

    def _fill(self) -> None:
        self.type.addItems(INSERTABLE_TYPES)
        self.info.setTabChangesFocus(True)
        self.info.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.info.setMinimumHeight(_LINES * ROW)
        self.info.setPlaceholderText('{"search": [], "limit": 100}')
        self.objecttype.setPlaceholderText(self.tr("none"))
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(GAP)
        form.setVerticalSpacing(TIGHT)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.tr("&Type"), self.type)
        form.addRow(self.tr("&Info, a JSON object"), self.info)
        form.addRow("", self.notes["info"])
        form.addRow(self.tr("&Object type"), self.objecttype)
        # As much room as below the others, where notes may come.
        form.addRow("", _room(self._form))
        form.addRow(self.tr("Object i&d"), self.object_id)
        form.addRow("", self.notes["object_id"])
        form.addRow(self.tr("&Version"), self.object_version)
        form.addRow("", self.notes["object_version"])
        self.body.addWidget(self._form)
        self._buttons.insertWidget(self._buttons.count() - 1, self.another)
        fields = (self.type, self.info, self.objecttype, self.object_id, self.object_version)
        set_tab_order(*fields, self.cancel_button, self.another, self.accept_button)


def _note(name: str, parent: QWidget) -> QLabel:
    return named(f"events.insert.{name}.note", caption(parent))


def _room(parent: QWidget) -> QLabel:
    room = caption(parent)
    room.setText(" ")
    return room
