"""The popup in which types and users of the feed are chosen; what is ticked is in force at once."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.live import words
from cdb_desktop.ui.live.type_tree import TypeTree
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import OutlinedFrame

_WIDTH, _HIGHEST = 320, 480


class FilterPopup(OutlinedFrame):
    """Closes with Escape or a click elsewhere; there is nothing to confirm.

    Signals: ``choice_changed`` with a Choice.
    """

    filter_changed = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self._choice = FeedFilter()
        self._tree = TypeTree(appearance, self)
        self._user = QLineEdit(self, clearButtonEnabled=True)
        self._others = QCheckBox(self)
        self._besides = Label(self)
        self._take_away = IconButton(icon("close", appearance), "", self)
        self._all = QPushButton(self)
        self._none = QPushButton(self)
        self._arrange()
        self._tree.toggled.connect(self._tell)
        self._user.textChanged.connect(self._tell)
        self._others.toggled.connect(self._tell)
        self._take_away.clicked.connect(self._forget_besides)
        self._all.clicked.connect(self._tick_all)
        self._none.clicked.connect(self._tick_none)

    def show_filter(self, types: Mapping[str, int], choice: FeedFilter) -> None:
        """Shows what can be chosen and what is."""
        self._choice = choice
        told = words.besides(choice)
        self._besides.setText(QCoreApplication.translate("Live", "Only: %1").replace("%1", told))
        for part in (self._besides, self._take_away):
            part.setVisible(bool(told))
        with QSignalBlocker(self._others), QSignalBlocker(self._user):
            self._tree.show_types(types, choice)
            self._others.setChecked(choice.others)
            if self._user.text().strip() != choice.user.strip():
                self._user.setText(choice.user)

    def open_at(self, button: QWidget) -> None:
        """Opens above or below a button, wherever there is room."""
        height = min(_HIGHEST, self.sizeHint().height())
        self.resize(_WIDTH, height)
        room = button.screen().availableGeometry()
        below = button.mapToGlobal(QPoint(button.width() - _WIDTH, button.height()))
        above = button.mapToGlobal(QPoint(button.width() - _WIDTH, -height))
        place = below if below.y() + height <= room.bottom() else above
        self.move(max(room.left(), place.x()), max(room.top(), place.y()))
        self.show()
        self._user.setFocus()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _forget_besides(self) -> None:
        self.filter_changed.emit(replace(self._choice, users=frozenset(), base_types=frozenset()))

    def _tick_all(self) -> None:
        self._tick(everything=True)

    def _tick_none(self) -> None:
        self._tick(everything=False)

    def _tick(self, *, everything: bool) -> None:
        with QSignalBlocker(self._others):
            self._others.setChecked(everything)
        self._tree.tick(everything)
        self._tell()

    def _tell(self) -> None:
        shows_others = self._others.isChecked()
        before = replace(self._choice, user=self._user.text())
        self.filter_changed.emit(before.with_types(self._tree.shown, self._tree.hidden, others=shows_others))

    def _retranslate(self) -> None:
        translate = QCoreApplication.translate
        self._user.setPlaceholderText(translate("Live", "Part of the user's name"))
        self._user.setAccessibleName(translate("Live", "Part of the user's name"))
        self._tree.setAccessibleName(translate("Live", "Types that are shown"))
        self._tree.setHeaderLabels([translate("Live", "Type of event"), translate("Live", "Events of it")])
        self._others.setText(translate("Live", "Types not received yet"))
        forget = translate("Live", "Show events of all users and base types")
        self._take_away.setToolTip(forget)
        self._take_away.setAccessibleName(forget)
        self._all.setText(translate("Live", "All types"))
        self._none.setText(translate("Live", "No types"))

    def _arrange(self) -> None:
        self.setObjectName("live.filter.popup")
        self._user.setObjectName("live.filter.user")
        self._others.setObjectName("live.filter.others")
        self._all.setObjectName("live.filter.all")
        self._none.setObjectName("live.filter.none")
        self._besides.setObjectName("live.filter.besides")
        self._besides.setWordWrap(True)
        self._take_away.setObjectName("live.filter.forget")
        besides = QHBoxLayout()
        besides.addWidget(self._besides, stretch=1)
        besides.addWidget(self._take_away)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        for button in (self._all, self._none):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self._user)
        layout.addLayout(besides)
        layout.addLayout(buttons)
        layout.addWidget(self._tree, stretch=1)
        layout.addWidget(self._others)
        self._retranslate()
