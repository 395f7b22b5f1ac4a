"""The title bar of the live dock: status, counts, filter, recording, gap report and buttons."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.live.feed_status import ArrivalRate, ConnectionState
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, STRIP, TIGHT, scaled, tabular
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import DotTone, Label, StatusDot, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_STEP_HEIGHT = 24
_OPTIONAL = ("new", "mark", "record")  # buttons that a narrow dock moves into the menu
_MENU_ONLY = ("live_account", "live_keep", "live_notify")  # actions without a button
_POSITIONS = ("live_bottom", "live_right")
_SEPARATOR = " · "
_NARROWEST = 260
_MESSAGE_MS = 6_000  # milliseconds
_FILE_WIDTH = 160  # pixels for the name of the recorded file
_NARROW = 760  # pixels below which the status is more important than name and counts


class LiveStrip(Toolbar):
    """Passive: shows what it is given; a narrow strip leaves out what is less important."""

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__(height=STRIP)
        self._appearance = appearance
        self._name = Label(tr("LIVE"), self)
        self._status_dot = StatusDot(appearance, self)
        self.status = _StatusLabel(self)
        self.step = QPushButton(self)  # which tries again or signs in again
        self.counts = caption(self)
        self.chip = FilterChip(appearance, self)
        self.filter_button = ActionButton(actions["live_filter"], self)
        self.report_button = _FocusRingButton(self)
        self.recording = Label(self)
        self.bell = BellButton(appearance, self)
        self.more = _MoreButton(appearance, actions, self)
        self._report, self._warning, self._recorded, self._file = "", "", "", ""
        self._is_wide = True
        self._count_text = self._message = ""
        self._message_timer = QTimer(self, singleShot=True, interval=_MESSAGE_MS)
        self._message_timer.timeout.connect(self._end_message)
        self._arrange(actions)

    @property
    def mark_anchor(self) -> QWidget:
        """The button of marks, or that of the menu with it in a narrow strip."""
        button = self._optional[_OPTIONAL.index("mark")]
        return self.more if button.isHidden() else button

    def show_status(self, status: StatusText) -> None:
        """Shows the status and its button."""
        self._status_dot.show_tone(status.tone)
        self.status.show_text(status.text, keeps_end=status.keeps_end)
        self.step.setText(status.button)
        self.step.setVisible(bool(status.button))
        self._show_counts()

    def show_counts(self, text: str) -> None:
        """Shows the numbers of events, after a message."""
        self._count_text = text
        self.counts.setText(self._message or text)

    def show_message(self, text: str) -> bool:
        """Shows a message in place of the numbers for a while; returns whether there is space for it."""
        self._message = text
        self._message_timer.start()
        self.show_counts(self._count_text)
        self._show_counts()
        return not self.counts.isHidden()

    def _end_message(self) -> None:
        self._message = ""
        self.show_counts(self._count_text)

    def show_gap_report(self, summary: str, *, is_clear: bool, warning: str = "") -> None:
        """Shows the summary of the gap report; ``is_clear``: there is nothing to warn of.

        ``warning`` is a shorter text for a narrow strip.
        """
        tokens = self._appearance.tokens
        color = tokens.muted if is_clear else tokens.warning
        style = f"QToolButton {{ border: none; background: transparent; color: {color}; padding: 0 4px; }}"
        self._report, self._warning = summary, "" if is_clear else warning or summary
        if summary != self.report_button.accessibleName():
            self.report_button.setAccessibleName(summary)
        if style != self.report_button.styleSheet():
            self.report_button.setStyleSheet(style)
        self._fit_report()

    def show_recording(self, text: str, file: str = "", tooltip: str = "") -> None:
        """Shows the progress of a recording to ``file``; an empty text hides it."""
        self._recorded, self._file = text, file
        tooltip = tooltip or text
        if tooltip != self.recording.toolTip():
            self.recording.setToolTip(tooltip)
            self.recording.setAccessibleName(tooltip)
        self._fit_recording()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        is_wide = event.size().width() >= _NARROW
        for widget in (self._name, *self._optional):
            widget.setVisible(is_wide)
        self.more.hidden_buttons = () if is_wide else tuple(f"live_{name}" for name in _OPTIONAL)
        self._is_wide = is_wide
        self._fit_report()
        self._fit_recording()
        self._show_counts()
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(_NARROWEST, super().minimumSizeHint().height())

    def _show_counts(self) -> None:
        """Shows the counts unless a problem needs the space."""
        needed = self._layout.sizeHint().width()
        if self.counts.isHidden():
            needed += self.counts.sizeHint().width() + GAP + TIGHT
        self.counts.setVisible(self._is_wide and (self.step.isHidden() or needed <= self.width()))

    def _fit_report(self) -> None:
        """Shows the summary if there is enough space, warnings always."""
        shown = self._report if self._is_wide else self._warning
        if shown != self.report_button.text():
            self.report_button.setText(shown)
        self.report_button.setVisible(self._is_wide or bool(shown))
        tip = tr("Status of every id")
        whole = tip if self._is_wide else f"{self._report}\n{tip}"
        if whole != self.report_button.toolTip():
            self.report_button.setToolTip(whole)
            self.report_button.setAccessibleName(whole.replace("\n", ", "))

    def _fit_recording(self) -> None:
        """Shows only symbol and count if there is not enough space for the text and the file."""
        if self._is_wide:
            name = self.fontMetrics().elidedText(self._file, Qt.TextElideMode.ElideMiddle, _FILE_WIDTH)
            shown = _SEPARATOR.join(part for part in (self._recorded, name) if part)
        else:
            shown = " ".join(self._recorded.split()[:1] + self._recorded.split()[-1:])
        if shown != self.recording.text():
            self.recording.setText(shown)
            self.recording.setVisible(bool(self._recorded))

    def _arrange(self, actions: Actions) -> None:
        self._name.setFont(scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
        self.counts.setFont(tabular(self.font()))
        self.counts.setObjectName("live.counts")
        self.status.setObjectName("live.status")
        self.step.setObjectName("live.step")
        self.step.setFixedHeight(_STEP_HEIGHT)
        self.step.hide()
        self.report_button.setObjectName("live.account.open")
        self.report_button.setAutoRaise(True)
        self.report_button.setFont(tabular(self.font()))
        self.bell.clicked.connect(actions["live_notify"].trigger)
        self.report_button.clicked.connect(actions["live_account"].trigger)
        self.recording.setObjectName("live.recording")
        self.recording.setFont(tabular(self.font()))
        self.recording.hide()
        for fixed in (self._name, self.step, self.counts, self.chip, self.report_button, self.recording):
            fixed.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.add(self._name)
        self.add(self._status_dot, gap=GAP)
        self.add(self.status, gap=TIGHT)
        self.add(self.step, gap=GAP)
        self.push()
        self.add(self.counts, gap=GAP)
        self.add(self.chip, gap=GAP)
        self.add(self.recording, gap=GAP)
        self.add(self.bell)
        self.add(self.report_button, gap=GAP)
        pause, clear = (ActionButton(actions[name], self) for name in ("pause", "live_clear"))
        self._optional = [ActionButton(actions[f"live_{name}"], self) for name in _OPTIONAL]
        names = ("live.pause", "live.filter", *(f"live.{name}" for name in _OPTIONAL), "live.clear")
        for button, name in zip((pause, self.filter_button, *self._optional, clear), names, strict=True):
            button.setObjectName(name)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.add(button)
        self.add(self.more)
        self._fit_report()


class _StatusLabel(Label):
    """A text that is elided by whole parts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._keeps_end = False
        self.setFont(tabular(self.font()))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str, *, keeps_end: bool) -> None:
        self._keeps_end = keeps_end
        if text != self.text():
            self.setText(text)
            self.setToolTip(text)
            self.setAccessibleName(text)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            alignment = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(self.rect(), alignment, self._elided_text())

    def _elided_text(self) -> str:
        metrics, head, tail = self.fontMetrics(), self.text(), ""
        if self._keeps_end:
            head, separator, end = self.text().rpartition(_SEPARATOR)
            tail = separator + end
        while not tail and _SEPARATOR in head and metrics.horizontalAdvance(head) > self.width():
            head = head.rpartition(_SEPARATOR)[0]
        room = self.width() - metrics.horizontalAdvance(tail)
        return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room) + tail


