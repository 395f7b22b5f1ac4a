"""Actions of a user in the event browser, with their times."""

import asyncio
import random
import time
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

from cdb_desktop.client import CsvOptions, Sort
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.vocabulary.event_types import known_types
from tests.performance.events.window import Browser, Painted, until
from tests.performance.processes import milliseconds
from tests.performance.server.thin_wire import ThinWire

_SELECTIONS = 11
_FEW_STEPS, _FEW_JUMPS = 60, 20
_PAGES = 70  # more than the cache holds


class BrowserUser:
    """A user of a browser with a long result."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._view = browser.view
        self._random = random.Random(1)

    async def first_rows(self, wire: ThinWire, repeats: int) -> tuple[float, float]:
        """The minimum milliseconds from a change of the query to painted rows, and of the responses."""
        painted = Painted(self._view)
        ours, served = [], []
        for number, kind in zip(range(repeats), sorted(known_types()) * repeats, strict=False):
            query = Query(types=(kind, "SEARCH"), pollable=None if number % 2 else False)
            request = wire.request("event/list", **_asked(query), limit=PAGE_SIZE, skip_count="true")
            served.append(milliseconds(partial(wire.answer, request)))
            before, started = self._view.model.result, time.perf_counter()
            await self._browser.ask(query)
            await until(lambda before=before: painted.result not in (None, before))  # type: ignore[misc]
            ours.append((painted.at - started) * 1000)
            # The counts beside the rows are requested after a pause.
        await self._browser.ask(Query())
        return min(ours), min(served)

    async def scroll(self, steps: int, jumps: int) -> list[float]:
        """Milliseconds of each frame, after steps of three rows and jumps to random positions."""
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

    async def jump(self, number: int) -> list[float]:
        """Milliseconds until rows are painted that were not loaded."""
        table = self._view.table
        times: list[float] = []

        def show(row: int) -> None:
            table.go_to(row)
            table.viewport().repaint()

        for _ in range(number):
            row = self._random.randrange(self._view.model.rowCount())
            is_new = self._view.model.event_at(row) is None
            took = milliseconds(partial(show, row))
            if is_new:
                times.append(took)
            await asyncio.sleep(0.01)
        return times

    async def select(self) -> float:
        """Median milliseconds of selecting all rows and painting them."""
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

    async def work(self, file: Path, seconds: float) -> None:
        """Reads records, sorts, filters and exports to ``file`` at the pace of a person.

        `seconds` limits the time for which the export is watched.
        """
        view, rows = self._view, self._view.model.rowCount()
        for _ in range(20):
            view.table.go_to(self._random.randrange(rows))
            await until(lambda: view.table.current_event)
        for _ in range(30):
            view.table.step(1)
            await asyncio.sleep(0.02)
        for query in (Query(sort=(Sort("timestamp"),)), Query(types=("DETAIL_VIEW",))):
            await self._browser.ask(query)
            await self.scroll(_FEW_STEPS, _FEW_JUMPS)
        await self._export(file, seconds)

    async def fill(self) -> None:
        """Loads more pages of full events than the cache holds."""
        view = self._view
        await self._browser.ask(Query())
        before = view.model.result
        view.columns.show((*view.columns.shown, "ipv4_address"))
        await self._browser.see(lambda: view.model.result is not before)
        last = view.model.rowCount() // PAGE_SIZE
        for number in islice(range(0, last, max(1, last // _PAGES)), _PAGES):
            view.table.go_to(number * PAGE_SIZE)
            await until(lambda: view.table.current_event)

    async def _export(self, file: Path, seconds: float) -> None:
        exporting = self._view.findChild(ExportController)
        assert isinstance(exporting, ExportController)
        exporting.export(file, ExportOptions("csv", CsvOptions(max_length=0)))
        end = time.monotonic() + seconds
        while not self._view.notice.isVisible() and time.monotonic() < end:
            await self.scroll(_FEW_STEPS, _FEW_JUMPS)


def _asked(query: Query) -> dict[str, object]:
    pollable = {} if query.pollable is None else {"pollable": str(query.pollable).lower()}
    return {"type": ",".join(query.types), **pollable}
