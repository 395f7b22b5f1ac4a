"""Loads the panes once the window stands: they take a third of the time to it, and it shows none of them."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QSettings

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.vocabulary.sentences import Words

Maker = Callable[[Appearance, QSettings, Actions, Tasks, Words], Awaitable[Panes]]

_WORKSPACE = "cdb_desktop.ui.window.workspace"
# One after the other, so that the window never waits for all at once.
_PARTS = (
    "cdb_desktop.ui.events.view",
    "cdb_desktop.ui.events.controller",
    "cdb_desktop.ui.live.controller",
    "cdb_desktop.schema.editing",
    "cdb_desktop.ui.schema.view",
    "cdb_desktop.ui.schema.controller",
    _WORKSPACE,
)


async def pane_maker() -> Maker:
    """What makes the panes of a connection."""
    for name in _PARTS:
        importlib.import_module(name)
        await asyncio.sleep(0)
    maker: Maker = importlib.import_module(_WORKSPACE).make_workspace
    return maker
