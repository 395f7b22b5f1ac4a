"""What the event browser looks like: a strip, the table, and the pictures in its place. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QSettings, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.events.pages import Result
from cdb_desktop.ui.events.model import ResultModel
from cdb_desktop.ui.events.place import Place
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.bar import ActionButton, Bar, caption
from cdb_desktop.ui.widgets.event_table import EventTable
from cdb_desktop.ui.widgets.kept_columns import keep_columns
from cdb_desktop.ui.widgets.state_picture import Kind, StatePicture
from cdb_desktop.vocabulary.sentences import Sentence

_WAITING = 60


class EventsView(QWidget):
    """The page of the event browser.

    Signals: ``rows_shown`` (first, last) when rows have come to rest in sight · ``again_requested`` when the
    way out of a failure is taken.
    """

    rows_shown = Signal(int, int)
    again_requested = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, refresh: QAction) -> None:
        super().__init__()
        self.model = ResultModel(self)
        self.table = EventTable(self.model, appearance, self)
        self._picture = StatePicture(appearance, self)
        self._count = QLabel(self)
        self._place = Place()
        self._arrange(refresh)
        keep_columns(self.table.horizontalHeader(), settings, "events/columns")
        self.table.rows_shown.connect(self.rows_shown)
        self._picture.step_requested.connect(self.again_requested)

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the table."""
        return self.model.event_at(0) is not None

    def show_loading(self) -> None:
        """Rows that hold the place of the first ones to come; a result that is there stays."""
        if self.model.result is None:
            self.model.show_waiting(_WAITING)
            self._stack.setCurrentWidget(self.table)
            self._count.setText(self.tr("Loading events…"))

    def show_result(self, result: Result) -> None:
        """Other rows; what was selected and in sight stays so where it is still there."""
        self._place = Place.of(self.table, self.model.result)
        self.model.show_result(result)
        self._place.scroll(self.table, result)
        self._select_again(result)
        self.show_count()
        if result.rows:
            self._stack.setCurrentWidget(self.table)
        else:
            self._show_empty()

    def show_page(self, number: int) -> None:
        """The events of one page have come."""
        self.model.show_page(number)
        if self.model.result is not None:
            self._select_again(self.model.result)
        self.show_count()

    def show_count(self) -> None:
        """The number of rows has become known."""
        self.model.show_rows()
        result = self.model.result
        if result is not None:
            more = "" if result.total is not None else "+"
            self._count.setText(self.tr("%1 events").replace("%1", QLocale().toString(result.rows) + more))

    def show_failure(self, said: Sentence) -> None:
        """Nothing can be shown, and why."""
        self._show_picture(Kind.FAILED, said, self.tr("Try again"))

    def show_forbidden(self, said: Sentence) -> None:
        """The user may not see events."""
        self._show_picture(Kind.FORBIDDEN, said, "")

    def _select_again(self, result: Result) -> None:
        if self._place.select(self.table, result):
            self._place = Place()

    def _show_picture(self, kind: Kind, said: Sentence, step: str) -> None:
        self.model.show_waiting(0)
        self._count.clear()
        self._picture.show_state(kind, said.title, f"{said.text} {said.remedy}", step)
        self._stack.setCurrentWidget(self._picture)

    def _show_empty(self) -> None:
        text = self.tr("The service has written no events yet. They appear here as soon as somebody works.")
        self._picture.show_state(Kind.EMPTY, self.tr("No events"), text, self.tr("Look again"))
        self._stack.setCurrentWidget(self._picture)

    def _arrange(self, refresh: QAction) -> None:
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._picture)
        bar = Bar(self)
        zone = caption(bar)
        zone.setText(self.tr("local time"))
        bar.add(self._count)
        bar.add(zone, gap=GAP)
        bar.push()
        bar.add(ActionButton(refresh, bar))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self._stack)
