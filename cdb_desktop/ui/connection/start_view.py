"""What is seen before there is a connection: the ways in, the way there, or why it ended. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.connection.start_choices import StartChoices
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import MARGIN
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.vocabulary.error_messages import ErrorMessage


class StartView(QStackedWidget):
    """The page without a connection.

    Signals: ``again_requested`` when a failed way is to be tried again · ``back_requested`` when the user
    goes back to the choices, from a way that is under way too · ``certificate_requested`` when the
    certificate that was not accepted is to be shown.
    """

    again_requested = Signal()
    back_requested = Signal()
    certificate_requested = Signal()

    def __init__(self, appearance: Appearance, actions: Actions) -> None:
        super().__init__()
        self.setObjectName("connection.start")
        self.choices = StartChoices(appearance, actions)
        self._picture = EmptyState(appearance, self)
        self._picture.step_requested.connect(self._step)
        self._back = QToolButton(self, autoRaise=True)
        self._back.setObjectName("connection.start.back")
        self._back.clicked.connect(self.back_requested)
        self._again = QToolButton(self, autoRaise=True)
        self._again.setObjectName("connection.start.again")
        self._again.clicked.connect(self.again_requested)
        self._has_certificate = False
        self._said: ErrorMessage | None = None
        self._told = ("", "")
        self._way = self._framed()
        self.addWidget(self.choices)
        self.addWidget(self._way)

    @property
    def failure(self) -> ErrorMessage | None:
        """Why there is no connection, as it is shown."""
        return self._said if self.currentWidget() is self._way else None

    @property
    def is_connecting(self) -> bool:
        """Whether a connection is shown to be on its way."""
        return self.currentWidget() is self._way and self._said is None

    def show_choices(self) -> None:
        """Nothing is connected, and nothing is on its way."""
        self.setCurrentWidget(self.choices)
        self.choices.take_focus()

    def rest(self) -> None:
        """What was on its way is there: whoever comes back here finds the choices. Takes no focus."""
        self.setCurrentWidget(self.choices)

    def show_connecting(self, title: str, text: str) -> None:
        """A connection is on its way."""
        self._said, self._told = None, (title, text)
        self._show_picture()

    def show_failure(self, said: ErrorMessage, *, has_certificate: bool = False) -> None:
        """The connection did not come about or has ended.

        With ``has_certificate`` the next step is to look at the certificate of the service.
        """
        self._said, self._has_certificate = said, has_certificate
        self._show_picture()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape goes back to the choices."""
        if event.key() == Qt.Key.Key_Escape and self.currentWidget() is self._way:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self.currentWidget() is self._way:
            self._show_picture()

    def _step(self) -> None:
        if self._said is None:
            self.back_requested.emit()
        elif self._has_certificate:
            self.certificate_requested.emit()
        else:
            self.again_requested.emit()

    def _show_picture(self) -> None:
        translate = QCoreApplication.translate
        if self._said is None:
            self._picture.show_state(EmptyStateKind.LOADING, *self._told, translate("Connection", "Cancel"))
        else:
            again, look = translate("Connection", "Try again"), translate("Connection", "Show certificate…")
            self._picture.show_failure(self._said, look if self._has_certificate else again)
        self._back.setText(translate("Connection", "Other ways to connect"))
        self._back.setToolTip(translate("Connection", "Back to the choices (Esc)"))
        self._back.setVisible(self._said is not None)
        self._again.setText(translate("Connection", "Try again"))
        self._again.setVisible(self._said is not None and self._has_certificate)
        self.setCurrentWidget(self._way)
        self._way.setFocus()

    def _framed(self) -> QWidget:
        page = QWidget(self)
        page.setAutoFillBackground(True)
        page.setBackgroundRole(page.backgroundRole().Base)
        page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, MARGIN)
        layout.setSpacing(0)
        layout.addWidget(self._picture, stretch=1)
        layout.addWidget(self._again, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._back, alignment=Qt.AlignmentFlag.AlignHCenter)
        return page
