"""The status bar: service, user, latency and time zone, and running tasks, which can be cancelled."""

import time
from functools import partial

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStatusBar, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.tasks import RunningTask
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.labels import Label, StatusDot, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.progress import TaskProgress
from cdb_desktop.vocabulary.times import zone_with_offset

_PATIENCE = 0.3  # seconds before a task is shown


class RunningTasks(QWidget):
    """Running tasks side by side. New ones are added at the right, so that no click hits the wrong one.

    Signals: ``cancel_requested`` with the name of the task.
    """

    cancel_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, TaskProgress] = {}
        self._begun: dict[str, float] = {}
        self.running: tuple[RunningTask, ...] = ()
        self._wait = QTimer(self, singleShot=True)
        self._wait.timeout.connect(self.show_again)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, TIGHT, 0)
        self._row.setSpacing(GAP)
        self.hide()

    def show_running(self, running: tuple[RunningTask, ...]) -> None:
        """Shows these tasks, each as soon as it has been running for 0.3 s."""
        now = time.monotonic()
        self.running = running
        self._begun = {one.name: self._begun.get(one.name, now) for one in running}
        self.show_again()

    def show_again(self) -> None:
        """Shows the tasks again after a wait."""
        due = time.monotonic() - _PATIENCE
        shown = [one for one in self.running if one.name in self._items or self._begun[one.name] <= due]
        for name in self._items.keys() - {one.name for one in shown}:
            item = self._items.pop(name)
            self._row.removeWidget(item)
            item.hide()
            item.deleteLater()
        for one in shown:
            self._item(one.name).show_work(one.title, one.done)
        self.setVisible(bool(shown))
        waiting = [begun for name, begun in self._begun.items() if name not in self._items]
        self._wait.stop()
        if waiting:
            self._wait.start(max(1, round(1000 * (min(waiting) - due)) + 1))

    def _item(self, name: str) -> TaskProgress:
        if name not in self._items:
            self._items[name] = item = TaskProgress(self._appearance, self)
            item.cancel_requested.connect(partial(self.cancel_requested.emit, name))
            self._row.addWidget(item)
        return self._items[name]


_STEP_HEIGHT = 24


