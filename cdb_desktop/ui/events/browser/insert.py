"""Inserts a test event written by hand, and links to it."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.insertion import DraftFault, EventDraft, insertable_types
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ROW
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import clock_time

_LINES = 7
_WIDTH = 560
_CHECKED = "info", "object_id", "object_version"
_WORK = "events.insert"


def fault_text(fault: DraftFault) -> str:
    """Why the draft cannot be sent."""
    if fault.reason == "json":
        return tr(
            "This is no JSON: look at line {line}, character {column}.", line=fault.line, column=fault.column
        )
    return {
        "object": tr("Info is an object: it begins with {{ and ends with }}."),
        "value": tr("A number or a character in it cannot be sent."),
        "number": tr("A whole number, or nothing."),
        "range": tr("This number is too large."),
    }[fault.reason]


class InsertDialog(BaseDialog):
    """The form, with errors below their fields, and afterwards a button to go to the new event.

    Signals: ``agreed`` (EventDraft) · ``event_requested`` (Event).
    """

    agreed = Signal(object)
    event_requested = Signal(object)

    def __init__(
        self, appearance: Appearance, parent: QWidget, *, leads: bool, in_groups: bool = False
    ) -> None:
        """``leads``: whether the user has the right to see the new event.

        ``in_groups``: types belong to groups; those of plug-ins have names that are not known.
        """
        super().__init__(appearance, "events.insert", parent)
        self._leads = leads
        self._written: Event | None = None
        no_insert = QComboBox.InsertPolicy.NoInsert
        self.type = QComboBox(editable=True, insertPolicy=no_insert) if in_groups else Choice()
        for name in insertable_types(in_groups=in_groups):
            self.type.addItem(name, name)
        self.info = QPlainTextEdit(tabChangesFocus=True, placeholderText='{"search": [], "limit": 100}')
        self.info.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.info.setMinimumHeight(_LINES * ROW)
        tip = tr("Services other than the reference server may refuse this attribute.")
        self.form = self.add_form(
            Field("type", self.type, tr("&Type")),
            Field("info", self.info, tr("&Info, a JSON object")),
            Field("objecttype", QLineEdit(placeholderText=tr("none")), tr("&Object type")),
            Field("object_id", QLineEdit(), tr("Object i&d")),
            Field("object_version", QLineEdit(), tr("&Version")),
            Field("pollable", QCheckBox(tr("&Pollable: live feeds show it")), tip=tip),
        )
        for name in _CHECKED:
            self.form.hint(name).show()  # its space is reserved, so that nothing moves during typing
        self.another = named("events.insert.another", QPushButton(tr("Write &another"), self))
        self._buttons.insertWidget(self._buttons.count() - 1, self.another)
        QWidget.setTabOrder(self.cancel_button, self.another)
        self.form.changed.connect(self._check)
        self.accept_button.clicked.connect(self._agree)
        self.another.clicked.connect(self._begin)
        self.resize(_WIDTH, self.height())
        self._begin()

    @property
    def draft(self) -> EventDraft:
        """The draft as typed."""
        return EventDraft(**self.form.values())

    def show_writing(self) -> None:
        """Shows that the event is being written."""
        self.accept_button.setEnabled(False)
        self.show_fault(tr("Writing…"), "muted")

    def show_written(self, event: Event) -> None:
        """Replaces the form by the actions for the new event."""
        self._written = event
        self.form.hide()
        self.show_fault("")
        title = tr("Event {id} is written", id=event.id)
        text = tr("A {type}, at {time}.", type=event.type, time=clock_time(event.timestamp))
        self.set_texts(title, text, tr("Go to the event") if self._leads else tr("Close"))
        self.cancel_button.setText(tr("Close"))
        self.cancel_button.setVisible(self._leads)
        self.another.show()
        self.accept_button.setEnabled(True)
        self.accept_button.setFocus()
        self.fit()

    def _begin(self) -> None:
        self._written = None
        text = tr(
            "The event is written to the log of the service. This cannot be undone: only users "
            "with the right to delete events can remove it."
        )
        self.set_texts(tr("New test event"), text, tr("Write event"))
        self.cancel_button.setText(tr("Cancel"))
        self.cancel_button.show()
        self.another.hide()
        self.form.show()
        self._check()
        self.fit()
        self.info.setFocus()

    def _check(self) -> None:
        draft = self.draft
        faults = {str(name): fault_text(fault) for name, fault in draft.faults.items()}
        for name in _CHECKED:
            self.form.hint(name).show_hint("danger", faults.get(name, ""))
        self.show_fault("")
        self.accept_button.setEnabled(not faults and bool(draft.type.strip()))

    def _agree(self) -> None:
        if self._written is None:
            self.agreed.emit(self.draft)
            return
        self.close()
        if self._leads:
            self.event_requested.emit(self._written)


class InsertController(QObject):
    """Opens the form and inserts the event.

    Signals: ``written_requested`` (Event) when the user wants to see it.
    """

    written_requested = Signal(object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context
        self._dialog: InsertDialog | None = None

    def open(self) -> None:
        """Opens the form."""
        view, client = self._context.view, self._context.client
        session, in_groups = client.session, client.capabilities.event_groups
        leads = session is not None and session.allows("system.api.event.get")
        dialog = InsertDialog(view.appearance, view, leads=leads, in_groups=in_groups)
        dialog.agreed.connect(self._write)
        dialog.event_requested.connect(self.written_requested)
        dialog.explain_requested.connect(view.notice.explain_requested)
        dialog.finished.connect(self._forget)
        self._dialog = dialog
        dialog.open()

    def _forget(self) -> None:
        self._dialog = None

    def _write(self, draft: EventDraft) -> None:
        if self._dialog is not None:
            self._dialog.show_writing()
        self._context.tasks.start(_WORK, self._ask(draft), on_error=self._failed)

    async def _ask(self, draft: EventDraft) -> None:
        event = await self._context.client.insert_event(**draft.attributes)  # type: ignore[arg-type]
        self._show_written(event)

    def _show_written(self, event: Event) -> None:
        if self._dialog is not None:
            self._dialog.show_written(event)
            return
        text = tr("Event {id} is written", id=event.id)
        self._context.view.count.show_message(text)

    def _failed(self, error: Exception) -> None:
        message = error_message(error)
        if self._dialog is None:
            self._context.view.notice.show_failure(message)
        else:
            self._dialog.show_failure(message)
            self._dialog.accept_button.setEnabled(True)
