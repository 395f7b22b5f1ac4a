"""The schema page of a model file, which needs no connection."""

import math

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.files.model_files import OpenedFile
from cdb_desktop.ui.schema.controller import ModelFileController
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.shell.connection_sources import TableSource
from cdb_desktop.ui.shell.page_interfaces import PageContext
from cdb_desktop.ui.tasks import Tasks


class ModelFilePage(QObject):
    """View and controller of one file."""

    def __init__(
        self, context: PageContext, connections: OtherConnections | None = None, resumed: float = math.inf
    ) -> None:
        """``connections`` are those whose models can be compared and taken over.

        ``resumed`` is that of `LocalStore`.
        """
        view = SchemaView(context.appearance, context.settings, context.actions)
        # A child of the view, so that it is deleted with it.
        super().__init__(view)
        self._context = context
        self._view = view
        self._connections = connections
        self._resumed = resumed

    @property
    def page(self) -> QWidget:
        """The widget."""
        return self._view

    @property
    def palette_sources(self) -> tuple[TableSource, ...]:
        """What the command palette finds in the model."""
        return (TableSource(lambda: self._view, self._context.actions),)

    def begin(self, opened: OpenedFile, tasks: Tasks) -> None:
        """Shows a model for editing."""
        context = self._context
        self._controller = ModelFileController(
            self._view, opened, context.actions, tasks, context.settings, self._connections, self._resumed
        )
        self._controller.show()