class StatusBar(QStatusBar):
    """The state of the connection and the running tasks; ``zone`` is empty without a connection.

    Signals: ``cancel_requested`` with the name of a task · ``sign_in_requested`` · ``faults_requested`` when
    the mark of simulated faults was clicked · ``alarms_requested`` when that of alarms was.
    """

    cancel_requested = Signal(str)
    sign_in_requested = Signal()
    faults_requested = Signal()
    alarms_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._dot = StatusDot(appearance, self)
        self.who = Label(self)
        self.about = named("status.about", caption(self))
        self.latency = Label(self)
        self._sign_in = named("status.sign_in", QPushButton(self))
        self._sign_in.clicked.connect(self.sign_in_requested)
        self._faults = named("status.faults", QPushButton(self))
        self._faults.setFixedHeight(_STEP_HEIGHT)
        self._faults.clicked.connect(self.faults_requested)
        self._faults_dot = StatusDot(appearance, self)
        self._faults_dot.show_tone("danger")
        self._alarms = named("status.alarms", QPushButton(self))
        self._alarms.setIcon(icon("bell", appearance))
        self._alarms.setFixedHeight(_STEP_HEIGHT)
        self._alarms.clicked.connect(self.alarms_requested)
        self._alarms_dot = StatusDot(appearance, self)
        self._alarms_dot.show_tone("danger")
        self.zone = named("status.zone", caption(self))
        self.work = RunningTasks(appearance, self)
        self.work.cancel_requested.connect(self.cancel_requested)
        self._create_layout()

    def show_nobody(self, state: str) -> None:
        """Shows that there is no connection; ``state`` says whether one is being made."""
        self.show_alarms(0, 0)
        self._dot.show_tone("muted")
        self._sign_in.hide()
        self.who.setText(state)
        self.about.clear()
        self.latency.clear()
        self.zone.clear()

    def show_connection(self, service: str, user: str) -> None:
        """Shows a connection."""
        self._dot.show_tone("good")
        self._sign_in.hide()
        self.who.setText(f"{service} · {user}")
        self.latency.clear()
        self._show_zone()

    def show_service(self, about: str, tip: str) -> None:
        """Shows what is known about the service; ``tip`` is its tooltip."""
        self.about.setText(f"· {about}")
        self.about.setToolTip(tip)

    def show_file(self, name: str) -> None:
        """Shows a model file."""
        self._dot.show_tone("muted")
        self.who.setText(tr("{name} · not connected", name=name))
        self.about.clear()
        self.latency.clear()

    def show_log_file(self, name: str) -> None:
        """Shows a log file."""
        self._dot.show_tone("warning")
        self._sign_in.hide()
        self.about.clear()
        self.who.setText(tr("{name} · a file, not a service: its events can only be read", name=name))
        self.latency.clear()
        self._show_zone()

    def show_latency(self, milliseconds: float) -> None:
        """Shows the time of the last answer."""
        self._dot.show_tone("good")
        self._sign_in.hide()
        self.latency.setText(tr("· {milliseconds} ms", milliseconds=round(milliseconds)))

    def show_away(self) -> None:
        """Shows that the service does not answer."""
        self._dot.show_tone("warning")
        self.latency.setText(tr("· no answer"))

    def show_signed_out(self) -> None:
        """Shows that the session is lost, and a button to sign in again."""
        self._dot.show_tone("warning")
        self.latency.setText(tr("· signed out"))
        self._sign_in.setText(tr("Sign in again"))
        self._sign_in.show()

    def show_faults(self, *, active: bool) -> None:
        """Shows or removes the mark that the demo service simulates faults."""
        self._faults.setText(tr("Faults are being simulated"))
        self._faults.setToolTip(tr("The demo service injects faults. Click to change or end them."))
        self._faults.setVisible(active)
        self._faults_dot.setVisible(active)

    def show_alarms(self, new: int, number: int) -> None:
        """Shows how many alarms nobody has looked at yet, out of a ``number``; nothing without any."""
        self._alarms.setText(
            tr("{count:1 new alarm|{count} new alarms}", count=new)
            if new
            else tr("{count:1 alarm|{count} alarms}", count=number)
        )
        self._alarms.setToolTip(tr("Show the alarms of saved views"))
        self._alarms.setVisible(bool(number))
        self._alarms_dot.setVisible(bool(new))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self.zone.text():
            self._show_zone()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paints a line at the top, and no frames around the items."""
        with QPainter(self) as painter:
            painter.fillRect(0, 0, self.width(), 1, self.palette().mid().color())

    def _show_zone(self) -> None:
        self.zone.setText(zone_with_offset())
        self.zone.setToolTip(tr("The time zone of all times shown; it can be changed in the settings."))

    def _create_layout(self) -> None:
        self.setSizeGripEnabled(False)
        widget = QWidget(self)
        layout = lay_out(QHBoxLayout(widget), self._dot, margins=(GROUP, 0, 0, 0), spacing=TIGHT)
        layout.addSpacing(TIGHT)
        layout.addWidget(self.who)
        layout.addWidget(self.about)
        layout.addWidget(self.latency)
        self._sign_in.setFixedHeight(_STEP_HEIGHT)
        kept = self._sign_in.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the height of the bar does not change
        self._sign_in.setSizePolicy(kept)
        layout.addSpacing(TIGHT)
        layout.addWidget(self._sign_in)
        layout.addStretch(1)
        self.addWidget(widget, stretch=1)
        self.zone.setContentsMargins(GAP, 0, GROUP, 0)
        # Tasks to the left of the zone, which keeps its place.
        self.addPermanentWidget(self.work)
        self.addPermanentWidget(self._faults_dot)
        self.addPermanentWidget(self._faults)
        self.show_faults(active=False)
        self.addPermanentWidget(self._alarms_dot)
        self.addPermanentWidget(self._alarms)
        self.show_alarms(0, 0)
        self.addPermanentWidget(self.zone)
        self.show_nobody("")
