"""The popup that accounts for every id of the feed, and shows which ones nobody can explain."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.id_ledger import IdCounts
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.live import account_words
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.popup import OutlinedFrame

_WIDTH = 380
_RANGES_HEIGHT = 84


class AccountPopup(OutlinedFrame):
    """Closes with Escape or a click elsewhere."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(appearance, parent, Qt.WindowType.Popup)
        self._appearance = appearance
        self._check_action = actions["live_check"]
        self._balance = IdCounts()
        self._knows = True
        self._ranges: tuple[tuple[int, int], ...] = ()
        self._besides = account_words.Besides()
        self._button: QWidget | None = None
        self._title = Label(self)
        self._lines = [(Label(self), Label(self)) for _ in account_words.lines(IdCounts(), knows=True)]
        self._words = Label(self)
        self._list = QPlainTextEdit(self)
        self._ahead = Label(self)
        self._unread = Label(self)
        self._texts = QPlainTextEdit(self)
        self._check = QPushButton(self)
        self._arrange()
        self._check.clicked.connect(self._check_action.trigger)
        self._check_action.changed.connect(self._show)

    def show_account(self, balance: IdCounts, ranges: Sequence[tuple[int, int]], *, knows: bool) -> None:
        """The account, the first of the ``ranges`` that are unexplained, and whether the list may be read."""
        self._balance, self._ranges, self._knows = balance, tuple(ranges), knows
        if self.isVisible():
            self._show()

    def show_besides(self, besides: account_words.Besides) -> None:
        """What is no part of the account."""
        if besides != self._besides:
            self._besides = besides
            if self.isVisible():
                self._show()

    def open_at(self, button: QWidget) -> None:
        """Opens above or below a button, wherever there is room."""
        self._button = button
        self._show()
        self._take_room()
        self.show()
        self._check.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """The key of checking works here too: a popup takes all keys away from the window."""
        if QKeySequence(event.keyCombination()) in self._check_action.shortcuts():
            self._check_action.trigger()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        self._title.setText(account_words.title(self._balance))
        told = account_words.lines(self._balance, knows=self._knows)
        for (name, number), (words, count) in zip(self._lines, told, strict=True):
            name.setText(words)
            number.setText(number_text(count))
        self._words.setText(account_words.verdict(self._balance, knows=self._knows))
        self._list.setPlainText(account_words.ranges(self._ranges))
        # Those that are only being checked come and go all the time.
        self._list.setVisible(bool(self._ranges and self._balance.unexplained))
        self._list.setAccessibleName(QCoreApplication.translate("Live", "Ids that are unexplained"))
        self._show_besides()
        self._check.setText(plain(self._check_action.text()))
        self._check.setEnabled(self._check_action.isEnabled())
        self._check.setToolTip(self._check_action.toolTip())
        if self.isVisible():
            self._take_room()

    def _take_room(self) -> None:
        layout, button = self.layout(), self._button
        if layout is None or button is None:
            return
        layout.activate()
        # By itself a window is no higher than two thirds of the screen, and its texts would be cut.
        width = max(_WIDTH, layout.totalMinimumSize().width())
        self.setFixedSize(width, layout.totalHeightForWidth(width))
        room = button.screen().availableGeometry()
        corner = button.mapToGlobal(QPoint(button.width() - width, button.height()))
        if corner.y() + self.height() > room.bottom():
            corner.setY(button.mapToGlobal(QPoint(0, 0)).y() - self.height())
        self.move(max(room.left(), corner.x()), max(room.top(), corner.y()))

    def _show_besides(self) -> None:
        self._ahead.setText(account_words.ahead(self._besides.ahead))
        self._ahead.setVisible(bool(self._besides.ahead))
        self._unread.setText(account_words.unread(self._besides.unread))
        shown = "\n".join(self._besides.texts)
        if shown != self._texts.toPlainText():
            self._texts.setPlainText(shown)
        self._texts.setAccessibleName(QCoreApplication.translate("Live", "Records that could not be read"))
        for part in (self._unread, self._texts):
            part.setVisible(bool(self._besides.unread))

    def _arrange(self) -> None:
        self.setObjectName("live.account")
        self._check.setObjectName("live.account.check")
        self._list.setObjectName("live.account.ranges")
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(bold)
        self._texts.setObjectName("live.account.unread")
        for words in (self._words, self._ahead, self._unread):
            words.setWordWrap(True)
            words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for lines in (self._list, self._texts):
            lines.setReadOnly(True)
            lines.setTabChangesFocus(True)
            lines.setFixedHeight(_RANGES_HEIGHT)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GROUP)
        grid.setVerticalSpacing(TIGHT)
        for row, (name, number) in enumerate(self._lines):
            number.setFont(tabular(self.font()))
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, row, 0)
            grid.addWidget(number, row, 1)
        grid.setColumnStretch(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP, GROUP, GROUP, GROUP)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addLayout(grid)
        layout.addWidget(self._words)
        layout.addWidget(self._list)
        layout.addWidget(self._ahead)
        layout.addWidget(self._unread)
        layout.addWidget(self._texts)
        layout.addWidget(self._check)
