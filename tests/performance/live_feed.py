"""The child process of the live rows: runs a visible feed with events and prints the measurements."""

import asyncio
import gc
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import quantiles

import msgspec
import qasync
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from cdb_desktop.app.process import GarbageCollector
from cdb_desktop.client import Client, Event
from cdb_desktop.live.alarm_rules import AlarmRule, ProfileAlarms, alarms_file
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.live.log_follower import EventBatch, EventsReceived
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import VIEWS_FILE, SavedView, ViewStore
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.alarms import AlarmController
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import load_marks, save_marks
from cdb_desktop.vocabulary.pattern import Condition
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.performance.stall_watch import StallWatch

_BATCH = 1000  # what a poll brings at most (§8)
_BATCH_MS = 20  # a service on the same machine, asked again at once
_CALM_MS = 150  # batches one by one
_MAKE_AFTER = 0.4  # of the time between two batches, when the rows of the last one have been painted
_TIMER_MS = 2
_SETTLED = 1.0  # seconds after which a process that was started is idle
_TYPES = ("OBJECT_UPDATE", "OBJECT_INDEX", "USER_LOGIN", "OBJECT_DELETE", "EXPORT_FINISH")
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Frames(QObject):
    """Records how long each painting of the rows takes, and when rows become visible."""

    def __init__(self, view: LiveView) -> None:
        super().__init__(view)
        self._view = view
        self.milliseconds: list[float] = []
        self.visible: list[float] = []
        self.awaited: tuple[int, float] | None = None  # an id, and when it came
        self._is_painting = False
        view.table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() != QEvent.Type.Paint or self._is_painting:
            return False
        self._is_painting = True
        started = time.perf_counter()
        QApplication.sendEvent(watched, event)
        now = time.perf_counter()
        self._is_painting = False
        self.milliseconds.append((now - started) * 1000)
        last = self._view.table.visible_rows()[1]
        if self.awaited is not None and last >= 0 and self._view.model.event_at(last).id >= self.awaited[0]:
            self.visible.append((now - self.awaited[1]) * 1000)
            self.awaited = None
        return True


class Flood(QObject):
    """Delivers batch after batch like a long log, and measures the delays of the event loop."""

    def __init__(self, view: LiveView, number: int, interval: int) -> None:
        super().__init__(view)
        self._view = view
        self._number = number
        self._given = 0
        self._made = _events(1)
        self._beaten = time.perf_counter()
        self.longest_gap = 0.0
        self.is_patient = False  # waits until what was given stands in the rows
        self.spent_making = 0.0
        self.frames = Frames(view)
        self._source = QTimer(self, interval=interval, timerType=Qt.TimerType.PreciseTimer)
        self._stall_timer = QTimer(self, interval=_TIMER_MS, timerType=Qt.TimerType.PreciseTimer)
        self._source.timeout.connect(self._give)
        self._stall_timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Starts; the application quits when all events are in the rows."""
        self._beaten = time.perf_counter()
        self._source.start()
        self._stall_timer.start()

    def _give(self) -> None:
        if self.is_patient and self._view.model.feed.end < self._given:
            return
        if self._given < self._number:
            batch, self._made = self._made, []
            if not batch:
                return
            self._given += len(batch)
            if self.frames.awaited is None:
                self.frames.awaited = self._given, time.perf_counter()
            self._view.add(batch)
            # After the rows have been painted: it would hold them up.
            QTimer.singleShot(round(self._source.interval() * _MAKE_AFTER), self, self._make)
        elif self._view.model.feed.end == self._number:
            QApplication.quit()

    def _make(self) -> None:
        # What the service and the client would do is not the feed's.
        started = time.process_time()
        self._made = _events(self._given + 1)
        self.spent_making += time.process_time() - started
        self._beaten = time.perf_counter()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest_gap = max(self.longest_gap, now - self._beaten - _TIMER_MS / 1000)
        self._beaten = now


def _events(first: int) -> list[Event]:
    return [_event(number) for number in range(first, first + _BATCH)]


def _event(number: int) -> Event:
    return Event(
        id=number,
        type=_TYPES[number % len(_TYPES)],
        timestamp=_BEGIN + timedelta(seconds=number),
        objecttype="work",
        global_object_id=f"{number % 5000}@museum",
        object_id=number % 5000,
        object_version=number % 9,
        user_id=number % 50,
        user_displayname=f"Somebody {number % 50}",
        user={"_id": number % 50, "_generated_displayname": f"Somebody {number % 50}"},
        session_token=f"session {number % 200}",
    )


def _window(app: QApplication, folder: str) -> tuple[QWidget, LiveView, Actions]:
    settings = QSettings(str(Path(folder, "settings.ini")), QSettings.Format.IniFormat)
    appearance = Appearance(app, settings)
    window = QWidget()
    actions = Actions(appearance, window)
    view = LiveView(appearance, settings, actions)
    layout = QVBoxLayout(window)
    layout.addWidget(view.strip)
    layout.addWidget(view)
    window.resize(1366, 500)
    window.show()
    return window, view, actions


def flood(number: int, interval: int = _BATCH_MS) -> dict[str, float]:
    """Microseconds of processor time for each event, longest stall, and 95 % of frames and arrivals in ms."""
    app = QApplication([])
    GarbageCollector(app)  # as the program has it
    with tempfile.TemporaryDirectory() as folder:
        _root, view, _actions = _window(app, folder)
        view.show_connection(ConnectionState("open", answered=time.monotonic()))
        flood = Flood(view, number, interval)
        QTimer.singleShot(300, flood.start)
        started = time.process_time()
        app.exec()
        spent = time.process_time() - started - flood.spent_making
    return {
        "us_per_event": spent / number * 1e6,
        "longest_stall_ms": flood.longest_gap * 1000,
        "frame_p95_ms": quantiles(flood.frames.milliseconds, n=20)[-1],
        "visible_p95_ms": quantiles([*flood.frames.visible, 0.0], n=20)[-1],
    }


def million(number: int) -> dict[str, float]:
    """Megabytes of a million stored events, above those of the window without events."""
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        _root, view, _actions = _window(app, folder)
        view.model.feed.capacity = number
        view.add(_events(1))
        app.processEvents()
        gc.collect()
        before = _resident()
        feed = Flood(view, number, _BATCH_MS)
        feed._given = _BATCH
        feed._made = _events(_BATCH + 1)
        feed.is_patient = True
        QTimer.singleShot(0, feed.start)
        app.exec()
        after = _resident()
        assert view.model.rowCount() == number
    return {"megabytes": after - before}


def _resident() -> float:
    """Resident memory in MB; the peak would be that of the parent process."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * resource.getpagesize() / 1_048_576


