"""The strip of the live feed, its dock's title bar: how it goes, what is shown, and its few controls."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.alarm_mark import AlarmMark
from cdb_desktop.ui.live.chip import Chip
from cdb_desktop.ui.live.more_button import MoreButton
from cdb_desktop.ui.live.words import Status
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled, tabular
from cdb_desktop.ui.theme.measures import CAPTION, GAP, STRIP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.labels import Label, StatusDot, caption
from cdb_desktop.ui.widgets.toolbar import Toolbar

_STEP_HEIGHT = 24
_FLAT = "QToolButton { border: none; background: transparent; color: %1; padding: 0 4px; }"
_SPARE = ("new", "mark", "record")  # what a narrow dock leaves to the menu at its end
_DOT = " · "
_NARROWEST = 300
_FILE = 160  # pixels for the name of the file that is recorded to
_NARROW = 760  # pixels below which how it goes is worth more than name and counts


class LiveStrip(Toolbar):
    """Tells and offers; decides nothing.

    Signals: ``step_requested`` when the way out of a trouble is taken.
    """

    step_requested = Signal()

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__(height=STRIP)
        self._appearance = appearance
        self._name = Label(self)
        self._dot = StatusDot(appearance, self)
        self._words = _Words(self)
        self._step = QPushButton(self)
        self._counts = caption(self)
        self.chip = Chip(appearance, self)
        self.filter_button = ActionButton(actions["live_filter"], self)
        self.account = _RingedButton(self)
        self.recording = Label(self)
        self.bell = AlarmMark(appearance, self)
        self.more = MoreButton(appearance, actions, self)
        self._account, self._warning, self._recorded, self._file = "", "", "", ""
        self._has_room = True
        self._arrange(actions)
        self._step.clicked.connect(self.step_requested)

    @property
    def words(self) -> str:
        """What is told at the moment."""
        return self._words.text()

    @property
    def counts(self) -> str:
        """The counts as they are shown."""
        return self._counts.text()

    def show_status(self, status: Status) -> None:
        """Shows how it goes."""
        self._dot.show_tone(status.tone)
        self._words.show_words(status.words, keeps_end=status.keeps_end)
        self._step.setText(status.step)
        self._step.setVisible(bool(status.step))
        self._show_counts()

    def show_counts(self, words: str) -> None:
        """Shows how many events there are."""
        self._counts.setText(words)

    def show_account(self, words: str, *, is_clear: bool, warning: str = "") -> None:
        """Shows how many ids nobody can explain; that there are none is good news.

        ``warning`` says the same where there is little room.
        """
        tokens = self._appearance.tokens
        look = _FLAT.replace("%1", tokens.muted if is_clear else tokens.warning)
        self._account, self._warning = words, "" if is_clear else warning or words
        if words != self.account.accessibleName():
            self.account.setAccessibleName(words)
        if look != self.account.styleSheet():
            self.account.setStyleSheet(look)
        self._fit_account()

    def show_recording(self, words: str, file: str = "", whole: str = "") -> None:
        """Shows that something is written to a ``file``; empty words hide it. The ``whole`` is in a tip."""
        self._recorded, self._file = words, file
        tip = whole or words
        if tip != self.recording.toolTip():
            self.recording.setToolTip(tip)
            self.recording.setAccessibleName(tip)
        self._fit_recording()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """A dock at the side has room for the most important only."""
        is_wide = event.size().width() >= _NARROW
        for spare in (self._name, *self._spare):
            spare.setVisible(is_wide)
        self.more.left_out = () if is_wide else tuple(f"live_{name}" for name in _SPARE)
        self._has_room = is_wide
        self._fit_account()
        self._fit_recording()
        self._show_counts()
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """What is left in a narrow dock; the rest must not keep it wide."""
        return QSize(_NARROWEST, super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _show_counts(self) -> None:
        """What is the matter has to be read before how much there is."""
        needed = self._layout.sizeHint().width()
        if self._counts.isHidden():
            needed += self._counts.sizeHint().width() + GAP + TIGHT
        self._counts.setVisible(self._has_room and (self._step.isHidden() or needed <= self.width()))

    def _fit_account(self) -> None:
        """Good news can wait for room; a warning is told in any."""
        shown = self._account if self._has_room else self._warning
        if shown != self.account.text():
            self.account.setText(shown)
        self.account.setVisible(self._has_room or bool(shown))
        tip = QCoreApplication.translate("Live", "Status of every id")
        whole = tip if self._has_room else f"{self._account}\n{tip}"
        if whole != self.account.toolTip():
            self.account.setToolTip(whole)
            self.account.setAccessibleName(whole.replace("\n", ", "))

    def _fit_recording(self) -> None:
        """Without room for the words and the file, the sign and the count."""
        words = self._recorded
        if self._has_room:
            name = self.fontMetrics().elidedText(self._file, Qt.TextElideMode.ElideMiddle, _FILE)
            shown = _DOT.join(part for part in (words, name) if part)
        else:
            shown = " ".join(words.split()[:1] + words.split()[-1:])
        if shown != self.recording.text():
            self.recording.setText(shown)
            self.recording.setVisible(bool(words))

    def _retranslate(self) -> None:
        self._name.setText(QCoreApplication.translate("Live", "LIVE"))
        self._fit_account()

    def _arrange(self, actions: Actions) -> None:
        self._name.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        self._counts.setFont(tabular(self.font()))
        self._counts.setObjectName("live.counts")
        self._words.setObjectName("live.status")
        self._step.setObjectName("live.step")
        self._step.setFixedHeight(_STEP_HEIGHT)
        self._step.hide()
        self.account.setObjectName("live.account.open")
        self.account.setAutoRaise(True)
        self.account.setFont(tabular(self.font()))
        self.bell.clicked.connect(actions["live_notify"].trigger)
        self.account.clicked.connect(actions["live_account"].trigger)
        self.recording.setObjectName("live.recording")
        self.recording.setFont(tabular(self.font()))
        self.recording.hide()
        for fixed in (self._name, self._step, self._counts, self.chip, self.account, self.recording):
            fixed.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.add(self._name)
        self.add(self._dot, gap=GAP)
        self.add(self._words, gap=TIGHT)
        self.add(self._step, gap=GAP)
        self.push()
        self.add(self._counts, gap=GAP)
        self.add(self.chip, gap=GAP)
        self.add(self.recording, gap=GAP)
        self.add(self.bell)
        self.add(self.account, gap=GAP)
        pause, clear = (ActionButton(actions[name], self) for name in ("pause", "live_clear"))
        self._spare = [ActionButton(actions[f"live_{name}"], self) for name in _SPARE]
        names = ("live.pause", "live.filter", *(f"live.{name}" for name in _SPARE), "live.clear")
        for button, name in zip((pause, self.filter_button, *self._spare, clear), names, strict=True):
            button.setObjectName(name)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.add(button)
        self.add(self.more)
        self._retranslate()


class _Words(Label):
    """Words that take the room that is left and are cut where it is too small."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._keeps_end = False
        self.setFont(tabular(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def show_words(self, words: str, *, keeps_end: bool) -> None:
        self._keeps_end = keeps_end
        if words != self.text():
            self.setText(words)
            self.setToolTip(words)
            self.setAccessibleName(words)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(
                self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._cut()
            )

    def _cut(self) -> str:
        """As much as there is room for."""
        metrics, head, tail = self.fontMetrics(), self.text(), ""
        if self._keeps_end:
            head, dot, end = self.text().rpartition(_DOT)
            tail = dot + end
        while not tail and _DOT in head and metrics.horizontalAdvance(head) > self.width():
            head = head.rpartition(_DOT)[0]  # a part that is cut through tells nothing
        room = self.width() - metrics.horizontalAdvance(tail)
        return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room) + tail


class _RingedButton(QToolButton):
    """A flat button that shows that it has the focus, which the style does only for raised ones."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self.hasFocus():
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)
