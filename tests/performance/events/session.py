"""`python -m tests.performance.events.session URL FOLDER REPEATS`: a session of the event browser, as JSON.

REPEATS is the number of repetitions and the maximum duration of the watched export in seconds.
"""

import json
import sys
from pathlib import Path
from statistics import quantiles

from PySide6.QtWidgets import QApplication

from tests.performance.events.actions import BrowserUser
from tests.performance.events.window import browser, run
from tests.performance.memory import Memory
from tests.performance.processes import Wire
from tests.performance.server.thin_wire import ThinWire
from tests.performance.stall_watch import StallWatch


async def session(app: QApplication, url: str, folder: Path, repeats: int) -> dict[str, float]:
    """Signs in, opens the browser and measures."""
    wire = ThinWire(url, Wire(url, "root", "admin").token)
    async with browser(app, url, folder) as opened:
        memory = Memory()
        opened.controller.load()
        await opened.see()
        user, stalls = BrowserUser(opened), StallWatch()
        shown, served = await user.first_rows(wire, 2 * repeats)
        stalls.start()
        frames = await user.scroll(30 * repeats, 20 * repeats)
        jumps = await user.jump(20 * repeats)
        selection = await user.select()
        await user.work(folder / "events.csv", repeats)
        longest = stalls.longest
        await user.fill()
    return {
        "first_rows": shown,
        "first_rows_served": served,
        "scroll_p99": quantiles(frames, n=100)[-1],
        "jump_p95": quantiles(jumps, n=20)[-1],
        "select_all": selection,
        "longest_stall": longest,
        "memory": memory.stop() - opened.idle,
    }


if __name__ == "__main__":
    given = sys.argv[1:]
    print(json.dumps(run(lambda app: session(app, given[0], Path(given[1]), int(given[2])))))
