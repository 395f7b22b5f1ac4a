"""The popup in which the user chooses types and users of a feed; changes are applied at once."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPointF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.live import messages
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, ICON, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.family_shapes import family_color, paint_shape
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import PopupFrame
from cdb_desktop.vocabulary.event_types import EventFamily, family_of

_WIDTH, _LARGEST_HEIGHT = 320, 480
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FilterPopup(PopupFrame):
    """Closes with Escape or a click elsewhere.

    Signals: ``filter_changed`` with a FeedFilter.
    """

    filter_changed = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self._filter = FeedFilter()
        self._tree = TypeTree(appearance, self)
        self._user = QLineEdit(self, clearButtonEnabled=True)
        self._others = QCheckBox(self)
        self._query = Label(self)
        self._remove_query = IconButton(icon("close", appearance), "", self)
        self._all = QPushButton(self)
        self._none = QPushButton(self)
        self._arrange()
        self._tree.toggled.connect(self._emit_filter)
        self._user.textChanged.connect(self._emit_filter)
        self._others.toggled.connect(self._emit_filter)
        self._remove_query.clicked.connect(self._emit_without_query)
        self._all.clicked.connect(lambda: self._check_all(checked=True))
        self._none.clicked.connect(lambda: self._check_all(checked=False))

    def show_filter(self, types: Mapping[str, int], chosen: FeedFilter) -> None:
        """Shows the types with their numbers of events, and the filter."""
        self._filter = chosen
        query = messages.query_text(chosen)
        self._query.setText(tr("Only: {query}", query=query))
        for widget in (self._query, self._remove_query):
            widget.setVisible(bool(query))
        with QSignalBlocker(self._others), QSignalBlocker(self._user):
            self._tree.show_types(types, chosen)
            self._others.setChecked(chosen.others)
            if self._user.text().strip() != chosen.user.strip():
                self._user.setText(chosen.user)

    def open_at(self, button: QWidget) -> None:
        """Opens below a button, or above it if there is not enough space."""
        self.resize(_WIDTH, min(_LARGEST_HEIGHT, self.sizeHint().height()))
        self.move_to(button)
        self.show()
        self._user.setFocus()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Translates the texts."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _check_all(self, *, checked: bool) -> None:
        with QSignalBlocker(self._others):
            self._others.setChecked(checked)
        self._tree.check_all(checked)
        self._emit_filter()

    def _emit_filter(self) -> None:
        before = replace(self._filter, user=self._user.text())
        others = self._others.isChecked()
        self.filter_changed.emit(before.with_types(self._tree.shown, self._tree.hidden, others=others))

    def _emit_without_query(self) -> None:
        self.filter_changed.emit(replace(self._filter, users=frozenset(), base_types=frozenset()))

    def _retranslate(self) -> None:
        self._user.setPlaceholderText(tr("Part of the user's name"))
        self._user.setAccessibleName(tr("Part of the user's name"))
        self._tree.setAccessibleName(tr("Types that are shown"))
        self._tree.setHeaderLabels([tr("Type of event"), tr("Events of it")])
        self._others.setText(tr("Types not received yet"))
        remove = tr("Show events of all users and base types")
        self._remove_query.setToolTip(remove)
        self._remove_query.setAccessibleName(remove)
        self._all.setText(tr("All types"))
        self._none.setText(tr("No types"))

    def _arrange(self) -> None:
        self.setObjectName("live.filter.popup")
        self._user.setObjectName("live.filter.user")
        self._others.setObjectName("live.filter.others")
        self._all.setObjectName("live.filter.all")
        self._none.setObjectName("live.filter.none")
        self._query.setObjectName("live.filter.besides")
        self._query.setWordWrap(True)
        self._remove_query.setObjectName("live.filter.forget")
        query = QHBoxLayout()
        query.addWidget(self._query, stretch=1)
        query.addWidget(self._remove_query)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        for button in (self._all, self._none):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self._user)
        layout.addLayout(query)
        layout.addLayout(buttons)
        layout.addWidget(self._tree, stretch=1)
        layout.addWidget(self._others)
        self._retranslate()


class TypeTree(QTreeWidget):
    """The event types by family, each with a check box and its number of events.

    Signals: ``toggled`` once for each change by the user, however many boxes it changes.
    """

    toggled = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, QTreeWidgetItem] = {}
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.toggled)
        self._arrange()
        self.itemChanged.connect(self._timer.start)

    @property
    def shown(self) -> list[str]:
        """The checked types."""
        return [name for name, item in self._items.items() if item.checkState(0) == _CHECKED]

    @property
    def hidden(self) -> list[str]:
        """The other types."""
        return [name for name, item in self._items.items() if item.checkState(0) != _CHECKED]

    def show_types(self, types: Mapping[str, int], chosen: FeedFilter) -> None:
        """Shows the types with their numbers, and those that the filter names."""
        if self._timer.isActive():
            return  # the user's last change is not in the filter yet
        names = sorted(types.keys() | chosen.exceptions)
        self.blockSignals(True)
        if names != sorted(self._items):
            self._build(names)
        for name, item in self._items.items():
            item.setCheckState(0, _CHECKED if chosen.shows_type(name) else _UNCHECKED)
            item.setText(1, number_text(types.get(name, 0)))
        self.blockSignals(False)

    def check_all(self, checked: bool) -> None:
        """Checks or unchecks all boxes."""
        for item in self._items.values():
            item.setCheckState(0, _CHECKED if checked else _UNCHECKED)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The height of all rows."""
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
        parent = QTreeWidgetItem(self, [messages.family_text(family)])
        parent.setIcon(0, self._icon(family))
        parent.setSizeHint(0, QSize(0, ROW))
        parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
        for name in members:
            item = QTreeWidgetItem(parent, [name])
            item.setSizeHint(0, QSize(0, ROW))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setTextAlignment(1, _RIGHT)
            item.setForeground(1, self.palette().color(QPalette.ColorRole.PlaceholderText))
            self._items[name] = item

    def _icon(self, family: EventFamily) -> QIcon:
        pixmap = QPixmap(QSize(ICON, ICON) * self.devicePixelRatioF())
        pixmap.setDevicePixelRatio(self.devicePixelRatioF())
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            center = QPointF(ICON / 2, ICON / 2)
            paint_shape(painter, center, family, family_color(family, self._appearance.tokens))
        return QIcon(pixmap)

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
