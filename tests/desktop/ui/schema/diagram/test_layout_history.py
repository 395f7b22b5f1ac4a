"""The arrangements before and after steps of the undo history."""

from __future__ import annotations

import pytest

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.scope import Scope, ViewTables
from cdb_desktop.schema.working_copy import EMPTY, EditHistory, new_history
from cdb_desktop.ui.schema.diagram import layout_history
from cdb_desktop.ui.schema.diagram.layout_history import LayoutHistory

A, B, C, D = (Arrangement({1: (x, 0.0)}) for x in (0.0, 10.0, 20.0, 30.0))
ALL = Scope()
NUDGE = "nudge"


def _step(history: EditHistory, title: str) -> EditHistory:
    return history.changed(message(title), EMPTY)


@pytest.fixture
def start() -> EditHistory:
    return new_history(EMPTY)


@pytest.fixture
def layout(start: EditHistory) -> LayoutHistory:
    found = LayoutHistory()
    found.advance(start)
    return found


def test_steps_are_undone_from_the_last_and_redone_from_the_first(
    layout: LayoutHistory, start: EditHistory
) -> None:
    one = _step(start, "one")
    layout.record(one, A, B, ALL)
    two = _step(one, "two")
    layout.record(two, B, C, ALL)
    undo = layout.advance(two.jumped(0)).jump
    assert undo is not None
    assert [undo.result(step) for step in undo.steps] == [B, A]
    assert undo.last is undo.steps[-1]
    redo = layout.advance(two).jump
    assert redo is not None
    assert [redo.result(step) for step in redo.steps] == [B, C]


def test_an_edit_after_a_step_is_what_a_jump_ends_with(layout: LayoutHistory, start: EditHistory) -> None:
    one = _step(start, "one")
    layout.record(one, A, B, ALL)
    edited = _step(one, "edit")
    advance = layout.advance(edited)
    assert advance.is_edit
    assert advance.jump is None
    undo = layout.advance(edited.jumped(0)).jump
    redo = layout.advance(edited).jump
    assert undo is not None
    assert undo.last is not None
    assert redo is not None
    assert redo.last is None
    assert [step.after for step in redo.steps] == [B]


def test_the_history_that_is_shown_already_is_no_edit(layout: LayoutHistory, start: EditHistory) -> None:
    one = _step(start, "one")
    layout.record(one, A, B, ALL)
    assert not layout.advance(one).is_edit


def test_a_repeated_key_extends_its_step(
    layout: LayoutHistory, start: EditHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = _step(start, "nudge")
    layout.record(one, A, B, ALL, NUDGE)
    assert layout.extend(one, C, None, NUDGE)
    undo = layout.advance(one.undone()).jump
    assert undo is not None
    assert [(step.before, step.after) for step in undo.steps] == [(A, C)]
    assert not layout.extend(one.undone(), D, None, NUDGE), "it was undone"
    layout.advance(one)
    assert not layout.extend(one, D, ViewTables(1), NUDGE), "another part is shown"
    monkeypatch.setattr(layout_history, "_REPEATED_SECONDS", 0.0)
    assert not layout.extend(one, D, None, NUDGE), "after a pause"


def test_a_repeated_key_extends_no_other_step(layout: LayoutHistory, start: EditHistory) -> None:
    one = _step(start, "nudge")
    layout.record(one, A, B, ALL, NUDGE)
    two = _step(one, "arrange")
    layout.record(two, B, C, ALL)
    assert not layout.extend(two, D, None, NUDGE)
    undo = layout.advance(two.undone()).jump
    assert undo is not None
    assert [(step.before, step.after) for step in undo.steps] == [(B, C)]


def test_steps_that_can_no_longer_be_redone_are_forgotten(layout: LayoutHistory, start: EditHistory) -> None:
    one = _step(start, "one")
    layout.record(one, A, B, ALL)
    other = _step(one.undone(), "other")
    layout.record(other, A, C, ALL)
    undo = layout.advance(other.undone()).jump
    assert undo is not None
    assert [(step.before, step.after) for step in undo.steps] == [(A, C)]


def test_saving_renumbers_new_tables(layout: LayoutHistory, start: EditHistory) -> None:
    one = _step(start, "one")
    layout.record(one, A, B, ALL)
    layout.renumber({1: 7}, {})
    undo = layout.advance(one.undone()).jump
    assert undo is not None
    assert undo.steps[0].before.positions == {7: (0.0, 0.0)}
    assert undo.steps[0].tables == {7}
