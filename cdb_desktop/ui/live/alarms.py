"""Evaluates the alarms of saved views while the program runs, and shows them."""

from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.client import Client, ClientError, Event, MissingRightError, Session, SessionLostError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.alarm_rules import (
    Alarm,
    AlarmRule,
    AlarmState,
    ProfileAlarms,
    ViewAlarm,
    alarms_file,
    usable_rule,
)
from cdb_desktop.live.alarm_watch import AlarmBatch, AlarmWatch, EventTail, PolledEvents
from cdb_desktop.live.event_lookup import LIST_RIGHT
from cdb_desktop.queries.saved_views import VIEWS_FILE, SavedView, ViewStore
from cdb_desktop.ui.live.notifications import WindowNotifier
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_summary import event_summary
from cdb_desktop.vocabulary.event_types import object_text, user_text
from cdb_desktop.vocabulary.profile_key import ProfileKey
from cdb_desktop.vocabulary.times import day_and_time

_WATCH = "live.alarms"
_MOST_KEPT = 1_000  # alarms
_STORE_AFTER = 30_000  # milliseconds
_INTERVAL = 2.0  # seconds between two readings of the list


class AlarmController(QObject):
    """The alarms of one profile. Events of the time since the last start are evaluated, too.

    Signals: ``counted`` with the numbers of new alarms and of all.
    """

    counted = Signal(int, int)

    def __init__(
        self,
        view: LiveView,
        client: Client,
        session: Session,
        tasks: Tasks,
        key: ProfileKey,
        notifier: WindowNotifier,
    ) -> None:
        super().__init__(view)
        self._view, self._tasks = view, tasks
        self._key = key.key
        folder = Path(view.settings.fileName()).parent
        self._file = alarms_file(folder)
        self._views = ViewStore(folder / VIEWS_FILE)
        stored = self._file.read(self._key) or ProfileAlarms()
        self._last_id, self._states = stored.last_id, dict(stored.states)
        self._is_changed = False
        self._store_timer = QTimer(self, singleShot=True, interval=_STORE_AFTER)
        self._store_timer.timeout.connect(self._store)
        self.alarms: deque[Alarm] = deque(maxlen=_MOST_KEPT)  # newest first
        self._number = self._unseen = 0
        self._list: AlarmList | None = None
        self._notifier = notifier
        self._polled = PolledEvents()
        self._reads_list = session.allows(LIST_RIGHT)
        newest = session.current_max_event_id or 0
        # The newest events may have been deleted, or the log may be another one.
        self._tail = EventTail(client, None if self._last_id is None else min(self._last_id, newest))
        source = self._tail if self._reads_list else self._polled
        self._watch = AlarmWatch(client, source, self._take, self._on_trouble, _INTERVAL)
        self._watch.last_id = newest
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self._store)
        # Writing uses nothing of Qt, so that it is still possible when the widgets are deleted.
        view.destroyed.connect(self._store)

    def load(self) -> None:
        """Reads rules and views, which may have changed, and evaluates them from now on."""
        if not self._rules():
            self._tasks.cancel(_WATCH)
            # Rules that are set later begin with the events after that.
            self._is_changed = False
            self._tail.last_id, self._watch.alarms = None, ()
        elif self._tasks.is_running(_WATCH):
            self._update_alarms()
        else:
            self._tasks.start(_WATCH, self._run(), on_error=self._on_error)

    def renew(self) -> None:
        """Continues with another session of the same client."""
        if not self._tasks.is_running(_WATCH):
            self.load()

    def add_polled(self, events: Sequence[Event]) -> None:
        """Takes the events of a poll, which are all that is known without the right to read the list."""
        if not self._watch.alarms:
            return
        if not self._reads_list:
            self._polled.add(events)
        elif events:
            self._watch.wake()

    def show_list(self) -> None:
        """Opens the list; its alarms are seen then."""
        if self._list is None:
            self._list = AlarmList(self._view.appearance, self._view)
            self._list.event_chosen.connect(self._view.signals.event_chosen)
            self._list.clear_requested.connect(self.clear)
            self._list.destroyed.connect(self._forget_list)
        self._list.show_alarms(list(self.alarms), self._number)
        self._list.show()
        self._list.raise_()
        self._list.activateWindow()
        self._unseen = 0
        self._count()

    def clear(self) -> None:
        """Removes all alarms from the list."""
        self.alarms.clear()
        self._number = self._unseen = 0
        self._count()

    async def _run(self) -> None:
        await self._watch.service_time()
        if self._reads_list:
            await self._tail.begin()
        self._update_alarms()
        await self._watch.run()

    def _update_alarms(self) -> None:
        """Takes changed rules and views; what has not changed keeps its state."""
        rules = {rule.view: usable_rule(rule) for rule in self._rules()}
        before = {one.rule.view: one for one in self._watch.alarms}
        alarms: list[ViewAlarm] = []
        for view in self._stored_views():
            rule, known = rules.get(view.name), before.get(view.name)
            if rule is None:
                continue
            if known is not None and (known.rule, known.query) == (rule, view.query):
                alarms.append(known)
                continue
            state = self._states.pop(view.name, None) or AlarmState(self._watch.now)
            alarm = ViewAlarm(rule, view.query, state)
            if self._reads_list or not alarm.needs_service:
                alarms.append(alarm)
        self._watch.alarms = tuple(alarms)

    def _rules(self) -> tuple[AlarmRule, ...]:
        return (self._file.read(self._key) or ProfileAlarms()).rules

    def _stored_views(self) -> tuple[SavedView, ...]:
        try:
            return self._views.read()
        except OSError:
            return ()  # the menu of views reports it

    def _take(self, batch: AlarmBatch) -> None:
        self._is_changed |= batch.last_id != self._last_id or bool(batch.alarms)
        self._last_id, self._states = batch.last_id, dict(batch.states)
        if self._is_changed and not self._store_timer.isActive():
            self._store_timer.start()
        if batch.alarms:
            self._add(batch.alarms)

    def _add(self, alarms: Sequence[Alarm]) -> None:
        self.alarms.extendleft(alarms)
        self._number += len(alarms)
        self._unseen += len(alarms)
        newest = alarms[-1]
        text = f"{newest.rule.view}: {event_text(newest) or alarm_text(newest)}"
        if len(alarms) > 1:
            text = tr("{count:1 alarm|{count} alarms}, the last one: {text}", count=len(alarms), text=text)
        self._notifier.notify(
            tr("Alarm"),
            text,
            tray=any(one.rule.tray for one in alarms),
            sound=any(one.rule.sound for one in alarms),
        )
        if self._list is not None and self._list.isVisible() and self._list.isActiveWindow():
            self._unseen = 0
        self._count()

    def _count(self) -> None:
        if self._list is not None:
            self._list.show_alarms(list(self.alarms), self._number)
        self.counted.emit(self._unseen, self._number)

    def _forget_list(self) -> None:
        self._list = None

    def _on_trouble(self, _error: ClientError | None) -> None:
        """The feed shows that the service does not answer."""

    def _on_error(self, error: Exception) -> None:
        if isinstance(error, SessionLostError | MissingRightError):
            return  # `renew` continues; without the right nothing can be read
        self._view.notices.show_failure(error_message(error))

    def _store(self) -> None:
        """Stores up to which event the rules have been evaluated."""
        if not self._is_changed:
            return
        self._is_changed = False
        last_id, states = self._last_id, self._states
        self._file.change(
            self._key, lambda before: replace(before or ProfileAlarms(), last_id=last_id, states=states)
        )


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
        self.table.doubleClicked.connect(lambda _index: self._choose())
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
            tr("No alarm has gone off"),
            tr("“Alert me of these events…” in the menu Live sets one."),
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
