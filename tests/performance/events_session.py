"""`python -m tests.performance.events_session URL FOLDER REPEATS`: a session of the event browser, as JSON.

REPEATS is the number of repetitions and the maximum duration of the watched export in seconds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import quantiles

from PySide6.QtWidgets import QApplication

from tests.performance.events_sitting import Sitting
from tests.performance.events_window import browser, run
from tests.performance.heart import Heart
from tests.performance.memory import Memory
from tests.performance.processes import Wire
from tests.performance.server_wire import ThinWire


async def session(app: QApplication, url: str, folder: Path, repeats: int) -> dict[str, float]:
    """Signs in, opens the browser and measures."""
    wire = ThinWire(url, Wire(url, "root", "admin").token)
    async with browser(app, url, folder) as opened:
        memory = Memory()
        opened.controller.load()
        await opened.see()
        sitting, heart = Sitting(opened), Heart()
        shown, served = await sitting.first_rows(wire, 2 * repeats)
        heart.start()
        frames = await sitting.scroll(30 * repeats, 20 * repeats)
        jumps = await sitting.jump(20 * repeats)
        selection = await sitting.select()
        await sitting.wander(folder / "events.csv", repeats)
        longest = heart.longest
        await sitting.fill()
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
