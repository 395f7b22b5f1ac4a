"""What pages are created with, and the factory of the schema page, which is imported last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import msgspec
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page is created with."""

    appearance: Appearance
    settings: QSettings
    actions: Actions


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What the controller of a page of a connection works with; ``title`` is the connection's name."""

    client: Client
    session: Session
    tasks: Tasks
    key: ProfileKey
    title: str = ""


class SchemaFactory(Protocol):
    """Creates the schema page; imports its modules if that has not been done yet."""

    def schema_view(self, context: PageContext) -> SchemaView: ...
    def schema_controller(
        self, context: PageContext, view: SchemaView, service: ServiceContext
    ) -> SchemaController: ...


class VisiblePart(msgspec.Struct, frozen=True):
    """A part of the window: its name, its widget, and whether it shows data."""

    name: str
    widget: QWidget
    has_data: Callable[[], bool]
