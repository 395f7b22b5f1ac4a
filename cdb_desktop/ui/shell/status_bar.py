"""The foot of the window: service, user, latency and time zone, and running work with a way to end it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStatusBar, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.language.zone import zone_with_offset
from cdb_desktop.ui.tasks import Running
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.labels import Label, StatusDot, caption
from cdb_desktop.ui.widgets.progress import TaskProgress

_PATIENCE = 0.3  # seconds before work is worth mentioning


class RunningWork(QWidget):
    """Items come at the right and keep their places, so that nobody's click goes to the neighbour.

    Signals: ``cancel_requested`` with the name of the work.
    """

    cancel_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, TaskProgress] = {}
        self._begun: dict[str, float] = {}
        self._running: tuple[Running, ...] = ()
        self._wait = QTimer(self, singleShot=True)
        self._wait.timeout.connect(self.show_again)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, TIGHT, 0)
        self._row.setSpacing(GAP)
        self.hide()

    def show_running(self, running: tuple[Running, ...]) -> None:
        """Work has begun, gone on or ended; each waits until it is worth mentioning, whatever else runs."""
        now = time.monotonic()
        self._running = running
        self._begun = {one.name: self._begun.get(one.name, now) for one in running}
        self.show_again()

    def show_again(self) -> None:
        """Shows what there is, which may have become worth it, or be said in another language."""
        due = time.monotonic() - _PATIENCE
        shown = [one for one in self._running if one.name in self._items or self._begun[one.name] <= due]
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
    """Tells how the connection is and what is being done.

    Signals: ``cancel_requested`` with the name of the work · ``sign_in_requested``.
    """

    cancel_requested = Signal(str)
    sign_in_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._dot = StatusDot(appearance, self)
        self._who = Label(self)
        self._latency = Label(self)
        self._sign_in = QPushButton(self)
        self._sign_in.setObjectName("status.sign_in")
        self._sign_in.clicked.connect(self.sign_in_requested)
        self._zone = caption(self)
        self._zone.setObjectName("status.zone")
        self._work = RunningWork(appearance, self)
        self._work.cancel_requested.connect(self.cancel_requested)
        self._told: Callable[[], None] = self.show_nobody
        self._arrange()

    @property
    def who(self) -> str:
        """Service and user as they are shown."""
        return self._who.text()

    @property
    def latency(self) -> str:
        """How the service answers, as it is shown."""
        return self._latency.text()

    @property
    def zone(self) -> str:
        """The zone of all times as it is shown, empty while there are none."""
        return self._zone.text()

    def show_nobody(self) -> None:
        """There is no connection."""
        self._told = self.show_nobody
        self._dot.show_tone("muted")
        self._sign_in.hide()
        self._who.setText(tr("Not connected"))
        self._latency.clear()
        self._zone.clear()

    def show_connection(self, service: str, user: str) -> None:
        """There is a connection."""
        self._told = partial(self.show_connection, service, user)
        self._dot.show_tone("good")
        self._sign_in.hide()
        self._who.setText(f"{service} · {user}")
        self._latency.clear()
        self._show_zone()

    def show_file(self, name: str) -> None:
        """There is a model file in place of a connection."""
        self._told = partial(self.show_file, name)
        self._dot.show_tone("muted")
        self._who.setText(tr("{name} · not connected", name=name))
        self._latency.clear()

    def show_latency(self, milliseconds: float) -> None:
        """The service has answered."""
        self._told = partial(self.show_latency, milliseconds)
        self._dot.show_tone("good")
        self._sign_in.hide()
        self._latency.setText(tr("· {milliseconds} ms", milliseconds=round(milliseconds)))

    def show_away(self) -> None:
        """The service does not answer."""
        self._told = self.show_away
        self._dot.show_tone("warning")
        self._latency.setText(tr("· no answer"))

    def show_signed_out(self) -> None:
        """The service is there, but wants to know again who asks."""
        self._told = self.show_signed_out
        self._dot.show_tone("warning")
        self._latency.setText(tr("· signed out"))
        self._sign_in.setText(tr("Sign in again"))
        self._sign_in.show()

    def show_running(self, running: tuple[Running, ...]) -> None:
        """Work has begun, gone on or ended; work that is over at once is never shown."""
        self._work.show_running(running)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._told()
            if self._zone.text():
                self._show_zone()
            self._work.show_again()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A hairline at the top, and none of the frames that the style draws around each part."""
        with QPainter(self) as painter:
            painter.fillRect(0, 0, self.width(), 1, self.palette().mid().color())

    def _show_zone(self) -> None:
        self._zone.setText(zone_with_offset())
        self._zone.setToolTip(tr("The time zone of all times shown; it can be changed in the settings."))

    def _arrange(self) -> None:
        self.setSizeGripEnabled(False)
        widget = QWidget(self)
        layout = QHBoxLayout(widget)
        layout.setContentsMargins(GROUP, 0, 0, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._dot)
        layout.addSpacing(TIGHT)
        layout.addWidget(self._who)
        layout.addWidget(self._latency)
        self._sign_in.setFixedHeight(_STEP_HEIGHT)
        kept = self._sign_in.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the bar does not grow by it
        self._sign_in.setSizePolicy(kept)
        layout.addSpacing(TIGHT)
        layout.addWidget(self._sign_in)
        layout.addStretch(1)
        self.addWidget(widget, stretch=1)
        self._zone.setContentsMargins(GAP, 0, GROUP, 0)
        # Work comes and goes on the inner side, so that the zone keeps its place.
        self.addPermanentWidget(self._work)
        self.addPermanentWidget(self._zone)
        self.show_nobody()
