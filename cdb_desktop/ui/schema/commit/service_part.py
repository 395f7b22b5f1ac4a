"""What those parts of the page share that talk to the service: saving, committing, its own drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject

from cdb_desktop.client import Client
from cdb_desktop.ui.schema.editor import Working
from cdb_desktop.vocabulary.error_messages import ErrorMessage


@dataclass(frozen=True, slots=True)
class Service:
    """The client of a service, and the words for whatever can go wrong with it."""

    client: Client
    words: Callable[[BaseException], ErrorMessage]


class ServicePart(QObject):
    """Works on what is shown, and goes with the page."""

    def __init__(self, working: Working, service: Service) -> None:
        super().__init__(working.view)
        self._working = working
        self._store = working.store
        self._view = working.view
        self._tasks = working.tasks
        self._client = service.client
        self._words = service.words