def idle(url: str, seconds: float) -> dict[str, float]:
    """Percentage of a core that a feed without events takes."""
    app = QApplication([])

    async def follow(folder: str) -> float:
        _root, view, actions = _window(app, folder)
        async with Client(url) as client, Tasks(raise_error) as tasks:
            session = await client.authenticate("root", "admin")
            LiveController(view, client, session, tasks, actions).load()
            await asyncio.sleep(_SETTLED)
            started = time.process_time()
            await asyncio.sleep(seconds)
            return (time.process_time() - started) / seconds * 100

    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner,
    ):
        return {"percent": runner.run(follow(folder))}


def burst(url: str, number: int) -> dict[str, float]:
    """The longest stall in ms after a poll with ``number`` events, with a filter, highlights and an alarm."""
    app = QApplication([])
    GarbageCollector(app)

    async def receive(folder: str) -> float:
        _root, view, actions = _window(app, folder)
        key = ProfileKey(url)
        _store_rules(view.settings, key)
        view.highlight(load_marks(view.settings).queries)
        view.set_filter(_words("work"))
        async with Client(url) as client, Tasks(raise_error) as tasks:
            # Without the right to read the list, alarms have the polled events only.
            session = replace(await client.authenticate("root", "admin"), system_rights={})
            live = LiveController(view, client, session, tasks, actions)
            alarms = AlarmController(view, client, session, tasks, key, live.notifier)
            known = KnownValues()
            live.events_received.connect(known.add)
            live.polled.connect(alarms.add_polled)
            alarms.load()
            await asyncio.sleep(_SETTLED)
            received: list[int] = []
            alarms.counted.connect(lambda _unseen, count: received.append(count))
            batch = EventBatch(0, tuple(map(_event, range(1, number + 1))))
            watch = StallWatch()
            watch.start()
            live._on_report(EventsReceived(batch, 1.0))
            while view.model.rowCount() < number or received[-1:] != [number // len(_TYPES)]:  # noqa: ASYNC110
                await asyncio.sleep(_SETTLED / 10)
            await asyncio.sleep(_SETTLED)
            return watch.longest

    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner,
    ):
        return {"longest_stall_ms": runner.run(receive(folder))}


def _store_rules(settings: QSettings, key: ProfileKey) -> None:
    save_marks(settings, {"danger": _words("museum"), "good": Query(types=_TYPES[:1])})
    folder = Path(settings.fileName()).parent
    view = SavedView("deletions", Query(types=("OBJECT_DELETE",), conditions=_words("work").conditions))
    ViewStore(folder / VIEWS_FILE).change(lambda _before: (view,))
    alarms_file(folder).change(key.key, lambda _before: ProfileAlarms((AlarmRule("deletions"),)))


def _words(text: str) -> Query:
    return Query(conditions=(Condition(text),))


def main(what: str, *given: str) -> dict[str, float]:
    """Runs one of the five measurements."""
    match what:
        case "flood":
            return flood(int(given[0]))
        case "calm":
            return flood(int(given[0]), _CALM_MS)
        case "million":
            return million(int(given[0]))
        case "burst":
            return burst(given[0], int(given[1]))
        case _:
            return idle(given[0], float(given[1]))


if __name__ == "__main__":
    print(msgspec.json.encode(main(*sys.argv[1:])).decode())
