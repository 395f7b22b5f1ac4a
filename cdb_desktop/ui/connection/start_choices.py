"""The ways in: the demo, a service, a model file, the connections of before. Asks nobody."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.connection.choice_tile import ChoiceTile
from cdb_desktop.ui.connection.entry import Entry
from cdb_desktop.ui.connection.entry_delegate import ENTRY_HEIGHT
from cdb_desktop.ui.connection.entry_list import EntryList
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN, TITLE
from cdb_desktop.ui.widgets.labels import Label

_MOST = 5  # the sheet lists them all


class StartChoices(QWidget):
    """What is seen while nothing is connected and nothing has been asked for.

    Signals, each with an Entry: ``opened``, ``changed`` and ``forgotten`` as of the list.
    """

    opened = Signal(object)
    changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self._title = Label(self)
        self._text = Label(self)
        self._demo = ChoiceTile(actions["demo"], appearance, self)
        self._service = ChoiceTile(actions["connect"], appearance, self)
        self._model = ChoiceTile(actions["model_open"], appearance, self)
        self._head = Label(self)
        self.recent = EntryList(appearance, self)
        self.recent.setObjectName("connection.start.recent")
        self.recent.itemClicked.connect(lambda _item: self._open())
        for mine, its in (
            (self.opened, self.recent.opened),
            (self.changed, self.recent.changed),
            (self.forgotten, self.recent.forgotten),
        ):
            its.connect(mine)
        self._arrange()
        self._retranslate()
        self.show_entries(())

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Shows the newest of the remembered connections."""
        shown = entries[:_MOST]
        self.recent.show_entries(shown)
        self.recent.setFixedHeight(ENTRY_HEIGHT * len(shown))
        self._head.setVisible(bool(shown))
        self.recent.setVisible(bool(shown))
        if shown:
            self.recent.setCurrentRow(0)

    def take_focus(self) -> None:
        """Lets the keyboard begin where most go: the last connection, else the demo."""
        (self._demo if self.recent.isHidden() else self.recent).setFocus()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _open(self) -> None:
        if self.recent.current is not None:
            self.opened.emit(self.recent.current)

    def _retranslate(self) -> None:
        translate = QCoreApplication.translate
        self._title.setText(translate("Connection", "Content Database Desktop"))
        self._text.setText(
            translate("Connection", "Browse the events of a content database and edit its schema.")
        )
        self._demo.show_choice(
            translate(
                "Connection", "A service with demo data on this computer. It stops when the program exits."
            )
        )
        self._service.show_choice(
            translate("Connection", "A service on the network: its address, your log-in and password.")
        )
        self._model.show_choice(
            translate(
                "Connection",
                "Edit a data model offline, or open a saved view of events.",
            )
        )
        self._head.setText(translate("Connection", "Connections"))
        self.recent.setAccessibleName(self._head.text())

    def _arrange(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._title.setFont(scaled(self.font(), TITLE, QFont.Weight.Medium))
        self._text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._head.setFont(scaled(self.font(), HEAD, QFont.Weight.Medium))
        tiles = QHBoxLayout()
        tiles.setSpacing(GROUP)
        for tile in (self._demo, self._service, self._model):
            tiles.addWidget(tile)
        column = QVBoxLayout()
        column.setSpacing(GAP)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(GROUP)
        column.addLayout(tiles)
        column.addSpacing(MARGIN)
        column.addWidget(self._head)
        column.addWidget(self.recent)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        row.addStretch(1)
        row.addLayout(column)
        row.addStretch(1)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
