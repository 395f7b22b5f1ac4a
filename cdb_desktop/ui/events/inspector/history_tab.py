"""The tab of the inspector with the history of an object: progress, timeline, and what is missing and why."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.inspector.history_tree import HistoryTree
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.failure_buttons import FailureButtons
from cdb_desktop.ui.widgets.labels import ElidedLabel, Label
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.progress import ProgressBar
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class HistoryTab(QWidget):
    """Shows a page in place of the timeline, or the timeline with its status.

    Signals: ``event_requested`` with the id of an event · ``read_requested`` to read the history of the
    object of the current event, also again · ``cancel_requested`` · ``explain_requested`` with the code of
    an error.
    """

    event_requested = Signal(object)
    read_requested = Signal()
    cancel_requested = Signal()
    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.history")
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._appearance = appearance
        self.tree = HistoryTree(appearance)
        self.page = EmptyState(appearance)
        self._status = named("events.history.status", ElidedLabel(self))
        self._progress = named("events.history.progress", ProgressBar(appearance, self))
        self.cancel = named("events.history.cancel", QPushButton(tr("Cancel"), self))
        self.only_changes = named(
            "events.history.only_changes", IconButton(icon("filter", appearance), "", self)
        )
        self.only_changes.setCheckable(True)
        self.again = named("events.history.again", IconButton(icon("refresh", appearance), "", self))
        self._note = named("events.history.note", Label(self, wordWrap=True))
        self._more = FailureButtons(appearance, self)
        self._stack = QStackedWidget(self)
        self._arrange()
        self._connect()
        self.cancel.setToolTip(tr("Stop reading; what was found stays"))
        self.only_changes.setAccessibleName(tr("Only changes"))
        self.only_changes.setToolTip(
            tr("Only changes: hide views and other events that have changed nothing")
        )
        self.again.setToolTip(tr("Read the history again"))
        self.again.setAccessibleName(tr("Read the history again"))
        self._progress.setAccessibleName(tr("Progress"))
        self.page.show_state(EmptyStateKind.EMPTY, tr("No event selected"), "")

    @property
    def status(self) -> str:
        """The text about progress or result."""
        return self._status.text()

    @property
    def note(self) -> str:
        """The text about what is missing, empty for none."""
        return self._note.text() if not self._note.isHidden() else ""

    @property
    def is_running(self) -> bool:
        """Whether progress is shown."""
        return not self.cancel.isHidden()

    def show_page(self, kind: EmptyStateKind, title: str, text: str, step: str = "") -> None:
        """Shows a page; its button requests the history."""
        self.page.show_state(kind, title, text, step)
        self._stack.setCurrentWidget(self.page)

    def show_failure(self, message: ErrorMessage) -> None:
        """Shows why there is no history, with a button to try again."""
        self.page.show_failure(message, tr("Try again"))
        self._stack.setCurrentWidget(self.page)

    def show_timeline(self) -> None:
        """Shows the timeline."""
        self._stack.setCurrentIndex(1)

    def show_status(self, text: str) -> None:
        """Shows the progress or the result."""
        self._status.setText(text)

    def show_progress(self, done: float | None) -> None:
        """Shows progress from 0 to 1, None for unknown, with a button to cancel."""
        self._progress.show_done(done)
        self._set_running(running=True)

    def end(self) -> None:
        """Hides the progress."""
        self._set_running(running=False)

    def show_note(self, text: str, tone: str = "warning", message: ErrorMessage | None = None) -> None:
        """Shows what is missing in the timeline; an empty text hides the note."""
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._more.show_failure(message)
        palette = self._note.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, tone)))
        self._note.setPalette(palette)

    def _set_running(self, *, running: bool) -> None:
        self._progress.setVisible(running)
        self.cancel.setVisible(running)
        self.again.setVisible(not running)

    def _connect(self) -> None:
        self.tree.event_requested.connect(self.event_requested)
        self.page.step_requested.connect(self.read_requested)
        self.page.explain_requested.connect(self.explain_requested)
        self._more.explain_requested.connect(self.explain_requested)
        self.again.clicked.connect(self.read_requested)
        self.cancel.clicked.connect(self.cancel_requested)
        self.only_changes.toggled.connect(lambda on: self.tree.hide_other_events(hidden=on))

    def _arrange(self) -> None:
        self._status.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.cancel.setAutoDefault(False)
        bar = QHBoxLayout()
        bar.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        bar.setSpacing(GAP)
        bar.addWidget(self._status, stretch=1)
        for widget in (self._progress, self.cancel, self.only_changes, self.again):
            bar.addWidget(widget)
        beside = QHBoxLayout()
        beside.setContentsMargins(GROUP, 0, GAP, TIGHT)
        beside.addWidget(self._note, stretch=1)
        beside.addWidget(self._more, alignment=Qt.AlignmentFlag.AlignTop)
        self._note.hide()
        timeline = QWidget()
        lines = QVBoxLayout(timeline)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
        lines.addLayout(bar)
        lines.addLayout(beside)
        lines.addWidget(self.tree, stretch=1)
        self._stack.addWidget(self.page)
        self._stack.addWidget(timeline)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._set_running(running=False)
