"""Goes through the parts of the window until each has been seen with data; for the program's own check."""

from __future__ import annotations

import asyncio

from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.milestones import Milestones
from cdb_desktop.ui.window.panes import Panes

PARTS = ("window", "first_rows", "live", "diagram")


def watch_workspace(milestones: Milestones, panes: Panes) -> None:
    """Notes when events, live feed and diagram have been painted."""
    watched: set[str] = set()

    def watch() -> None:
        for sight in panes.sights:
            if sight.part not in watched:
                watched.add(sight.part)
                milestones.watch(sight.part, sight.widget, sight.has_something)

    watch()
    panes.page_made.connect(watch)


async def tour(window: MainWindow, milestones: Milestones) -> dict[str, int]:
    """Shows page after page and goes back; gives the milliseconds after which each part had been painted."""
    actions = window.actions_by_name
    shown = [name for name in ("events", "schema", "live") if actions[name].isChecked()]
    for name in ("live", "events"):
        actions[name].setChecked(True)
    await _until(milestones, {"window", "first_rows", "live"})
    actions["schema"].setChecked(True)
    await _until(milestones, {"diagram"})
    actions["live"].setChecked("live" in shown)
    actions[shown[0]].setChecked(True)
    return {part: round(milestones.passed[part]) for part in PARTS}


async def _until(milestones: Milestones, parts: set[str]) -> None:
    seen = asyncio.Event()

    def look(_part: str = "") -> None:
        if parts <= milestones.passed.keys():
            seen.set()

    milestones.reached.connect(look)
    look()
    await seen.wait()
    milestones.reached.disconnect(look)
