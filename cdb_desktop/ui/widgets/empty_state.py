"""The pictures of a place that has nothing to show: empty, loading, failed and forbidden look different."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSpacerItem, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import paint_sign
from cdb_desktop.ui.theme.measures import GAP, GROUP, MARGIN, TIGHT, TITLE, scaled
from cdb_desktop.ui.widgets.buttons import FilledButton
from cdb_desktop.ui.widgets.help import FailureButtons
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_WIDTH = 460
_UNBOUND = 10_000
_SIGN = 48
_LEAST = 64  # pixels of height; below that parts are hidden
# (has sign, has large title, has text), in the order in which parts are hidden.
_LOOKS = ((True, True, True), (False, True, True), (False, False, True), (False, False, False))


class EmptyStateKind(Enum):
    """Why there is nothing to show; the value is the name of its color."""

    EMPTY = "muted"
    LOADING = "accent"
    FAILED = "danger"
    FORBIDDEN = "warning"


class EmptyState(QWidget):
    """Shown in place of content: a sign, a title, a sentence, perhaps choices, and at most one filled button.

    Signals: ``step_requested`` when the button is pressed · ``choice_made`` with the place of a choice ·
    ``explain_requested`` with the code of a failure.
    """

    step_requested = Signal()
    choice_made = Signal(int)
    explain_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign = _Sign(appearance, self)
        self._title = Label(self)
        self._text = Label(self)
        self._step = FilledButton(appearance, self)
        self._step.clicked.connect(self.step_requested)
        self._choices: list[QPushButton] = []
        self._more = FailureButtons(appearance, self)
        self._more.explain_requested.connect(self.explain_requested)
        self._layout = QVBoxLayout(self)
        self._gap = QSpacerItem(0, GROUP)
        self._arrange()

    @property
    def text(self) -> str:
        """The sentence."""
        return self._text.text()

    @property
    def step(self) -> str:
        """The text of the button, empty for none."""
        return self._step.text()

    def show_state(
        self, kind: EmptyStateKind, title: str, text: str, step: str = "", topic: str = ""
    ) -> None:
        """Shows a state; ``step`` is the text of the button, ``topic`` that of the help, empty for none."""
        self._sign.show_kind(kind)
        self._title.setText(title)
        self._text.setText(text)
        self._text.setMaximumWidth(_even_width(self._text))
        self._step.setText(step)
        self._step.setVisible(bool(step))
        self._more.show_failure(None)
        self._more.show_topic(topic)
        self.show_choices(())

    @property
    def choices(self) -> list[str]:
        """The texts of the choices."""
        return [button.text() for button in self._choices]

    def show_choices(self, texts: Sequence[str]) -> None:
        """Shows a button for each choice below the sentence of the state."""
        for button in self._choices:
            self._choice_rows.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._choices = [QPushButton(text, self) for text in texts]
        for place, button in enumerate(self._choices):
            button.setObjectName("empty.choice")
            button.clicked.connect(partial(self._choose, place))
            self._choice_rows.addWidget(button)
        self._fit()

    def _choose(self, place: int) -> None:
        self.choice_made.emit(place)

    def show_failure(
        self, message: ErrorMessage, step: str = "", kind: EmptyStateKind = EmptyStateKind.FAILED
    ) -> None:
        """Shows the message of an error with buttons to copy its details and to explain it."""
        self.show_state(kind, message.title, f"{message.text} {message.remedy}", step)
        self._more.show_failure(message)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Hides the sign first and then the text if there is not enough space."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().minimumSizeHint().width(), _LEAST)

    def _fit(self) -> None:
        for number in range(len(self._choices), -1, -1):
            for place, button in enumerate(self._choices):
                button.setVisible(place < number)
            for has_sign, is_large, has_text in _LOOKS:
                self._look(has_sign=has_sign, is_large=is_large, has_text=has_text)
                if self._layout.totalHeightForWidth(self.width()) <= self.height():
                    return

    def _look(self, *, has_sign: bool, is_large: bool, has_text: bool) -> None:
        self._sign.setVisible(has_sign)
        self._title.setFont(scaled(self.font(), TITLE if is_large else 1.0, QFont.Weight.Medium))
        self._text.setVisible(has_text)
        self._title.setToolTip("" if has_text else self._text.text())
        self._gap.changeSize(0, GROUP if is_large else TIGHT)
        above = MARGIN if has_sign else GAP if is_large else TIGHT
        self._layout.setContentsMargins(MARGIN, above, MARGIN, above)
        self._layout.setSpacing(GAP if is_large else TIGHT)
        self._layout.activate()  # otherwise its rows are computed for the previous contents

    def _arrange(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(self.backgroundRole().Base)
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setMaximumWidth(_WIDTH)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = self._layout
        layout.addStretch(2)
        layout.addLayout(_centred(self._sign))
        layout.addLayout(_centred(self._title))
        layout.addLayout(_centred(self._text))
        self._choice_rows = lay_out(QVBoxLayout(), spacing=TIGHT)
        choices = QHBoxLayout()
        choices.addStretch(1)
        choices.addLayout(self._choice_rows)
        choices.addStretch(1)
        layout.addLayout(choices)
        layout.addItem(self._gap)
        layout.addLayout(_centred(self._step))
        layout.addLayout(_centred(self._more))
        layout.addStretch(3)
        self._fit()


def _even_width(label: QLabel) -> int:
    """The narrowest width with the same number of lines, so that no single word is on the last one."""
    most = _size_in(label, _WIDTH)
    for width in range(_WIDTH // 2, _WIDTH, TIGHT):
        size = _size_in(label, width)
        if size.height() <= most.height() and size.width() <= width:
            return width
    return _WIDTH


def _size_in(label: QLabel, width: int) -> QSize:
    room = QRect(0, 0, width, _UNBOUND)
    return label.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, label.text()).size()


def _centred(widget: QWidget) -> QHBoxLayout:
    # With an alignment a label ignores heightForWidth.
    layout = QHBoxLayout()
    layout.addStretch(1)
    layout.addWidget(widget, stretch=100)
    layout.addStretch(1)
    return layout


class _Sign(QWidget):
    """○ for EMPTY, dots for LOADING, ! for FAILED, a lock for FORBIDDEN."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._kind = EmptyStateKind.EMPTY
        self.setFixedSize(QSize(_SIGN, _SIGN))

    def show_kind(self, kind: EmptyStateKind) -> None:
        self._kind = kind
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        color = getattr(self._appearance.tokens, self._kind.value)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_sign(painter, self._kind.name.lower(), color)
