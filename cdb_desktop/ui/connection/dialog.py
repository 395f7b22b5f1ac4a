"""The dialog in which connections are entered, tested, opened and forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.browser_buttons import BrowserButtons
from cdb_desktop.ui.connection.form import ConnectionForm
from cdb_desktop.ui.connection.messages import browser_wait
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.connection.profile_list import ProfileList
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, MARGIN
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.help import HelpButton, help_on_f1, topic_of_failure
from cdb_desktop.ui.widgets.labels import Hint
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_LIST, _HEIGHT = 220, 420
_LEAST = 200  # pixels of the form on small screens
_TITLE_BAR = 32  # pixels that the window manager may add


class ConnectionDialog(QDialog):
    """Escape cancels a running attempt, or closes the dialog.

    Signals: ``connect_requested``, ``test_requested``, and ``check_requested`` when certificate files may
    have changed, each with a ConnectionInput · ``chosen`` and ``forgotten`` with a ConnectionProfile of the
    list · ``cancel_requested`` when the running attempt is to end · ``certificate_requested`` to show the
    certificate that was not accepted · ``look_requested`` with a ConnectionInput to find out which service
    answers.
    """

    connect_requested = Signal(object)
    test_requested = Signal(object)
    chosen = Signal(object)
    forgotten = Signal(object)
    cancel_requested = Signal()
    check_requested = Signal(object)
    certificate_requested = Signal()
    look_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connection.dialog")
        self.profiles = named("connection.dialog.entries", ProfileList(appearance, self))
        self.form = ConnectionForm(appearance, self)
        self.outcome = named("connection.dialog.outcome", Hint(appearance, self))
        self._new, self._test, self._cancel = (QPushButton(self) for _ in range(3))
        self.show_certificate = named(
            "connection.dialog.certificate.show", QPushButton(tr("Sh&ow certificate…"), self)
        )
        self.browser = BrowserButtons("connection.dialog", self)
        self._help = named("connection.dialog.help", HelpButton(appearance, self))
        help_on_f1(self)
        self._connect = FilledButton(appearance, self)
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the field that has the focus
        self._is_busy = False
        self._create_layout()
        self._connect_signals()
        self.setWindowTitle(tr("Connect to a service"))
        self._new.setText(tr("Ne&w connection"))
        self._test.setText(tr("&Test"))
        self._test.setToolTip(tr("Test the address and the sign-in"))
        self._cancel.setText(tr("Cancel"))
        self._connect.setText(tr("Connect"))
        self.profiles.setAccessibleName(tr("Connections"))
        self._update_buttons()

    def show_profiles(self, profiles: Sequence[ConnectionProfile]) -> None:
        """Shows the remembered connections at the left; hides the list if it is empty."""
        self.profiles.show_profiles(profiles)
        self.profiles.setVisible(bool(profiles))
        self._new.setVisible(bool(profiles))

    def open_profile(self, profile: ConnectionProfile) -> None:
        """Opens the dialog with the fields of ``profile``."""
        self.show_idle()
        self.form.show_profile(profile)
        self.profiles.select(profile)
        self.outcome.show_hint("muted", "")
        self.open()
        self._fit()
        self.form.focus_first()

    def show_busy(self, text: str) -> None:
        """Disables the fields during an attempt, which ``text`` describes."""
        self._is_busy = True
        self._hide_buttons()
        self.form.setEnabled(False)
        self.profiles.setEnabled(False)
        self.outcome.show_hint("muted", text)
        self._update_buttons()

    def show_waiting(self, redirect: str, is_open: bool) -> None:
        """Shows that the browser is waited for, if an attempt is running."""
        if self.isVisible() and self._is_busy:
            self.outcome.show_hint("muted", browser_wait(redirect, is_open=is_open))
            self.browser.show()
            self._fit()

    def show_idle(self) -> None:
        """Enables the fields after an attempt."""
        self._is_busy = False
        self._help.topic = ""
        self._hide_buttons()
        self.form.setEnabled(True)
        self.profiles.setEnabled(True)
        self._update_buttons()

    def show_outcome(self, text: str) -> None:
        """Shows the result of a test."""
        self.show_idle()
        self.outcome.show_hint("good", text)

    def show_failure(self, place: str, message: ErrorMessage, *, has_certificate: bool = False) -> None:
        """Shows an error below the field ``place``, or at the bottom if ``place`` is empty.

        With ``has_certificate`` the certificate of the service can be shown.
        """
        self.show_idle()
        self.show_certificate.setVisible(has_certificate)
        self._help.topic = topic_of_failure(message)
        text = f"{message.title}. {message.text} {message.remedy}"
        if place:
            self.outcome.show_hint("muted", "")
            self.form.show_failure(place, text)
        else:
            self.outcome.show_hint("danger", text)
        self._fit()

    def reject(self) -> None:
        """Cancels the running attempt, or closes the dialog."""
        if self._is_busy:
            self.show_idle()
            self.outcome.show_hint("muted", "")
            self.cancel_requested.emit()
        else:
            super().reject()

    def _connect_signals(self) -> None:
        self.form.changed.connect(self._update_buttons)
        self.form.resized.connect(self._fit)
        self.form.network.finished.connect(self._request_check)
        self.form.look_requested.connect(self._request_look)
        self.show_certificate.clicked.connect(self.certificate_requested)
        self.profiles.itemClicked.connect(lambda _item: self._choose())
        self.profiles.currentItemChanged.connect(lambda _now, _before: self._choose())
        self.profiles.itemDoubleClicked.connect(lambda _item: self._connect.click())
        self.profiles.opened.connect(lambda _profile: self._connect.click())
        self.profiles.changed.connect(self.chosen)
        self.profiles.forgotten.connect(self.forgotten)
        self._new.clicked.connect(self._start_new)
        self._test.clicked.connect(lambda: self.test_requested.emit(self.form.entered))
        self._connect.clicked.connect(lambda: self.connect_requested.emit(self.form.entered))
        self._cancel.clicked.connect(self.reject)

    def _hide_buttons(self) -> None:
        self.show_certificate.hide()
        self.browser.hide()

    def _request_check(self) -> None:
        # Closing the dialog finishes a field, too.
        if self.isVisible():
            self.check_requested.emit(self.form.entered)

    def _request_look(self) -> None:
        if self.isVisible() and not self._is_busy:
            self.look_requested.emit(self.form.entered)

    def _choose(self) -> None:
        if self.isVisible() and self.profiles.current is not None:
            self.outcome.show_hint("muted", "")
            self.chosen.emit(self.profiles.current)

    def _start_new(self) -> None:
        self.profiles.setCurrentRow(-1)
        self.form.show_profile(ConnectionProfile(""))
        self.form.focus_first()

    def _update_buttons(self) -> None:
        self._connect.setEnabled(self.form.is_complete and not self._is_busy)
        self._test.setEnabled(self.form.is_reachable and not self._is_busy)
        self._new.setEnabled(not self._is_busy)

    def _fit(self) -> None:
        """Resizes to the height of the form, as far as the screen allows; the form scrolls otherwise."""
        self.form.adjustSize()
        layout = self.form.layout()
        needed = self.form.sizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            needed = layout.totalHeightForWidth(self._scroll.viewport().width())
        self._scroll.setMinimumHeight(min(needed, _LEAST))
        others = self.height() - self._scroll.height()
        screen = self.screen().availableGeometry()
        height = min(max(needed + others, _HEIGHT), screen.height() - _TITLE_BAR)
        if self.isVisible() and height != self.height():
            self.resize(self.width(), height)
            self.move(self.x(), max(screen.top(), min(self.y(), screen.bottom() - height - _TITLE_BAR)))

    def _create_layout(self) -> None:
        names = {"new": self._new, "test": self._test, "cancel": self._cancel, "connect": self._connect}
        for name, button in names.items():
            button.setObjectName(f"connection.dialog.{name}")
        for button in (self._new, self._test, self._cancel, self.show_certificate):
            button.setAutoDefault(False)
        self._connect.setDefault(True)
        self._hide_buttons()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self.form)
        self._scroll.setMinimumWidth(self.form.minimumSizeHint().width() + GROUP)
        self.profiles.setFixedWidth(_LIST)
        foot = QHBoxLayout()
        foot.addStrut(self._connect.sizeHint().height())  # aligned with the buttons at the right
        foot.addWidget(self._new)
        left = lay_out(QVBoxLayout(), self.profiles, foot, spacing=GAP, growing=self.profiles)
        buttons = lay_out(QHBoxLayout(), self._help, self._test, spacing=GAP)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._connect)
        right = lay_out(QVBoxLayout(), self._scroll, spacing=GROUP, growing=self._scroll)
        right.addWidget(self.show_certificate, alignment=Qt.AlignmentFlag.AlignLeft)
        right.addWidget(self.outcome)
        right.addWidget(self.browser)
        right.addLayout(buttons)
        lay_out(QHBoxLayout(self), left, right, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=MARGIN)
        self.setMinimumHeight(_HEIGHT)
        self.setWindowModality(Qt.WindowModality.WindowModal)
