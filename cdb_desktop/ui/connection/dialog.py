"""The sheet in which a connection is filled in, tried, opened and forgotten. Sends nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.form import ConnectionForm
from cdb_desktop.ui.connection.hint import Hint
from cdb_desktop.ui.connection.profile import Entry
from cdb_desktop.ui.connection.profile_list import EntryList
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, MARGIN
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_LIST, _HEIGHT = 220, 420
_LEAST = 200  # of the form, where there is little room
_TITLE_BAR = 32  # that the window manager may add


class ConnectionSheet(QDialog):
    """Escape ends what is under way, and closes the sheet when nothing is.

    Signals: ``connect_requested`` and ``test_requested`` with a Filled · ``chosen`` and ``forgotten`` with an
    Entry of the list · ``given_up`` when what is under way is to end · ``check_requested`` with a Filled
    the files of which may have changed · ``certificate_requested`` when the certificate that was not accepted
    is to be shown.
    """

    connect_requested = Signal(object)
    test_requested = Signal(object)
    chosen = Signal(object)
    forgotten = Signal(object)
    given_up = Signal()
    check_requested = Signal(object)
    certificate_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("connection.sheet")
        self.entries = EntryList(appearance, self)
        self.entries.setObjectName("connection.sheet.entries")
        self.form = ConnectionForm(appearance, self)
        self.outcome = Hint(appearance, self)
        self.outcome.setObjectName("connection.sheet.outcome")
        self._new, self._test, self._cancel = (QPushButton(self) for _ in range(3))
        self.show_certificate = named("connection.sheet.certificate.show", QPushButton(self))
        self._connect = FilledButton(appearance, self)
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus of the fields
        self._is_busy = False
        self._arrange()
        self._wire()
        self._retranslate()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Shows the remembered connections at the left; without any there is no list."""
        self.entries.show_entries(entries)
        self.entries.setVisible(bool(entries))
        self._new.setVisible(bool(entries))

    def ask(self, entry: Entry) -> None:
        """Opens with the fields of ``entry`` filled in."""
        self.show_idle()
        self.form.show_entry(entry)
        self.entries.point_at(entry)
        self.outcome.show_hint("muted", "")
        self.open()
        self._fit()
        self.form.take_focus()

    def show_busy(self, text: str) -> None:
        """Something is under way; the fields rest."""
        self._is_busy = True
        self.show_certificate.hide()
        self.form.setEnabled(False)
        self.entries.setEnabled(False)
        self.outcome.show_hint("muted", text)
        self._settle()

    def show_idle(self) -> None:
        """Nothing is under way."""
        self._is_busy = False
        self.show_certificate.hide()
        self.form.setEnabled(True)
        self.entries.setEnabled(True)
        self._settle()

    def show_outcome(self, text: str) -> None:
        """Says what the service has answered."""
        self.show_idle()
        self.outcome.show_hint("good", text)

    def show_failure(self, place: str, said: ErrorMessage, *, has_certificate: bool = False) -> None:
        """Says why it did not work, at the field ``place``, or at the foot if it is no field's fault.

        With ``has_certificate`` it offers to show the certificate of the service.
        """
        self.show_idle()
        self.show_certificate.setVisible(has_certificate)
        text = f"{said.title}. {said.text} {said.remedy}"
        if place:
            self.outcome.show_hint("muted", "")
            self.form.show_failure(place, text)
        else:
            self.outcome.show_hint("danger", text)
        self._fit()

    def reject(self) -> None:
        """One step back."""
        if self._is_busy:
            self.show_idle()
            self.outcome.show_hint("muted", "")
            self.given_up.emit()
        else:
            super().reject()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _wire(self) -> None:
        self.form.changed.connect(self._settle)
        self.form.resized.connect(self._fit)
        self.form.network.finished.connect(self._request_check)
        self.show_certificate.clicked.connect(self.certificate_requested)
        self.entries.itemClicked.connect(lambda _item: self._choose())
        self.entries.currentItemChanged.connect(lambda _now, _before: self._choose())
        self.entries.itemDoubleClicked.connect(lambda _item: self._connect.click())
        self.entries.opened.connect(lambda _entry: self._connect.click())
        self.entries.changed.connect(self.chosen)
        self.entries.forgotten.connect(self.forgotten)
        self._new.clicked.connect(self._begin_anew)
        self._test.clicked.connect(lambda: self.test_requested.emit(self.form.filled))
        self._connect.clicked.connect(lambda: self.connect_requested.emit(self.form.filled))
        self._cancel.clicked.connect(self.reject)

    def _request_check(self) -> None:
        # Whoever closes the sheet leaves a field, too.
        if self.isVisible():
            self.check_requested.emit(self.form.filled)

    def _choose(self) -> None:
        if self.isVisible() and self.entries.current is not None:
            self.outcome.show_hint("muted", "")
            self.chosen.emit(self.entries.current)

    def _begin_anew(self) -> None:
        self.entries.setCurrentRow(-1)
        self.form.show_entry(Entry(""))
        self.form.take_focus()

    def _settle(self) -> None:
        self._connect.setEnabled(self.form.is_complete and not self._is_busy)
        self._test.setEnabled(self.form.is_reachable and not self._is_busy)
        self._new.setEnabled(not self._is_busy)

    def _fit(self) -> None:
        """Becomes as high as the form needs, as far as the screen allows; the rest is scrolled to."""
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

    def _retranslate(self) -> None:
        self.setWindowTitle(tr("Connect to a service"))
        self._new.setText(tr("Ne&w connection"))
        self._test.setText(tr("&Test"))
        self._test.setToolTip(tr("Test the address and the sign-in"))
        self.show_certificate.setText(tr("Sh&ow certificate…"))
        self._cancel.setText(tr("Cancel"))
        self._connect.setText(tr("Connect"))
        self.entries.setAccessibleName(tr("Connections"))
        self._settle()

    def _arrange(self) -> None:
        names = {"new": self._new, "test": self._test, "cancel": self._cancel, "connect": self._connect}
        for name, button in names.items():
            button.setObjectName(f"connection.sheet.{name}")
        for button in (self._new, self._test, self._cancel, self.show_certificate):
            button.setAutoDefault(False)
        self._connect.setDefault(True)
        self.show_certificate.hide()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self._scroll.setWidget(self.form)
        self._scroll.setMinimumWidth(self.form.minimumSizeHint().width() + GROUP)
        self.entries.setFixedWidth(_LIST)
        left = QVBoxLayout()
        left.setSpacing(GAP)
        left.addWidget(self.entries, stretch=1)
        foot = QHBoxLayout()
        foot.addStrut(self._connect.sizeHint().height())  # on one line with the buttons at the right
        foot.addWidget(self._new)
        left.addLayout(foot)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self._test)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._connect)
        right = QVBoxLayout()
        right.setSpacing(GROUP)
        right.addWidget(self._scroll, stretch=1)
        right.addWidget(self.show_certificate, alignment=Qt.AlignmentFlag.AlignLeft)
        right.addWidget(self.outcome)
        right.addLayout(buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(MARGIN)
        layout.addLayout(left)
        layout.addLayout(right)
        self.setMinimumHeight(_HEIGHT)
        self.setWindowModality(Qt.WindowModality.WindowModal)
