"""The top of the window: the line in the connection's colour, the menu and the notice below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QMenuBar, QVBoxLayout, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.actions.spec import Spec
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import COLOUR_LINE
from cdb_desktop.ui.widgets.notice import FileNotice, NoticeBar


class Crown(QWidget):
    """What stands above rail and pages over the whole width."""

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self._colour: QColor | None = None
        self.notice = FileNotice(appearance, self)
        # Of its own: the other one is hidden when a connection comes or goes.
        self.file_notice = NoticeBar(appearance, self)
        self.file_notice.setObjectName("window.files")
        bar = QMenuBar(self)
        self._menus = [bar.addMenu(title) for title in actions.menus()]
        self._within: dict[str, QMenu] = {}
        for menu, specs in zip(self._menus, actions.menus().values(), strict=True):
            self._fill(menu, specs, actions)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, COLOUR_LINE, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.notice)
        layout.addWidget(self.file_notice)

    def show_titles(self, actions: Actions) -> None:
        """Names the menus anew, in the language of now."""
        for menu, title in zip(self._menus, actions.menus(), strict=True):
            menu.setTitle(title)
        for name, menu in self._within.items():
            menu.setTitle(actions.spec(name).group)

    def menu_of(self, name: str, actions: Actions) -> QMenu:
        """The menu in which an action stands."""
        return self._menus[list(actions.menus()).index(actions.spec(name).menu)]

    def _fill(self, menu: QMenu, specs: Sequence[Spec], actions: Actions) -> None:
        place, group = menu, ""
        for spec in specs:
            if spec.apart:
                menu.addSeparator()
            if spec.group != group:
                group = spec.group
                place = menu.addMenu(group) if group else menu
                if group:
                    self._within[spec.name] = place
            # A disabled action tells there why it is.
            place.setToolTipsVisible(True)
            place.addAction(actions[spec.name])

    def show_colour(self, colour: str | None) -> None:
        """Draws the line in ``colour``, such as ``#1F5FBF``; None draws none."""
        self._colour = None if colour is None else QColor(colour)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The line."""
        if self._colour is not None:
            with QPainter(self) as painter:
                painter.fillRect(0, 0, self.width(), COLOUR_LINE, self._colour)
