"""Runs the program with demo data and saves pictures of it for README and the manual.

`packaging/screenshots` starts it with a temporary home folder and a screen. `scenes.py` has what they show.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeVar

import qasync
from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, QSettings, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QImage, QPainter, QPen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QLineEdit, QTabBar, QWidget
from scenes import SETS, Scene

from cdb_desktop.app.application import Application
from cdb_desktop.app.folders import UserFolders, user_folders
from cdb_desktop.app.options import Options
from cdb_desktop.app.startup import process_clock
from cdb_desktop.ui.shell.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
README, MANUAL = ROOT / "packaging" / "pictures", ROOT / "resources" / "manual" / "pictures"
STRUCTURES = ROOT / "tests" / "manual" / "pictures"
_FONT, _POINTS = "DejaVu Sans", 9
_FRAME = "#8C959F"
_HOME = str(Path("/home") / "mia")
_SECONDS, _REST, _MOST_RESTS = 60.0, 0.15, 10
_NEWER = "events.newer"
_MARGIN = 8  # pixels around small parts of a window
_PAD = 24  # pixels for numbers beside what is shown
_LARGE = 60  # pixels of a widget in which there is a place for a number
_RADIUS, _MARK = 10, "#B3125A"
_TEXT = 32  # difference of shades from which on something is rather a text than a line
_LATER = 200  # ink for which a place that is less preferred is taken
_COLORS, _LEAST = 256, 8  # of a picture, and the least difference of two of them

Found = TypeVar("Found", bound=QObject)
Structure = list[list[str]]


class PictureError(Exception):
    """A picture cannot be made; the message contains the reason."""


def main() -> int:
    """Makes the pictures of a set; returns 1 with a message on standard error if one cannot be made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--structure", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("cdb-desktop")
    app.setQuitOnLastWindowClosed(False)
    app.setCursorFlashTime(0)
    app.setFont(QFont(_FONT, _POINTS))
    try:
        if given.structure is None:
            _check_typeface(app)
        with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
            pictures = runner.run(_taken(app, user_folders(), given.set, draws=given.structure is None))
        if given.structure is None:
            _save(README if given.set == "readme" else MANUAL / given.set, pictures)
        if given.set != "readme":
            _write_structures(given.structure or STRUCTURES, given.set, pictures)
    except PictureError as error:
        print(f"screenshots: {error}", file=sys.stderr)
        return 1
    return 0


def _check_typeface(app: QApplication) -> None:
    if QFontInfo(app.font()).family() != _FONT:
        raise PictureError(f"The typeface {_FONT} is not installed.")


class Picture:
    """What a scene shows: an image, and its structure."""

    def __init__(self, image: QImage, structure: Structure) -> None:
        self.image, self.structure = image, structure


async def _taken(app: QApplication, own: UserFolders, name: str, *, draws: bool) -> dict[str, Picture]:
    settings = QSettings(str(own.settings / "cdb-desktop.ini"), QSettings.Format.IniFormat)
    language = "en" if name == "readme" else name
    # Animations would be captured in intermediate states.
    for key, value in {"appearance": "light", "motion": "none", "language": language}.items():
        settings.setValue(key, value)
    for page in ("events", "schema", "live"):
        settings.setValue(f"manual/first_steps_{page}", False)
    program = Application(app, Options(), own, process_clock())
    running = asyncio.create_task(program.main(None))
    try:
        stage = Stage(next(one for one in app.topLevelWidgets() if isinstance(one, MainWindow)))
        return {scene.name: await stage.take(scene, draws=draws) for scene in SETS[name]}
    finally:
        for widget in app.topLevelWidgets():
            widget.close()
        await running