class _MoreButton(IconButton):
    """A menu of the actions without a visible button, and of the positions of the dock.

    ``hidden_buttons`` contains the names of the actions whose buttons do not fit.
    """

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(icon("more", appearance), tr("More actions and position of the feed"), parent)
        self.setObjectName("live.more")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # The arrow of a menu would cover the icon.
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self._actions = actions
        self.hidden_buttons: tuple[str, ...] = ()
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill_menu)
        self.setMenu(menu)
        self._fill_menu()

    def _fill_menu(self) -> None:
        menu = self.menu()
        menu.clear()
        for names in (self.hidden_buttons, _MENU_ONLY, _POSITIONS):
            menu.addActions([self._actions[name] for name in names])
            menu.addSeparator()


class _FocusRingButton(QToolButton):
    """A flat button with a focus ring, which the style paints only for raised ones."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self.hasFocus():
            with QPainter(self) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)


_LATE = 5.0  # seconds after which an unanswered poll is shown
# Seconds between two polls from which on they are counted down. An interval of 2 s is included, although the
# wait itself is shorter by the time that the poll took.
_COUNTED_DOWN = 1.5


class StatusText(msgspec.Struct, frozen=True):
    """A text for the strip; ``button`` is empty if there is nothing to do.

    ``keeps_end``: elides the beginning of the text instead of its end.
    """

    tone: DotTone
    text: str
    button: str = ""
    keeps_end: bool = False


class StatusTracker:
    """Collects what the status consists of; moments are those of ``time.monotonic``."""

    def __init__(self) -> None:
        self.connection = ConnectionState()
        self.rate = ArrivalRate()
        self.error: ErrorMessage | None = None
        self.delay: float | None = None
        self._due: float | None = None  # of the last poll that was planned

    def set_connection(
        self, connection: ConnectionState, error: ErrorMessage | None, delay: float | None
    ) -> None:
        """Sets the connection, its last error, and the seconds that events take to the feed."""
        if connection.answered != self.connection.answered:
            self._due = None
        self.connection, self.error, self.delay = connection, error, delay

    def set_due(self, due: float | None) -> None:
        """Sets the moment of the next poll; None during one."""
        self.connection = replace(self.connection, due=due)
        self._due = due or self._due

    def text(self, unseen: int | None, now: float) -> StatusText:
        """The status at the moment ``now``; ``unseen`` are new events while the feed is paused, else None."""
        title = self.error.title if self.error else ""
        match self.connection.phase:
            case "connecting":
                return StatusText("accent", tr("Opening the feed…"))
            case "open":
                return self._open_text(unseen, now)
            case "lost":
                return StatusText("danger", tr("Not signed in"), tr("Sign in again"))
            case "stopped":
                return StatusText("danger", title, tr("Try again"))
            case "retrying":
                # The call may still wait for other calls to the same service.
                return StatusText("warning", tr("{error} · trying again…", error=title), tr("Try now"))
        if self.connection.phase == "silent":
            age, button = _seconds_text(max(0.0, now - (self.connection.answered or now))), ""
            text = tr("The service does not answer · last poll {seconds} s ago", seconds=age)
        else:
            seconds, button = max(1, round((self.connection.due or now) - now)), tr("Try now")
            text = tr("{error} · trying again in {seconds} s", error=title, seconds=seconds)
        return StatusText("warning", text, button, keeps_end=True)

    def _open_text(self, unseen: int | None, now: float) -> StatusText:
        connection = self.connection
        late = self._seconds_late(now)
        if late >= _LATE:
            # The service may only be slow; the follower is finding out.
            return StatusText("warning", tr("No answer for {seconds} s", seconds=int(late)))
        if unseen is None:
            parts = [tr("Following")]
        else:
            parts = [tr("Paused, {count} new", count=unseen) if unseen else tr("Paused")]
        per_second, per_minute = self.rate.per_second(now), self.rate.per_minute(now)
        if per_second < 1 and per_minute:
            parts.append(tr("{count}/min", count=per_minute))
        else:
            parts.append(tr("{count}/s", count=_seconds_text(per_second)))
        if self.delay is not None:
            parts.append(tr("lag {seconds} s", seconds=_seconds_text(self.delay)))
        if connection.stream == "open":
            parts.append(tr("the service sends events at once"))
            return StatusText("good" if unseen is None else "warning", " · ".join(parts))
        if connection.stream == "refused":
            parts.append(tr("polling, as no event stream opens: {reason}", reason=connection.refusal))
        if connection.answered is not None:
            age = _seconds_text(max(0.0, now - connection.answered))
            parts.append(tr("last poll {seconds} s ago", seconds=age))
        if connection.holds:
            parts.append(tr("the service answers when something happens"))
        elif connection.due is not None and connection.due - (connection.answered or now) >= _COUNTED_DOWN:
            parts.append(tr("next in {seconds} s", seconds=_seconds_text(max(0.0, connection.due - now))))
        return StatusText("good" if unseen is None else "warning", " · ".join(parts))

    def _seconds_late(self, now: float) -> float:
        connection = self.connection
        if connection.due is not None or connection.answered is None or connection.holds:
            return 0.0
        # With a long interval, nothing is wrong until the poll was due.
        return now - max(connection.answered, self._due or connection.answered)


def _seconds_text(value: float) -> str:
    return number_text(value, 1 if 0 < value < 9.95 else 0)


_HEIGHT = 24
_CROSS = 24
_LONGEST = 180  # pixels of text, so that a narrow dock has space for the rest


class FilterChip(QWidget):
    """Shows a filter; hidden without one.

    Signals: ``opened`` when the label is clicked · ``removed`` when the cross is.
    """

    opened = Signal()
    removed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.text = ""  # the whole text, empty without a filter
        self._label = QToolButton(self, autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._label.setObjectName("live.chip")
        self._label.setFixedHeight(_HEIGHT)
        self._label.setStyleSheet("QToolButton { border: none; background: transparent; }")
        self._cross = IconButton(icon("close", appearance), tr("Show all events again"), self)
        self._cross.setObjectName("live.chip.remove")
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._label.clicked.connect(self.opened)
        self._cross.clicked.connect(self.removed)
        lay_out(QHBoxLayout(self), self._label, self._cross, margins=(GAP, 0, 2, 0))
        self.setFixedHeight(_HEIGHT)
        self._label.setToolTip(tr("Choose what is shown"))
        self.hide()

    def show_text(self, text: str) -> None:
        """Shows a filter; an empty text hides the chip."""
        self.text = text
        metrics = self._label.fontMetrics()
        self._label.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, _LONGEST))
        self._label.setAccessibleName(text)
        self.setVisible(bool(text))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._appearance.tokens.selected))
            painter.drawRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)


class BellButton(IconButton):
    """Visible while the feed notifies of new events."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        tip = tr("Notifies of new events while another window is active; click to mute")
        super().__init__(icon("bell", appearance), tip, parent)
        self.setObjectName("live.bell")
        self.hide()
