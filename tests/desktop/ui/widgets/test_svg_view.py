"""Tests of the SVG view."""

import pytest
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.svg_view import SvgView

SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="1000" viewBox="0 0 2000 1000">
<rect x="0" y="0" width="2000" height="1000" fill="#ff0000"/></svg>"""


@pytest.fixture
def view(qtbot: QtBot) -> SvgView:
    """A visible empty view of 500 x 500."""
    view = SvgView()
    qtbot.addWidget(view)
    view.resize(500, 500)
    view.show()
    return view


def test_a_large_image_is_shown_completely(view: SvgView) -> None:
    """It is fitted into the view and painted."""
    assert view.show_picture(SVG)
    assert 0.2 < view.zoom < 0.25
    assert view.grab().toImage().pixelColor(250, 250).name() == "#ff0000"


def test_a_small_image_is_not_enlarged(view: SvgView) -> None:
    """Its initial zoom is at most 1."""
    view.show_picture(SVG.replace(b"2000", b"200").replace(b"1000", b"100"))
    assert view.zoom == 1


def test_zooming_has_steps_and_limits(view: SvgView) -> None:
    """Zooming in and out again restores the zoom."""
    view.show_picture(SVG)
    before = view.zoom
    view.zoom_in()
    assert view.zoom == pytest.approx(before * 1.25)
    view.zoom_out()
    assert view.zoom == pytest.approx(before)
    for _ in range(60):
        view.zoom_in()
    assert view.zoom == pytest.approx(8)


def test_a_new_image_keeps_the_zoom(view: SvgView) -> None:
    """A refresh does not scroll."""
    view.show_picture(SVG)
    view.zoom_in()
    before = view.zoom
    view.show_picture(SVG)
    assert view.zoom == before


def test_an_invalid_image_is_ignored(view: SvgView) -> None:
    """The last valid image stays visible."""
    view.show_picture(SVG)
    assert not view.show_picture(b"<html>not found</html>")
    assert view.has_picture
