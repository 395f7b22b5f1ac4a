"""The start page, which is shown without a connection: choices, progress, or why a connection failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QEnterEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.connection.messages import browser_wait
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.connection.profile_list import ROW_HEIGHT, ProfileList
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN, TIGHT, TITLE, scaled
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_WIDTH = 216
_SIGN = 24
_ROUND = 8


class StartTile(QAbstractButton):
    """A large button for an action: icon, name and a sentence about it."""

    def __init__(self, action: QAction, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self._appearance = appearance
        self._title = Label(self)
        self._text = Label(self)
        self.setObjectName(f"connection.start.{action.objectName().removeprefix('action.')}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(action.trigger)
        self._create_layout()

    def show_choice(self, text: str) -> None:
        """Shows the name of the action, and ``text`` about it."""
        name = plain(self._action.text()).removesuffix("…")
        self._title.setText(name)
        self._text.setText(text)
        self.setAccessibleName(name)
        self.setAccessibleDescription(text)
        self.setToolTip(self._action.toolTip())

    def sizeHint(self) -> QSize:  # noqa: N802
        layout = self.layout()
        return QSize(_WIDTH, layout.totalHeightForWidth(_WIDTH) if layout else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return clicks, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        ground = tokens.selected if self.underMouse() or self.isDown() else tokens.raised
        edge = QPen(QColor(tokens.accent), 2) if self.hasFocus() else QPen(QColor(tokens.handle), 1)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(edge)
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _ROUND, _ROUND)
            self._action.icon().paint(painter, GROUP, GROUP, _SIGN, _SIGN)

    def _create_layout(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.MinimumExpanding)
        self.setFixedWidth(_WIDTH)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.Medium))
        self._text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP, GROUP + _SIGN + GAP + TIGHT, GROUP, GROUP)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addStretch(1)


_MOST = 5  # the dialog lists all


class StartChoices(QWidget):
    """Tiles for the demo, a service and a file, and the connections used last.

    Signals, each with a ConnectionProfile: ``opened``, ``changed`` and ``forgotten`` as those of ProfileList.
    """

    opened = Signal(object)
    changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self._title = Label(tr("Content Database Desktop"), self)
        self._text = Label(tr("Browse the events of a content database and edit its schema."), self)
        self._demo = StartTile(actions["demo"], appearance, self)
        self._newer = named("connection.start.demo_new", QToolButton(self, autoRaise=True))
        self._newer.setDefaultAction(actions["demo_new"])
        self._service = StartTile(actions["connect"], appearance, self)
        self._model = StartTile(actions["model_open"], appearance, self)
        self._head = Label(tr("Connections"), self)
        self.recent = named("connection.start.recent", ProfileList(appearance, self))
        self.recent.itemClicked.connect(lambda _item: self._open())
        for mine, its in (
            (self.opened, self.recent.opened),
            (self.changed, self.recent.changed),
            (self.forgotten, self.recent.forgotten),
        ):
            its.connect(mine)
        self._create_layout()
        self._demo.show_choice(
            tr("A service with demo data on this computer. It stops when the program exits.")
        )
        self._service.show_choice(tr("A service on the network: its address, and how you sign in there."))
        self._model.show_choice(tr("Edit a data model offline, or open a view or a log of events."))
        self.recent.setAccessibleName(self._head.text())
        self.show_profiles(())

    def show_profiles(self, profiles: Sequence[ConnectionProfile]) -> None:
        """Shows the connections used last."""
        shown = profiles[:_MOST]
        self.recent.show_profiles(shown)
        self.recent.setFixedHeight(ROW_HEIGHT * len(shown))
        self._head.setVisible(bool(shown))
        self.recent.setVisible(bool(shown))
        if shown:
            self.recent.setCurrentRow(0)

    def focus_first(self) -> None:
        """Focuses the last connection, or the demo without one."""
        (self._demo if self.recent.isHidden() else self.recent).setFocus()

    def _open(self) -> None:
        if self.recent.current is not None:
            self.opened.emit(self.recent.current)

    def _create_layout(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._title.setFont(scaled(self.font(), TITLE, QFont.Weight.Medium))
        self._text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._head.setFont(scaled(self.font(), HEAD, QFont.Weight.Medium))
        tiles = lay_out(QHBoxLayout(), self._demo, self._service, self._model, spacing=GROUP)
        column = QVBoxLayout()
        column.setSpacing(GAP)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(GROUP)
        column.addLayout(tiles)
        column.addWidget(self._newer)
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


class StartView(QStackedWidget):
    """The start page.

    Signals: ``again_requested`` to try again what failed · ``back_requested`` to go back to the choices,
    which also cancels a running attempt · ``certificate_requested`` to show the certificate that was not
    accepted · ``browser_requested`` to open the browser again · ``copy_requested`` to copy its address ·
    ``attempt_changed`` when ``attempt`` may have another value.
    """

    again_requested = Signal()
    back_requested = Signal()
    certificate_requested = Signal()
    browser_requested = Signal()
    copy_requested = Signal()
    attempt_changed = Signal()

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("connection.start")
        self.choices = StartChoices(appearance, actions)
        self._picture = EmptyState(appearance, self)
        self._picture.step_requested.connect(self._step)
        self._picture.choice_made.connect(self._choose)
        self._is_waiting = False
        self._back = named("connection.start.back", QToolButton(self, autoRaise=True))
        self._back.clicked.connect(self.back_requested)
        self._again = named("connection.start.again", QToolButton(self, autoRaise=True))
        self._again.clicked.connect(self.again_requested)
        self._has_certificate = False
        self._failure: ErrorMessage | None = None
        self._progress = ("", "")
        self._status = self._create_status_page()
        self.addWidget(self.choices)
        self.addWidget(self._status)
        self.currentChanged.connect(self.attempt_changed)

    @property
    def failure(self) -> ErrorMessage | None:
        """The error that is shown, or None."""
        return self._failure if self.currentWidget() is self._status else None

    @property
    def is_connecting(self) -> bool:
        """Whether a running attempt is shown."""
        return self.currentWidget() is self._status and self._failure is None

    @property
    def attempt(self) -> str:
        """The title of the running attempt that is shown, such as *Connecting*, or an empty string."""
        return self._progress[0] if self.is_connecting else ""

    def show_choices(self) -> None:
        """Shows the choices, and focuses them."""
        self.setCurrentWidget(self.choices)
        self.choices.focus_first()

    def reset(self) -> None:
        """Shows the choices the next time, without taking the focus."""
        self.setCurrentWidget(self.choices)

    def show_connecting(self, title: str, text: str) -> None:
        """Shows a running attempt."""
        self._failure, self._progress, self._is_waiting = None, (title, text), False
        self._show_status()

    def show_waiting(self, redirect: str, is_open: bool) -> None:
        """Shows that the browser is waited for, if an attempt is running."""
        if self.is_connecting:
            self.show_connecting(tr("Waiting for the browser"), browser_wait(redirect, is_open=is_open))
            self._is_waiting = True
            self._show_status()

    def show_failure(self, message: ErrorMessage, *, has_certificate: bool = False) -> None:
        """Shows why a connection could not be opened or has ended.

        With ``has_certificate`` the certificate of the service can be shown.
        """
        self._failure, self._has_certificate, self._is_waiting = message, has_certificate, False
        self._show_status()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape goes back to the choices."""
        if event.key() == Qt.Key.Key_Escape and self.currentWidget() is self._status:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def _choose(self, place: int) -> None:
        (self.browser_requested, self.copy_requested)[place].emit()

    def _step(self) -> None:
        if self._failure is None:
            self.back_requested.emit()
        elif self._has_certificate:
            self.certificate_requested.emit()
        else:
            self.again_requested.emit()

    def _show_status(self) -> None:
        if self._failure is None:
            self._picture.show_state(EmptyStateKind.LOADING, *self._progress, tr("Cancel"))
            again, copy = tr("Open the browser again"), tr("Copy address")
            self._picture.show_choices((again, copy) if self._is_waiting else ())
        else:
            again, look = tr("Try again"), tr("Show certificate…")
            self._picture.show_failure(self._failure, look if self._has_certificate else again)
        self._back.setText(tr("Other ways to connect"))
        self._back.setToolTip(tr("Back to the choices (Esc)"))
        self._back.setVisible(self._failure is not None)
        self._again.setText(tr("Try again"))
        self._again.setVisible(self._failure is not None and self._has_certificate)
        self.setCurrentWidget(self._status)
        self._status.setFocus()
        self.attempt_changed.emit()

    def _create_status_page(self) -> QWidget:
        page = QWidget(self, autoFillBackground=True, focusPolicy=Qt.FocusPolicy.StrongFocus)
        page.setBackgroundRole(page.backgroundRole().Base)
        layout = lay_out(QVBoxLayout(page), self._picture, margins=(0, 0, 0, MARGIN), growing=self._picture)
        layout.addWidget(self._again, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._back, alignment=Qt.AlignmentFlag.AlignHCenter)
        return page
