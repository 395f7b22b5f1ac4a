"""`python -m tests.performance.events_session URL FOLDER`: one sitting at the event browser, as JSON."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import qasync
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

from cdb_desktop.client import Client, CsvOptions, Sort
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.exporting import Exporting
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.sentences import sentence
from tests.performance.processes import milliseconds

_BEAT = 4  # milliseconds between two beats of the heart
_STEPS, _JUMPS, _SELECTIONS = 300, 100, 11
_SIZE = 1600, 900


class Heart:
    """Beats on the thread of the window and notes the longest time without a beat."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=_BEAT)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begins to beat."""
        self._last = time.perf_counter()
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, (now - self._last) * 1000 - _BEAT)
        self._last = now


class Sitting:
    """What somebody does at the browser."""

    def __init__(self, view: EventsView, controller: EventsController, folder: Path) -> None:
        self._view = view
        self._controller = controller
        self._folder = folder
        self._random = random.Random(1)

    async def scroll(self) -> list[float]:
        """Milliseconds of each frame."""
        bar, viewport = self._view.table.verticalScrollBar(), self._view.table.viewport()

        def show(value: int) -> None:
            bar.setValue(value)
            viewport.repaint()

        frames: list[float] = []
        steps = [3 * place for place in range(_STEPS)]
        for value in (*steps, *(self._random.randrange(bar.maximum()) for _ in range(_JUMPS))):
            frames.append(milliseconds(partial(show, value)))
            await asyncio.sleep(0)
        return frames

    async def select(self) -> float:
        """Median milliseconds of selecting everything and painting it."""
        table = self._view.table

        def act() -> None:
            table.selectAll()
            table.viewport().repaint()
            table.horizontalHeader().viewport().repaint()

        times: list[float] = []
        for _ in range(_SELECTIONS):
            table.clearSelection()
            await asyncio.sleep(0.01)
            times.append(milliseconds(act))
        return median(times)

    async def wander(self) -> None:
        """Looks here and there, sorts, filters and exports, at a person's pace."""
        view, rows = self._view, self._view.model.rowCount()
        for _ in range(20):
            view.table.go_to(self._random.randrange(rows))
            await until(lambda: view.table.current_event)
        for _ in range(30):
            view.table.step(1)
            await asyncio.sleep(0.02)
        await self._ask(Query(sort=(Sort("timestamp"),)))
        await self._ask(Query(types=("DETAIL_VIEW",)))
        await self._export(self._folder / "events.csv")

    async def _ask(self, query: Query) -> None:
        before = self._view.model.result
        self._controller.ask(query)
        await until(lambda: self._view.model.result not in (None, before))
        await self.scroll()

    async def _export(self, file: Path) -> None:
        exporting = self._view.findChild(Exporting)
        assert isinstance(exporting, Exporting)
        exporting.begin(file, CsvOptions(max_length=0))
        # Some seconds of it tell enough of a long one.
        end = time.monotonic() + 10
        while not self._view.notice.isVisible() and time.monotonic() < end:
            await self.scroll()


async def until(condition: Callable[[], object]) -> None:
    """Waits until something holds."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # conditions are of any kind
            await asyncio.sleep(0.005)


async def session(app: QApplication, url: str, folder: Path) -> dict[str, float]:
    """Signs in, opens the browser and measures."""
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    appearance = Appearance(app, settings)
    window = QMainWindow()
    view = EventsView(appearance, settings, Actions(appearance, window))
    window.setCentralWidget(view)
    window.resize(*_SIZE)
    window.show()
    async with Client(url) as client, Tasks(_raise) as tasks:
        await client.authenticate("root", "admin")
        controller = EventsController(view, client, tasks, sentence)
        controller.load()
        await until(lambda: view.model.result is not None and view.model.result.total is not None)
        sitting, heart = Sitting(view, controller, folder), Heart()
        heart.start()
        frames = await sitting.scroll()
        selection = await sitting.select()
        await sitting.wander()
        p99 = quantiles(frames, n=100)[-1]
        return {"scroll_p99": p99, "select_all": selection, "longest_stall": heart.longest}


def _raise(error: Exception) -> None:
    raise error


def main() -> None:
    """Prints the measurements."""
    app = QApplication(sys.argv[:1])
    with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
        print(json.dumps(runner.run(session(app, sys.argv[1], Path(sys.argv[2])))))


if __name__ == "__main__":
    main()
