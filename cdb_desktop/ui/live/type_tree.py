"""The event types that have come, under their families, each with a box and a count."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.live import words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import ICON, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.family_shapes import family_color, paint_shape
from cdb_desktop.vocabulary.event_types import EventFamily, family_of

_ON, _OFF = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TypeTree(QTreeWidget):
    """Boxes to choose types with; a family's box is for all of its types.

    Signals: ``toggled`` once for each change by the user, however many boxes follow.
    """

    toggled = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, QTreeWidgetItem] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.toggled)
        self._arrange()
        self.itemChanged.connect(self._soon.start)

    @property
    def shown(self) -> list[str]:
        """The types with a tick."""
        return [name for name, item in self._items.items() if item.checkState(0) == _ON]

    @property
    def hidden(self) -> list[str]:
        """The types without one."""
        return [name for name, item in self._items.items() if item.checkState(0) != _ON]

    def show_types(self, types: Mapping[str, int], choice: FeedFilter) -> None:
        """Shows the types that there are and those that the choice names; what is open and current stays."""
        if self._soon.isActive():
            return  # the user's last tick is not in the choice yet
        names = sorted(types.keys() | choice.exceptions)
        self.blockSignals(True)
        if names != sorted(self._items):
            self._build(names)
        for name, item in self._items.items():
            item.setCheckState(0, _ON if choice.shows_type(name) else _OFF)
            item.setText(1, number_text(types.get(name, 0)))
        self.blockSignals(False)

    def tick(self, everything: bool) -> None:
        """Ticks all boxes or none."""
        for item in self._items.values():
            item.setCheckState(0, _ON if everything else _OFF)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as all rows."""
        rows = len(self._items) + self.topLevelItemCount()
        return QSize(super().sizeHint().width(), rows * max(ROW, self.sizeHintForRow(0)) + TIGHT)

    def _build(self, names: list[str]) -> None:
        item = self.currentItem()
        current = item.text(0) if item is not None else ""
        self.clear()
        self._items.clear()
        for family in EventFamily:
            members = [name for name in names if family_of(name) is family]
            if members:
                self._add(family, members)
        self.expandAll()
        self.updateGeometry()
        if current in self._items:
            self.setCurrentItem(self._items[current])

    def _add(self, family: EventFamily, members: list[str]) -> None:
        parent = QTreeWidgetItem(self, [words.family(family)])
        parent.setIcon(0, self._sign(family))
        parent.setSizeHint(0, QSize(0, ROW))
        parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
        for name in members:
            item = QTreeWidgetItem(parent, [name])
            item.setSizeHint(0, QSize(0, ROW))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setTextAlignment(1, _RIGHT)
            item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
            self._items[name] = item

    def _sign(self, family: EventFamily) -> QIcon:
        picture = QPixmap(QSize(ICON, ICON) * self.devicePixelRatioF())
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            centre = QPointF(ICON / 2, ICON / 2)
            paint_shape(painter, centre, family, family_color(family, self._appearance.tokens))
        return QIcon(picture)

    def _arrange(self) -> None:
        self.setObjectName("live.filter.types")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setRootIsDecorated(False)
        self.setIndentation(ROW)
        self.setUniformRowHeights(True)
        self.setIconSize(QSize(ICON, ICON))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
