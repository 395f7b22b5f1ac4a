"""A list in sections that fold, with values to tick, plain lines and links. Knows not what is counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from PySide6.QtCore import QSettings, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)

from cdb_desktop.events.facets import FacetValue
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

HELD = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_PRESS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
_FOLDED = "events/values/folded"


class FacetTree(QTreeWidget):
    """Names at the left, numbers at the right; which sections are folded is remembered.

    Signals: ``link_followed`` with what a link holds, by a click or by Return.
    """

    link_followed = Signal(object)

    def __init__(self, appearance: Appearance, settings: QSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._fold = icon("next", appearance, checked="unfold")
        self._folded = set(str(settings.value(_FOLDED, "")).split())
        self._sections: dict[str, QTreeWidgetItem] = {}
        self._held: tuple[object, int] = (None, 0)
        self._is_second = False
        self._arrange()
        self.itemClicked.connect(self._click)
        self.itemExpanded.connect(self._remember)
        self.itemCollapsed.connect(self._remember)

    def begin(self) -> None:
        """Everything is written anew; where somebody is in it is not lost."""
        current = self.currentItem()
        self._held = (None if current is None else current.data(0, HELD)), self.verticalScrollBar().value()
        self.blockSignals(True)
        self.clear()
        self._sections.clear()

    def end(self) -> None:
        """All is written."""
        held, scrolled = self._held
        for name, section in self._sections.items():
            section.setExpanded(name not in self._folded)
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(item.text(1)) for item in self.items()), default=0)
        self.header().resizeSection(1, widest + 2 * TIGHT)
        # Who goes through the values by keys is not sent back to the first by every count.
        for item in self.items():
            if held is not None and item.data(0, HELD) == held:
                self.setCurrentItem(item)
        self.verticalScrollBar().setValue(scrolled)
        self.blockSignals(False)

    def items(self) -> Iterator[QTreeWidgetItem]:
        """All lines, folded ones too."""
        walk = QTreeWidgetItemIterator(self)
        while (item := walk.value()) is not None:
            yield item
            walk += 1

    def add_section(self, name: str, title: str, tip: str = "") -> QTreeWidgetItem:
        """A title to which lines are added; ``name`` is what it is remembered by."""
        item = QTreeWidgetItem(self, [title])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFirstColumnSpanned(True)
        item.setIcon(0, self._fold)
        item.setToolTip(0, tip)
        item.setData(0, HELD, name)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, font)
        item.setSizeHint(0, QSize(0, ROW + TIGHT))
        self._sections[name] = item
        return item

    def add_line(self, section: QTreeWidgetItem, text: str, number: int, tip: str = "") -> QTreeWidgetItem:
        """A name with its number."""
        item = QTreeWidgetItem(section, [text, number_text(number)])
        item.setTextAlignment(1, _RIGHT)
        item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
        item.setToolTip(0, tip)
        item.setSizeHint(0, QSize(0, ROW))
        return item

    def add_value(
        self, section: QTreeWidgetItem, text: str, number: int, value: FacetValue, *, ticked: bool
    ) -> QTreeWidgetItem:
        """The same, to be ticked."""
        item = self.add_line(section, text, number)
        item.setData(0, HELD, value)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        return item

    def add_link(self, section: QTreeWidgetItem, text: str, target: Hashable, tip: str = "") -> None:
        """Something to be done."""
        item = QTreeWidgetItem(section, [text])
        item.setFirstColumnSpanned(True)
        item.setForeground(0, self.palette().color(QPalette.ColorRole.Link))
        item.setToolTip(0, tip or text)
        item.setData(0, HELD, target)
        item.setSizeHint(0, QSize(0, ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return and Space do what a click does where there is nothing to tick."""
        item = self.currentItem()
        if event.key() in _PRESS and item is not None and self._press(item):
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begins a click."""
        self._is_second = False
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Its second half would follow what has come into the place of a link."""
        self._is_second = True
        super().mouseDoubleClickEvent(event)

    def _click(self, item: QTreeWidgetItem) -> None:
        if not self._is_second:
            self._press(item)

    def _press(self, item: QTreeWidgetItem) -> bool:
        held = item.data(0, HELD)
        if isinstance(held, str):
            item.setExpanded(not item.isExpanded())
        elif held is not None and not isinstance(held, FacetValue):
            self.link_followed.emit(held)
        else:
            return False
        return True

    def _remember(self, item: QTreeWidgetItem) -> None:
        name, folded = str(item.data(0, HELD)), not item.isExpanded()
        self._folded = self._folded | {name} if folded else self._folded - {name}
        self._settings.setValue(_FOLDED, " ".join(sorted(self._folded)))

    def _arrange(self) -> None:
        self.setObjectName("events.facets.tree")
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0)
        self.setUniformRowHeights(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(tabular(self.font()))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        # ResizeToContents measures what is in sight, and not again when that changes.
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.header().setMinimumSectionSize(1)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
