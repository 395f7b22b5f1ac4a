"""Loads the panes once the window stands: they take a third of the time to it, and it shows none of them."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.app.aside import aside
from cdb_desktop.lazy import lazy, load
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.vocabulary.sentences import Words

if TYPE_CHECKING:
    from cdb_desktop.schema.model_files import OpenedFile
    from cdb_desktop.ui.window import model_page, workspace
else:
    model_page, workspace = lazy("cdb_desktop.ui.window.model_page"), lazy("cdb_desktop.ui.window.workspace")

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
    await aside(_load)
    return workspace.make_workspace


async def model_panes() -> ModelPanes:
    """What opens and shows a model file."""
    await aside(_load)
    return model_page


def _load() -> None:
    """On a thread that is not the window's, which can answer after any step of it."""
    if any([load(workspace), load(model_page)]):
        # Modules stay for good: no collection need look at them again.
        gc.freeze()
