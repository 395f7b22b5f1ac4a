"""Finds changes and problems beside the window's own work, after every step."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.page import Findings, Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_FIND = "schema.find"


class Finder(QObject):
    """Keeps signs and lists in step with what is shown."""

    def __init__(self, store: Store, view: SchemaView, tasks: Tasks, aside: Aside) -> None:
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        self._aside = aside
        self._seen: tuple[Document | None, Document | None] = (None, None)
        store.changed.connect(self._look)

    def _look(self, page: Page) -> None:
        seen = (page.document, page.base)
        if seen[0] is self._seen[0] and seen[1] is self._seen[1]:
            return
        self._seen = seen
        self._tasks.start(_FIND, self._find(page))

    async def _find(self, page: Page) -> None:
        self._view.show_findings(await self._aside.run(_findings, page))


def _findings(page: Page) -> Findings:
    """Nothing is wrong with a version that was committed, and it changes nothing."""
    if page.past is not None:
        return Findings(page.past)
    found = Findings(page.document, page.base, page.problems, page.editing.changes)
    # Looked at here, so that the window does not have to wait for them.
    found.signs, found.faults, found.ghosts  # noqa: B018
    return found
