"""Loads the panes once the window stands: they take a third of the time to it, and it shows none of them."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.app.aside import aside
from cdb_desktop.client import load_libraries
from cdb_desktop.lazy import lazy, load
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.vocabulary.sentences import Words

if TYPE_CHECKING:
    from cdb_desktop.schema.model_files import OpenedFile
    from cdb_desktop.ui.schema import controller as schema
    from cdb_desktop.ui.window import model_page, workspace
else:
    model_page, workspace = lazy("cdb_desktop.ui.window.model_page"), lazy("cdb_desktop.ui.window.workspace")
    schema = lazy("cdb_desktop.ui.schema.controller")

Maker = Callable[[Appearance, QSettings, Actions, Tasks, Words], Awaitable[Panes]]


class ModelPane(Protocol):
    """The schema page on a file, as the desk uses it."""

    @property
    def page(self) -> QWidget: ...

    def begin(self, opened: OpenedFile, tasks: Tasks) -> None: ...


class ModelPanes(Protocol):
    """What it takes to show a file."""

    def ModelPage(  # noqa: N802  # a class of the module that is loaded
        self, appearance: Appearance, settings: QSettings, actions: Actions
    ) -> ModelPane: ...
    def read_model(self, path: Path) -> OpenedFile: ...


async def pane_maker() -> Maker:
    """What makes the panes of a connection."""
    await fetch_panes()
    return workspace.make_workspace


async def fetch_panes() -> None:
    """Loads what a connection and the panes that are seen first are made of."""
    await aside(_load_first, loads=True)


async def fetch_rest() -> None:
    """Loads what the other panes of a connection are made of."""
    await aside(partial(_load, schema), loads=True)


async def model_panes() -> ModelPanes:
    """What opens and shows a model file."""
    await aside(partial(_load, model_page), loads=True)
    return model_page


def _load_first() -> None:
    """The client's libraries first: it signs in while the panes are loaded."""
    load_libraries()
    _load(workspace)


def _load(module: ModuleType) -> None:
    """On a thread that is not the window's, which can answer after any step of it."""
    if load(module):
        # Modules stay for good: no collection need look at them again.
        gc.freeze()
