"""Tests of the icons."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import application_icon, icon
from cdb_desktop.ui.theme.tokens import DARK, LIGHT

NAMES = sorted(path.stem for path in resource("icons").glob("*.svg"))


def test_every_icon_can_be_painted(appearance: Appearance) -> None:
    """On a grid of 16 in the text color."""
    assert NAMES
    for name in NAMES:
        assert 'viewBox="0 0 16 16"' in resource(f"icons/{name}.svg").read_text("utf-8"), name
        assert _colours(_drawn(icon(name, appearance))) == {LIGHT.text}, name


def test_an_icon_follows_the_theme_and_its_state(appearance: Appearance) -> None:
    """It is painted in the current color; checked icons have the accent color."""
    drawn = icon("events", appearance)
    assert _colours(_drawn(drawn, QIcon.State.On)) == {LIGHT.accent}
    appearance.choose("dark")
    assert _colours(_drawn(drawn)) == {DARK.text}


def test_a_checked_icon_may_differ(appearance: Appearance) -> None:
    """A paused feed shows the icon for playing."""
    pause = icon("pause", appearance, "play")
    assert _drawn(pause, QIcon.State.On) == _drawn(icon("play", appearance), QIcon.State.On)
    assert _drawn(pause) == _drawn(icon("pause", appearance))


def _drawn(picture: QIcon, state: QIcon.State = QIcon.State.Off) -> QImage:
    return picture.pixmap(QSize(32, 32), QIcon.Mode.Normal, state).toImage()


def _colours(image: QImage) -> set[str]:
    found = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {QColor(pixel.rgb()).name().upper() for pixel in found if pixel.alpha() == 255}


@pytest.mark.parametrize("side", [16, 22, 24, 32, 48, 256])
def test_the_application_icon_fills_its_square(side: int) -> None:
    """Opaque in the middle of each edge, transparent in the corners, in several colors."""
    picture = application_icon().pixmap(QSize(side, side)).toImage()
    assert picture.size() == QSize(side, side)
    margin = side // 12
    assert picture.pixelColor(side // 2, margin).alpha() > 200
    assert picture.pixelColor(margin, side // 2).alpha() > 200
    assert picture.pixelColor(0, 0).alpha() < 40
    places = range(0, side, max(1, side // 32))
    colors = {picture.pixelColor(x, y).name() for x in places for y in places}
    assert len(colors) > 8


def test_the_window_manager_is_offered_small_and_large_icons() -> None:
    """A list of windows takes the smallest, a switcher the largest."""
    sizes = {size.width() for size in application_icon().availableSizes()}
    assert {16, 32, 48, 128} <= sizes
