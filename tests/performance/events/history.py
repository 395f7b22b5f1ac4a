"""`python -m tests.performance.events.history URL FOLDER EVENT REPEATS`: the history of an object as JSON."""

import json
import sys
import time
from pathlib import Path
from statistics import median

from PySide6.QtWidgets import QApplication

from tests.performance.events.window import browser, run, until
from tests.performance.stall_watch import StallWatch


async def history(app: QApplication, url: str, folder: Path, number: int, repeats: int) -> dict[str, float]:
    """Seconds until all versions of the event's object are compared and painted, and the longest stall."""
    async with browser(app, url, folder) as opened:
        event = await opened.client.event(number)
        opened.controller.load()
        await opened.see()
        tab, stalls = opened.view.inspector.history, StallWatch()
        stalls.start()
        times: list[float] = []
        for repeat in range(repeats):
            started = time.perf_counter()
            if repeat:
                tab.again.click()
            else:
                opened.controller.history.open_history(event)
            await until(lambda: not tab.is_running and tab.tree.isVisible() and bool(tab.tree.entries))
            tab.tree.viewport().repaint()
            times.append(time.perf_counter() - started)
        versions = sum(entry.version is not None for entry in tab.tree.entries)
        return {"seconds": median(times), "stall": stalls.longest, "versions": versions}


if __name__ == "__main__":
    given = sys.argv[1:]
    print(json.dumps(run(lambda app: history(app, given[0], Path(given[1]), int(given[2]), int(given[3])))))
