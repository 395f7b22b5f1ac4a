"""Brings the schema page and the service together."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from cdb_desktop.client import Client, NotFoundError
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_LOAD = "schema.load"


class SchemaController(QObject):
    """The way of the diagram from the service to the page."""

    def __init__(
        self,
        view: SchemaView,
        client: Client,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._tasks = tasks
        self._words = words
        self._loaded = False
        view.again_requested.connect(self.load)

    def load_once(self) -> None:
        """Asks for the diagram if nobody has asked before."""
        if not self._loaded:
            self.load()

    def load(self) -> None:
        """Asks for the diagram; what is shown stays until it is here."""
        self._loaded = True
        self._view.show_loading()
        title = self.tr("Drawing the schema")
        self._tasks.start(_LOAD, self._load(), title=title, on_error=self._failed)

    async def _load(self) -> None:
        self._view.show_diagram(await self._client.schema_file("HEAD", "svg"))

    def _failed(self, error: Exception) -> None:
        if isinstance(error, NotFoundError):
            self._view.show_empty()
        else:
            self._view.show_failure(self._words(error))