class Stage:
    """The running program, as scenes use it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    async def take(self, scene: Scene, *, draws: bool) -> Picture:
        """Reaches a scene and takes its picture. Raises PictureError."""
        self.window.setFixedSize(*scene.size)
        try:
            await scene.reach(self)
            # Replaces the temporary folder in texts.
            for widget in self._widgets():
                if isinstance(widget, QLabel | QLineEdit) and str(Path.home()) in widget.text():
                    widget.blockSignals(True)
                    widget.setText(widget.text().replace(str(Path.home()), _HOME))
                    widget.blockSignals(False)
            picture = await self._settled(scene, draws=draws)
        except PictureError as error:
            raise PictureError(f"{scene.name}: {error}") from error
        self.close()
        return picture

    def close(self) -> None:
        """Closes all popups and dialogs."""
        self.close_popups()
        palette = [one for one in self._widgets() if one.objectName() == "palette"]
        for widget in (*palette, *self._others()):
            widget.close()

    def run(self, name: str) -> None:
        """Triggers an action."""
        action = self.window.actions_by_name[name]
        if not action.isEnabled():
            raise PictureError(f"The action {name!r} is not possible.")
        action.trigger()

    def check(self, name: str, *, on: bool = True) -> None:
        """Checks an action, or unchecks it."""
        self.window.actions_by_name[name].setChecked(on)

    async def rest(self) -> None:
        """Lets layouts and pictures follow."""
        await asyncio.sleep(_REST)

    def close_popups(self) -> None:
        """Closes menus and other popups."""
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()

    async def part(self, name: str, kind: type[Found] = QWidget) -> Found:  # type: ignore[assignment]
        """Waits for a visible widget by its object name."""
        found: list[QObject] = []

        def search() -> bool:
            found[:] = [one for one in self._widgets() if one.objectName() == name and isinstance(one, kind)]
            return bool(found)

        await self.until(search, f"there is no {name!r}.")
        return found[0]  # type: ignore[return-value]

    async def appears(self, kind: type[Found]) -> Found:
        """Waits for an object of the window by its class."""
        await self.until(lambda: bool(self.window.findChildren(kind)), f"there is no {kind.__name__}.")
        return self.window.findChildren(kind)[0]

    async def until(self, seen: Callable[[], bool], otherwise: str) -> None:
        """Waits for a condition. Raises PictureError with ``otherwise`` after some time."""
        end = asyncio.get_running_loop().time() + _SECONDS
        while not seen():
            if asyncio.get_running_loop().time() > end:
                raise PictureError(otherwise)
            await asyncio.sleep(0.05)

    async def type(self, name: str, text: str, key: Qt.Key = Qt.Key.Key_unknown) -> None:
        """Types a text into a field, and then ``key``."""
        field: QWidget = await self.part(name)
        field.setFocus()
        QTest.keyClicks(field, text)
        if key is not Qt.Key.Key_unknown:
            QTest.keyClick(field, key)

    async def click(self, name: str) -> None:
        """Clicks a button."""
        (await self.part(name, QAbstractButton)).click()

    async def _settled(self, scene: Scene, *, draws: bool) -> Picture:
        """The picture when it does not change any more."""
        for name in (*scene.subject, *scene.numbers):
            await self.part(name)
        picture = self._taken(scene, draws=draws)
        for _ in range(_MOST_RESTS):
            await self.rest()
            before, picture = picture, self._taken(scene, draws=draws)
            if picture.structure == before.structure and picture.image == before.image:
                break
        if draws:
            self._number(scene, picture.image)
        return picture

    def _taken(self, scene: Scene, *, draws: bool) -> Picture:
        for button in [one for one in self._widgets() if one.objectName() == _NEWER]:
            button.hide()  # it appears when the demo has been running for some time
        area = self._area(scene)
        tops = {self._named(name).window() for name in scene.subject} or {self.window, *self._others()}
        parts = [one for one in self._widgets() if one.window() in tops and area.intersects(_rect(one))]
        rows = [[one.objectName(), *_texts(one)] for one in parts]
        structure = sorted(row for row in rows if (row[0] and not row[0].startswith("qt_")) or row[1:])
        image = QImage()
        if draws:
            ratio = self.window.devicePixelRatio()
            image = QImage(area.size() * ratio, QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(ratio)
            image.fill(self.window.palette().window().color())
            with QPainter(image) as painter:
                painter.translate(-area.topLeft())
                painter.setClipRect(area.adjusted(_PAD, scene.above, -_PAD, 0) if scene.subject else area)
                for widget in (self.window, *self._others()):
                    painter.drawPixmap(_rect(widget).topLeft(), widget.grab())
                    if isinstance(widget, QDialog):
                        # The line replaces the frame of the window manager.
                        painter.setPen(QColor(_FRAME))
                        painter.drawRect(_rect(widget).adjusted(0, 0, -1, -1))
        return Picture(image, [*structure, ["numbers", *scene.numbers]])

    def _area(self, scene: Scene) -> QRect:
        """What is shown, as a part of the screen."""
        for dialog in self._others():
            if isinstance(dialog, QDialog):
                # Where a window manager would place it.
                room = self.window.size() - dialog.size()
                dialog.move(self.window.pos() + QPoint(room.width(), room.height()) / 2)
        if not scene.subject:
            return _rect(self.window)
        area = QRect()
        for widget in map(self._named, scene.subject):
            margin = _MARGIN if widget.height() < _LARGE else 0
            area = area.united(_rect(widget).adjusted(-margin, -margin, margin, margin))
        inside = _rect(self.window)
        for widget in self._others():
            inside = inside.united(_rect(widget))
        return area.intersected(inside).adjusted(-_PAD, -scene.above, _PAD, 0)

    def _number(self, scene: Scene, image: QImage) -> None:
        """Draws the numbers, where they cover the least."""
        area, taken = self._area(scene), list[QPointF]()
        plain = image.copy()
        room = QRectF(QPointF(0, 0), area.size().toSizeF()).adjusted(_RADIUS, _RADIUS, -_RADIUS, -_RADIUS)
        for number, name in enumerate(scene.numbers, 1):
            target = QRectF(_rect(self._named(name)).intersected(area).translated(-area.topLeft()))
            places = [one for one in _places(target) if room.contains(one)]
            free = [one for one in places if all((one - other).manhattanLength() > 30 for other in taken)]
            if not free:
                raise PictureError(f"there is no place for the number of {name!r}.")
            taken.append(min(free, key=lambda place: _ink(plain, place) + _LATER * places.index(place)))
            with QPainter(image) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(Qt.GlobalColor.white, 2))
                painter.setBrush(QColor(_MARK))
                painter.drawEllipse(taken[-1], _RADIUS, _RADIUS)
                painter.setFont(QFont(_FONT, _POINTS, QFont.Weight.Bold))
                circle = QRectF(-_RADIUS, -_RADIUS, 2 * _RADIUS, 2 * _RADIUS).translated(taken[-1])
                painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(number))

    def _others(self) -> list[QWidget]:
        """Dialogs and popups, the uppermost last."""
        tops = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not self.window]
        return sorted(tops, key=lambda one: not isinstance(one, QDialog))

    def _named(self, name: str) -> QWidget:
        return next(one for one in self._widgets() if one.objectName() == name)

    def _widgets(self) -> Iterator[QWidget]:
        for top in (*reversed(self._others()), self.window):
            yield top
            yield from (one for one in top.findChildren(QWidget) if one.isVisible() and one.window() is top)


def _rect(widget: QWidget) -> QRect:
    """The part of the screen that a widget takes."""
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())


def _texts(widget: QWidget) -> list[str]:
    """The texts of a widget that depend neither on data nor on the time."""
    texts: Sequence[str] = ()
    if isinstance(widget, QTabBar):
        texts = [widget.tabText(tab) for tab in range(widget.count())]
    elif isinstance(widget, QAbstractButton) or (isinstance(widget, QLabel) and widget.buddy() is not None):
        texts = [widget.text()]
    return [text for text in texts if text and not any(map(str.isdigit, text))]


def _places(target: QRectF) -> Iterator[QPointF]:
    """Places for a number at a widget: beside it and at its edges, the preferred ones first."""
    out, inner, middle = _RADIUS + 3, _RADIUS + 4, target.center()
    left, right, top, bottom = target.left(), target.right(), target.top(), target.bottom()
    if target.height() < _LARGE:
        ends = (left - out, right + out, right - inner, right - 4 * inner)
        yield from (QPointF(x, middle.y()) for x in ends)
        yield from (QPointF(middle.x(), y) for y in (bottom + out, top - out))
        yield from (QPointF(left - away, middle.y()) for away in range(2 * out, 4 * out, 3))
    else:
        across = (right - inner, right - 2 * inner, middle.x(), left + inner)
        down = (top + inner, bottom - inner, middle.y(), top + 3 * inner)
        yield from (QPointF(x, y) for y, x in product(down, across))
        yield from (QPointF(x, middle.y()) for x in (left - out, right + out))


def _ink(image: QImage, place: QPointF) -> float:
    """How much the pixels at a place differ from the shade that is the most frequent there."""
    ratio = image.devicePixelRatio()
    half = int((_RADIUS + 2) * ratio)
    center = (place * ratio).toPoint()
    patch = image.copy(center.x() - half, center.y() - half, 2 * half, 2 * half)
    shades = patch.convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = Counter(memoryview(shades.constBits()))
    ground = max(pixels, key=lambda shade: pixels[shade])
    # Squares, since lines, frames and gradients are fainter than texts.
    return sum(number * (shade - ground) ** 2 for shade, number in pixels.items()) / _TEXT


def _save(folder: Path, pictures: dict[str, Picture]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        image = _with_palette(picture.image)
        # For PNG, Qt derives the compression from the quality: 0 gives the smallest file.
        if not image.save(str(folder / f"{name}.png"), quality=0):
            raise PictureError(f"The picture {name!r} cannot be written to {folder}.")


def _with_palette(image: QImage) -> QImage:
    """The picture with the most frequent of its colors, which makes a small file."""
    chosen: list[tuple[int, int, int]] = []
    for pixel, _number in Counter(memoryview(image.constBits()).cast("I")).most_common():
        color = (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
        if all(sum(abs(a - b) for a, b in zip(color, one, strict=True)) >= _LEAST for one in chosen):
            chosen.append(color)
        if len(chosen) == _COLORS:
            break
    table = [QColor(*color).rgb() for color in chosen]
    flags = Qt.ImageConversionFlag.AvoidDither | Qt.ImageConversionFlag.ThresholdDither
    return image.convertToFormat(QImage.Format.Format_Indexed8, table, flags)


def _write_structures(folder: Path, language: str, pictures: dict[str, Picture]) -> None:
    """Writes one line for each widget, so that differences can be read."""
    folder.mkdir(parents=True, exist_ok=True)
    scenes = [
        f"{json.dumps(name)}: [\n"
        + ",\n".join(json.dumps(row, ensure_ascii=False) for row in pictures[name].structure)
        + "\n]"
        for name in sorted(pictures)
    ]
    (folder / f"{language}.json").write_text("{\n" + ",\n".join(scenes) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
