"""Tests of the progress bar."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.widgets.progress import ProgressBar, TaskProgress


@pytest.fixture
def bar(qtbot: QtBot, appearance: Appearance) -> ProgressBar:
    """A visible bar."""
    bar = ProgressBar(appearance)
    qtbot.addWidget(bar)
    bar.show()
    return bar


def filled(bar: ProgressBar, appearance: Appearance) -> list[bool]:
    """The filled pixels, from left to right."""
    image, accent = bar.grab().toImage(), QColor(appearance.tokens.accent).rgb()
    line = range(round(image.height() / 4), round(image.height() * 3 / 4))
    return [any(image.pixel(x, y) == accent for y in line) for x in range(image.width())]


@pytest.mark.parametrize(("done", "least", "most"), [(0, 0, 0), (0.5, 0.45, 0.55), (1, 0.9, 1)])
def test_it_is_filled_in_proportion(
    bar: ProgressBar, appearance: Appearance, done: float, least: float, most: float
) -> None:
    """From the left, without gaps."""
    bar.show_done(done)
    found = filled(bar, appearance)
    assert least <= sum(found) / len(found) <= most
    # Both ends are round.
    assert found[2:-2] == sorted(found[2:-2], reverse=True)


@pytest.mark.parametrize("moves", [True, False])
def test_unknown_progress_looks_neither_empty_nor_full(
    bar: ProgressBar, appearance: Appearance, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, moves: bool
) -> None:
    """A moving segment, or several static ones if the system disables animations."""
    monkeypatch.setattr(appearance, "duration", lambda milliseconds: milliseconds if moves else 0)
    bar.show_done(None)
    seen: list[list[bool]] = []
    for _turn in range(12):
        seen.append(filled(bar, appearance))
        qtbot.wait(50)
    assert all(0.2 < sum(one) / len(one) < 0.7 for one in seen)
    assert (len({tuple(one) for one in seen}) > 1) is moves
    bar.hide()
    assert not bar._steps.isActive()


def coloured(item: TaskProgress) -> float:
    """The colored share of the bar, from 0 to 1."""
    (bar,) = item.findChildren(QProgressBar)
    image = bar.grab().toImage()
    middle = range(image.width())
    found = [QColor(image.pixel(x, image.height() // 2)).hsvSaturation() > 90 for x in middle]
    return sum(found) / len(found)


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_only_completed_progress_is_colored(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Unknown progress does not look complete; also after a change."""
    item = TaskProgress(appearance)
    qtbot.addWidget(item)
    appearance.choose(choice)
    found = []
    for done in (None, 0.1, 1.0, None):
        item.show_work("Counting", done)
        item.show()
        found.append(coloured(item))
    assert 0.2 < found[0] < 0.7
    assert found[1] < 0.2
    assert found[2] > 0.9
    assert 0.2 < found[3] < 0.7
