"""The list of alarms: when, which view, and which event, which can be shown in the event browser."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.alarm_rules import Alarm
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.event_summary import event_summary
from cdb_desktop.vocabulary.event_text import object_text, user_text
from cdb_desktop.vocabulary.times import day_and_time

MOST_SHOWN = 500  # alarms
_SIZE = 820, 460
_LONGEST_CELL = 400  # characters


class AlarmList(BaseDialog):
    """Stays open beside the window. New alarms are added at the top.

    Signals: ``event_chosen`` with the Event of an alarm · ``clear_requested``.
    """

    event_chosen = Signal(object)
    clear_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "live.alarms", parent)
        self._alarms: list[Alarm] = []
        self.table = named("live.alarms.table", PlainTable(self))
        self._nothing = named("live.alarms.nothing", EmptyState(appearance, self))
        self.set_texts(tr("Alarms"), "", tr("Show in the event browser"))
        self.cancel_button.setText(tr("Close"))
        self._clear = self.add_button(tr("C&lear the list"), self.clear_requested.emit)
        self._clear.setObjectName("live.alarms.clear")
        self._arrange_table()
        self.body.addWidget(self.table, stretch=1)
        self.body.addWidget(self._nothing, stretch=1)
        self.accept_button.clicked.connect(self._choose)
        self.table.doubleClicked.connect(self._choose_at)
        self.table.itemSelectionChanged.connect(self._update_buttons)
        self.resize(*_SIZE)

    def show_alarms(self, alarms: Sequence[Alarm], number: int) -> None:
        """Shows alarms, newest first, of which there were ``number``; the selection stays."""
        chosen = self._chosen
        self._alarms = list(alarms[:MOST_SHOWN])
        self.set_text(
            tr("{count:1 alarm|{count} alarms} since the start.", count=number)
            if number <= MOST_SHOWN
            else tr("The newest {shown} of {count} alarms.", shown=MOST_SHOWN, count=number)
        )
        self.table.setRowCount(len(self._alarms))
        for row, alarm in enumerate(self._alarms):
            texts = (_time(alarm.moment), alarm.rule.view, alarm_text(alarm), event_text(alarm))
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text[:_LONGEST_CELL])
                item.setToolTip(text[:_LONGEST_CELL])
                self.table.setItem(row, column, item)
        self.table.setVisible(bool(self._alarms))
        self._nothing.setVisible(not self._alarms)
        self._nothing.show_state(
            EmptyStateKind.EMPTY,
            tr("No alarm yet"),
            tr("“Alert me…” in the menu of the saved views sets one for any view of events."),
        )
        self._clear.setEnabled(bool(self._alarms))
        row = next((row for row, alarm in enumerate(self._alarms) if alarm is chosen), 0)
        self.table.selectRow(row)
        self._update_buttons()

    @property
    def _chosen(self) -> Alarm | None:
        row = self.table.currentRow()
        return self._alarms[row] if 0 <= row < len(self._alarms) else None

    def _choose(self) -> None:
        alarm = self._chosen
        if alarm is not None and alarm.event is not None:
            self.event_chosen.emit(alarm.event)

    def _choose_at(self, _index: QModelIndex) -> None:
        self._choose()

    def _update_buttons(self) -> None:
        alarm = self._chosen
        self.accept_button.setEnabled(alarm is not None and alarm.event is not None)

    def _arrange_table(self) -> None:
        table = self.table
        table.setColumnCount(4)
        table.setAccessibleName(tr("Alarms"))
        table.setHorizontalHeaderLabels([tr("Time"), tr("View"), tr("Alarm"), tr("Event")])
        table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        table.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        for column in range(3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setMaximumSectionSize(_SIZE[0] // 2)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def alarm_text(alarm: Alarm) -> str:
    """What has raised the alarm."""
    if alarm.rule.kind == "any":
        return tr("New event")
    since = _time(alarm.since or alarm.moment)
    if alarm.rule.kind == "more":
        return tr("{count:1 event|{count} events} since {time}", count=alarm.number, time=since)
    return tr("No event since {time}", time=since)


def event_text(alarm: Alarm) -> str:
    """The event of an alarm in one line, empty without one."""
    event = alarm.event
    if event is None:
        return ""
    parts = (event.type, object_text(event), user_text(event), event_summary(event))
    return " · ".join(" ".join(part.split()) for part in parts if part)


def _time(seconds: float) -> str:
    return day_and_time(datetime.fromtimestamp(seconds, UTC))
