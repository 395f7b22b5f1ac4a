"""What the window knows of a connection's panes, so that it can stand before they are loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.widgets.home import Home


@dataclass(frozen=True, slots=True)
class Sight:
    """Something to be seen: the part of the window, the widget, and whether there is anything on it."""

    part: str
    widget: QWidget
    has_something: Callable[[], bool]


class Panes(Protocol):
    """The panes of one connection as window and desk use them; the signals are told at Workspace."""

    @property
    def pages(self) -> Mapping[str, QWidget]: ...
    @property
    def feed(self) -> QWidget: ...
    @property
    def feed_title(self) -> QWidget: ...
    @property
    def sights(self) -> Sequence[Sight]: ...
    @property
    def sign_in_requested(self) -> SignalInstance: ...
    @property
    def looked_up(self) -> SignalInstance: ...
    @property
    def not_looked_up(self) -> SignalInstance: ...
    @property
    def answered(self) -> SignalInstance: ...
    @property
    def away(self) -> SignalInstance: ...

    def begin(self, client: Client, session: Session, home: Home) -> None: ...
    def renew(self, session: Session) -> None: ...
    def resume(self) -> None: ...
    def look_up(self, uuid: str) -> None: ...
