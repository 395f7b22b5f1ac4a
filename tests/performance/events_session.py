"""`python -m tests.performance.events_session URL FOLDER SECONDS`: one sitting at the event browser, as JSON.

SECONDS is how long it watches an export at most; some of a long one tell enough.
"""

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
from PySide6.QtCore import QSettings
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
from tests.performance.heart import Heart
from tests.performance.processes import milliseconds

_STEPS, _JUMPS, _SELECTIONS = 300, 100, 11
_FEW_STEPS, _FEW_JUMPS = 60, 20
_SIZE = 1600, 900


class Sitting:
    """What somebody does at the browser."""

    def __init__(self, view: EventsView, controller: EventsController, file: Path, seconds: float) -> None:
        """What is exported goes to ``file``; it is watched for ``seconds`` at most."""
        self._view = view
        self._controller = controller
        self._file = file
        self._seconds = seconds
        self._random = random.Random(1)

    async def scroll(self, steps: int = _STEPS, jumps: int = _JUMPS) -> list[float]:
        """Milliseconds of each frame, after steps of three rows and jumps to anywhere."""
        bar, viewport = self._view.table.verticalScrollBar(), self._view.table.viewport()

        def show(value: int) -> None:
            bar.setValue(value)
            viewport.repaint()

        frames: list[float] = []
        places = [3 * step for step in range(steps)]
        for value in (*places, *(self._random.randrange(bar.maximum()) for _ in range(jumps))):
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
        await self._export()

    async def _ask(self, query: Query) -> None:
        before = self._view.model.result
        self._controller.ask(query)
        await until(lambda: self._view.model.result not in (None, before))
        await self.scroll(_FEW_STEPS, _FEW_JUMPS)

    async def _export(self) -> None:
        exporting = self._view.findChild(Exporting)
        assert isinstance(exporting, Exporting)
        exporting.begin(self._file, CsvOptions(max_length=0))
        end = time.monotonic() + self._seconds
        while not self._view.notice.isVisible() and time.monotonic() < end:
            await self.scroll(_FEW_STEPS, _FEW_JUMPS)


async def until(condition: Callable[[], object]) -> None:
    """Waits until something holds."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # conditions are of any kind
            await asyncio.sleep(0.005)


async def session(app: QApplication, url: str, folder: Path, seconds: float) -> dict[str, float]:
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
        sitting, heart = Sitting(view, controller, folder / "events.csv", seconds), Heart()
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
        url, folder, seconds = sys.argv[1:]
        print(json.dumps(runner.run(session(app, url, Path(folder), float(seconds)))))


if __name__ == "__main__":
    main()
