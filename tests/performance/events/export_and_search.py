"""`python -m tests.performance.events.export_and_search URL FOLDER EVENTS TIMES WHOLE`: both as JSON.

Exports and searches the newest EVENTS events TIMES times, alternating with the bare calls; with WHOLE 1 it
first processes all events to measure the memory. Prints JSON.
"""

import json
import re
import sys
import time
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import QApplication

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimeSpan
from tests.performance.events.bare_calls import Bare
from tests.performance.events.window import Browser, browser, run, until
from tests.performance.memory import Memory, own_memory
from tests.performance.processes import Wire, milliseconds

_WANTED = r"MK_00[12]\d71\.tif|permission denied"  # in a few records of a thousand
_CONDITION = Condition(_WANTED, PatternKind.REGEX, is_exact=True)


class Reading:
    """Exports and searches a result."""

    def __init__(self, browser: Browser, bare: Bare, folder: Path) -> None:
        self._browser = browser
        self._view = browser.view
        self._bare = bare
        self._file, self._bare_file = folder / "all.csv", folder / "bare.csv"
        self._found = 0  # rows of the last search

    @property
    def result(self) -> QueryResult:
        """The displayed result."""
        result = self._view.model.result
        assert result is not None
        return result

    async def export(self) -> float:
        """Milliseconds until an export reports its end."""
        exporting, notice = self._view.findChild(ExportController), self._view.notice
        assert isinstance(exporting, ExportController)
        notice.hide()
        started = time.perf_counter()
        exporting.export(self._file, ExportOptions("csv", CsvOptions(max_length=0)))
        await until(notice.isVisible)
        assert notice.title == "Exported"
        return (time.perf_counter() - started) * 1000

    async def search(self) -> float:
        """Milliseconds until all matches are rows; then the rows are those before the search again."""
        before = self._view.query
        started = time.perf_counter()
        self._view.query_requested.emit(replace(before, conditions=(_CONDITION,)))
        await until(lambda: self._is_complete)
        took = (time.perf_counter() - started) * 1000
        self._found = self.result.rows
        await self._browser.ask(before)
        return took

    @property
    def _is_complete(self) -> bool:
        result = self._view.model.result
        return isinstance(result, MatchedResult) and result.is_complete

    def bare_export(self) -> float:
        """Milliseconds of the bare calls."""
        return milliseconds(
            lambda: self._bare.export(self.result.resolved_query.filter, self.result.rows, self._bare_file)
        )

    def bare_search(self) -> float:
        """Milliseconds of the bare calls, which must find the same number of hits."""
        pattern, asked, found = re.compile(_WANTED.encode()), self.result.resolved_query.filter, list[int]()
        took = milliseconds(lambda: found.append(self._bare.search(asked, self.result.rows, pattern)))
        assert found == [self._found]
        return took


async def reading(
    app: QApplication, url: str, folder: Path, events: int, times: int, *, whole: bool
) -> dict[str, float]:
    """The best times of both, and the maximum of additional memory."""
    with closing(Bare(url, Wire(url, "root", "admin").token)) as bare:
        async with browser(app, url, folder, overview=False) as opened:
            reader = Reading(opened, bare, folder)
            first = await opened.client.list_events(limit=1, offset=events, skip_count=True)
            some = Query(span=TimeSpan(first=first.events[0].timestamp))
            await opened.ask(Query() if whole else some)
            before, memory = own_memory(), Memory()
            await reader.export()
            exported = memory.stop() - before
            memory = Memory()
            await reader.search()
            if whole:
                await opened.ask(some)
            exports = [(await reader.export(), reader.bare_export()) for _ in range(times)]
            searches = [(await reader.search(), reader.bare_search()) for _ in range(times)]
            taken = memory.stop() - opened.idle
    names = ("export", "bare_export"), ("search", "bare_search")
    best = {
        name: min(found)
        for pair, rows in zip(names, (exports, searches), strict=True)
        for name, found in zip(pair, zip(*rows, strict=True), strict=True)
    }
    return {**best, "export_memory": exported, "memory": max(taken, exported)}


if __name__ == "__main__":
    url, folder, *numbers = sys.argv[1:]
    events, times, whole = map(int, numbers)
    print(json.dumps(run(lambda app: reading(app, url, Path(folder), events, times, whole=bool(whole)))))
