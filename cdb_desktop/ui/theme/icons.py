"""Icons, rendered from SVG: those of one color in the color of the theme, and the application's own."""

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.ui.theme.appearance import Appearance


def icon(name: str, appearance: Appearance, checked: str = "") -> QIcon:
    """The icon ``resources/icons/<name>.svg``, which follows changes of the theme.

    ``checked`` is the name of another one for the checked state.
    """
    return QIcon(_Engine(_picture(name), _picture(checked or name), appearance))


def paint_sign(painter: QPainter, name: str, color: str) -> None:
    """Fills the device of a painter with ``resources/icons/signs/<name>.svg``."""
    tinted = _picture(f"signs/{name}").replace("currentColor", color)
    QSvgRenderer(QByteArray(tinted.encode())).render(painter)


def application_icon() -> QIcon:
    """The icon of the application's windows; nothing is rendered before a platform asks for it."""
    return QIcon(_ApplicationEngine())


@cache
def _picture(name: str) -> str:
    return resource(f"icons/{name}.svg").read_text("utf-8")


class _Engine(QIconEngine):
    def __init__(self, picture: str, checked: str, appearance: Appearance) -> None:
        super().__init__()
        self._pictures = {QIcon.State.Off: picture, QIcon.State.On: checked}
        self._appearance = appearance
        self._renderers: dict[str, QSvgRenderer] = {}
        # Buttons request it with every repaint.
        self._pixmaps: dict[tuple[str, int, int, QIcon.Mode], QPixmap] = {}

    def clone(self) -> QIconEngine:
        off, on = self._pictures.values()
        return _Engine(off, on, self._appearance)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        tinted = self._tinted(mode, state)
        if tinted not in self._renderers:
            self._renderers[tinted] = QSvgRenderer(QByteArray(tinted.encode()))
        # The caller uses the painter after this.
        painter.save()
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(0.5)
        self._renderers[tinted].render(painter, QRectF(rect))
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        kind = (self._tinted(mode, state), size.width(), size.height(), mode)
        if kind not in self._pixmaps:
            made = QPixmap(size)
            made.fill(Qt.GlobalColor.transparent)
            with QPainter(made) as painter:
                self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
            self._pixmaps[kind] = made
        return self._pixmaps[kind]

    def _tinted(self, mode: QIcon.Mode, state: QIcon.State) -> str:
        return self._pictures[state].replace("currentColor", self._color(mode, state))

    def _color(self, mode: QIcon.Mode, state: QIcon.State) -> str:
        tokens = self._appearance.tokens
        if mode == QIcon.Mode.Disabled:
            return tokens.muted
        return tokens.accent if state == QIcon.State.On else tokens.text


class _ApplicationEngine(QIconEngine):
    """Renders one of the pictures in ``resources/icons/application``, which differ in detail."""

    def clone(self) -> QIconEngine:
        return _ApplicationEngine()

    def availableSizes(  # noqa: N802
        self,
        mode: QIcon.Mode = QIcon.Mode.Normal,  # noqa: ARG002
        state: QIcon.State = QIcon.State.Off,  # noqa: ARG002
    ) -> list[QSize]:
        """The sizes that are given to the window manager."""
        return [QSize(side, side) for side in (16, 24, 32, 48, 64, 128)]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:  # noqa: ARG002
        painter.drawPixmap(rect, _application_pixmap(rect.width(), rect.height()))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:  # noqa: ARG002
        return _application_pixmap(size.width(), size.height())


@cache
def _application_pixmap(width: int, height: int) -> QPixmap:
    # Cached, since some platforms ask for all sizes with every dialog.
    made = QPixmap(width, height)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        QSvgRenderer(str(resource(application_picture(width)))).render(painter, QRectF(made.rect()))
    return made


def application_picture(side: int) -> str:
    """The resource that is drawn for this width and height in pixels."""
    name = "large" if side >= 48 else "medium" if side in (22, 24) else "small"
    return f"icons/application/{name}.svg"
