"""The schema page of a connection, created after the first event rows are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.client import Session
from cdb_desktop.ui.window.page_factory import PageContext, PageFactory, ServiceContext

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView


class SchemaPane(QWidget):
    """Empty until ``make`` is called, or its view or its controller is wanted.

    Signals: ``made`` with the SchemaView.
    """

    made = Signal(QWidget)

    def __init__(self, context: PageContext, pages: PageFactory) -> None:
        super().__init__()
        self._pages = pages
        self._context = context
        self._view: SchemaView | None = None
        self._service: ServiceContext | None = None
        self._controller: SchemaController | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    @property
    def is_made(self) -> bool:
        """Whether there is anything in this place."""
        return self._view is not None

    @property
    def view(self) -> SchemaView:
        """What is seen."""
        return self._view or self.make()

    @property
    def controller(self) -> SchemaController:
        """Its way to the service. Raises LookupError before ``begin``."""
        self.make()
        if self._controller is None:
            raise LookupError
        return self._controller

    def make(self) -> SchemaView:
        """Makes what is seen, if nobody has wanted it before, and sets it to work for who is signed in."""
        if self._view is None:
            self._view = self._pages.schema_view(self._context)
            self._layout.addWidget(self._view)
            self._start()
            self.made.emit(self._view)
        return self._view

    def begin(self, service: ServiceContext) -> None:
        """Sets the page to work for who is signed in."""
        self._service = service
        self._start()

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client."""
        if self._service is not None:
            self._service = replace(self._service, session=session)
        if self._controller is not None:
            self._controller.renew(session)

    def choose(self) -> None:
        """The page is shown: reads the schema if nobody has asked for it before."""
        if self._controller is not None:
            self._controller.load_once()

    def load_missing(self) -> None:
        """Reads the schema if that was asked for and failed."""
        if self._controller is not None:
            self._controller.load_missing()

    def _start(self) -> None:
        if self._view is not None and self._service is not None:
            self._controller = self._pages.schema_controller(self._context, self._view, self._service)
            if self._context.actions["schema"].isChecked():
                self.choose()
