"""Tests of the line that tells how far work is: by its pixels."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.work_bar import WorkBar


@pytest.fixture
def bar(qtbot: QtBot, appearance: Appearance) -> WorkBar:
    """A line on the screen."""
    bar = WorkBar(appearance)
    qtbot.addWidget(bar)
    bar.show()
    return bar


def filled(bar: WorkBar, appearance: Appearance) -> list[bool]:
    """Which of its pixels, from left to right, are filled."""
    image, accent = bar.grab().toImage(), QColor(appearance.tokens.accent).rgb()
    line = range(round(image.height() / 4), round(image.height() * 3 / 4))
    return [any(image.pixel(x, y) == accent for y in line) for x in range(image.width())]


@pytest.mark.parametrize(("done", "least", "most"), [(0, 0, 0), (0.5, 0.45, 0.55), (1, 0.9, 1)])
def test_it_is_filled_as_far_as_the_work_is(
    bar: WorkBar, appearance: Appearance, done: float, least: float, most: float
) -> None:
    """From the left, in one piece."""
    bar.show_done(done)
    found = filled(bar, appearance)
    assert least <= sum(found) / len(found) <= most
    # Both ends are round.
    assert found[2:-2] == sorted(found[2:-2], reverse=True)


@pytest.mark.parametrize("moves", [True, False])
def test_what_nobody_knows_looks_neither_empty_nor_full(
    bar: WorkBar, appearance: Appearance, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, moves: bool
) -> None:
    """A piece that moves, or several that rest where the platform wants no motion."""
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
