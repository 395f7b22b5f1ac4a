"""The schema page on a model file: made for it, set to work by it, gone with it. There is no connection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.model_files import OpenedFile
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.file_controller import FileController
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance


class ModelPage(QObject):
    """View and controller of one file."""

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        view = SchemaView(appearance, settings, actions)
        # A child of what is seen, so that it goes with it.
        super().__init__(view)
        self._actions = actions
        self._settings = settings
        self._view = view

    @property
    def page(self) -> QWidget:
        """What is seen."""
        return self._view

    def begin(self, opened: OpenedFile, tasks: Tasks) -> None:
        """Shows a model and lets it be worked on."""
        self._controller = FileController(self._view, opened, self._actions, tasks, self._settings)
        self._controller.show()
