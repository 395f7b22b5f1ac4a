"""Progress of running work."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPainterPath, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, tabular
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.layout import lay_out

_WIDTH, _HEIGHT = 80, 6
_WHOLE = 1000
_STEP = 40  # milliseconds
_TURN = 30  # steps from one end to the other
_PIECES = 3  # at rest, so that it is taken neither for nothing nor for all

_BUTTON = 24


class ProgressBar(QProgressBar):
    """A thin progress bar; Fusion's own looks empty or full at this size while the progress is unknown."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent, textVisible=False, minimum=0, maximum=0)
        self.setFixedSize(_WIDTH, _HEIGHT)
        self._appearance = appearance
        self._turn = 0
        self._steps = QTimer(self, interval=_STEP)
        self._steps.timeout.connect(self._move)
        appearance.changed.connect(self.update)

    def show_done(self, done: float | None) -> None:
        """Shows the progress from 0 to 1; None while it is unknown."""
        self.setMaximum(0 if done is None else _WHOLE)
        self.setValue(0 if done is None else round(done * _WHOLE))
        self._settle()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._settle()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._steps.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens, whole = self._appearance.tokens, QRectF(self.rect())
        outline = QPainterPath()
        outline.addRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), _HEIGHT / 2, _HEIGHT / 2)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipPath(outline)
            for first, width in self._filled():
                done = QRectF(first * _WIDTH, 0, width * _WIDTH, _HEIGHT)
                painter.fillRect(done, QColor(tokens.accent))
            painter.setClipping(False)
            painter.setPen(QColor(tokens.edge))
            painter.drawPath(outline)

    def _filled(self) -> list[tuple[float, float]]:
        """The filled parts: start and width as fractions."""
        if self.maximum():
            return [(0, self.value() / _WHOLE)]
        width = 1 / (2 * _PIECES - 1)
        if not self._steps.isActive():
            return [(2 * place * width, width) for place in range(_PIECES)]
        # It re-enters at the left.
        first = self._turn / _TURN
        return [(first, 2 * width), (first - 1, 2 * width)]

    def _move(self) -> None:
        self._turn = (self._turn + 1) % _TURN
        self.update()

    def _settle(self) -> None:
        moves = self.isVisible() and not self.maximum() and self._appearance.duration(_STEP) > 0
        if moves != self._steps.isActive():
            (self._steps.start if moves else self._steps.stop)()
        self.update()


class TaskProgress(QWidget):
    """One running task: title, progress and a button to cancel it.

    Signals: ``cancel_requested`` when the button is pressed.
    """

    cancel_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Elided, so that several do not make the window wider than the screen.
        self._title = ElidedLabel(self)
        self._title.setFont(tabular(self.font()))
        self._progress = ProgressBar(appearance, self)
        self._cancel = IconButton(icon("close", appearance), "", self)
        self._cancel.setFixedSize(_BUTTON, _BUTTON)
        self._cancel.clicked.connect(self.cancel_requested)
        lay_out(QHBoxLayout(self), self._title, self._progress, self._cancel, spacing=GAP)

    def show_work(self, title: str, done: float | None) -> None:
        """Shows the progress from 0 to 1; None while it is unknown."""
        self._title.setText(title)
        self._progress.show_done(done)
        self._progress.setAccessibleName(title)
        # There may be several of these buttons side by side.
        end = tr("Cancel: {title}", title=title)
        self._cancel.setToolTip(end)
        self._cancel.setAccessibleName(end)
