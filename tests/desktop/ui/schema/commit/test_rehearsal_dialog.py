"""Tests of the dialog about a rehearsed commit: errors at their step, rows before and after."""

import pytest
from PySide6.QtWidgets import QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.commit.rehearsal import Row, TableSample, table_sample
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import remove_column, remove_table
from cdb_desktop.ui.schema.commit.rehearsal_dialog import RehearsalDialog, RehearsalReport
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from tests.desktop.schema.models import WORK, column_named, named, opened

_REFUSAL = {
    "realm": "user",
    "code": "error.user.not_null_violation",
    "parameters": {"column": "work.needed"},
}
_STEP = {
    "action": "require_not_null",
    "table_id": WORK,
    "table": "work",
    "column_id": 90,
    "column": "needed",
    "stake": {"rows": 5, "values": 2, "blocking": 3},
    "refusal": _REFUSAL,
}


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The parent of the dialogs."""
    found = QWidget()
    qtbot.addWidget(found)
    found.show()
    return found


def test_rows_before_and_after(window: QWidget, appearance: Appearance) -> None:
    """Those with differences first; removed values and new names are seen."""
    current = opened()
    head = RenameColumn(column_named(current, "work", "title"), "name").apply_to(current)
    head = remove_column(column_named(current, "work", "year"), dependents=True).apply_to(head)
    head = AddColumn(WORK, "added", "text", 0).apply_to(head)
    before: list[Row] = [
        {"_id": 1, "title": "First", "year": None},
        {"_id": 2, "title": "Second\n line", "year": 1999},
        {"_id": 3, "title": None, "year": None},
    ]
    after: list[Row] = [
        {"_id": 1, "name": "First", "added": None},
        {"_id": 2, "name": "Second\n line", "added": "x" * 300},
    ]
    sample = table_sample(named(current, "work"), head.by_key[WORK], before, after)
    assert (sample.compared, sample.changed) == (3, 1)
    dialog = _dialog(window, appearance, [sample])
    rows = _rows(dialog)[-5:]
    assert rows[0] == ["work  ·  1 of the first 3 rows differ", "", ""]
    assert rows[1] == ["2  ·  title → name", "Second  line", "Second  line"]
    assert rows[2] == ["2  ·  year", "1999", ""]
    assert rows[3] == ["2  ·  added", "", f"{'x' * 200}…"]
    assert rows[4] == ["1  ·  title → name", "First", "First"]
    removed = remove_table(WORK, dependents=True).apply_to(current)
    gone = table_sample(named(current, "work"), removed.by_key.get(WORK), before, ())
    assert (gone.new_name, gone.changed) == ("", 2)
    assert _rows(_dialog(window, appearance, [gone]))[3][0].startswith("work, removed  ·  2 of")


def test_errors_are_shown_at_their_step(window: QWidget, appearance: Appearance) -> None:
    """With the rows that have caused them."""
    failure = ErrorMessage("A value is missing", "It is required.", "")
    plan = read_commit_plan({"head_digest": "x", "current_version": 1, "steps": [_STEP]})
    dialog = _dialog(window, appearance, [], failure, plan)
    rows = [row[0] for row in _rows(dialog)]
    assert rows[:3] == ["Steps", "✓  HEAD is saved", "✗  HEAD is committed"]
    assert rows[3] == "A value is missing. It is required."
    assert rows[4].startswith("work.needed: 3 of 5 rows block this. ")
    assert "work.needed" in rows[4].removeprefix("work.needed")
    assert len(rows) == 5


def _dialog(
    window: QWidget,
    appearance: Appearance,
    samples: list[TableSample],
    failure: ErrorMessage | None = None,
    plan: CommitPlan | None = None,
) -> RehearsalDialog:
    steps = (message("HEAD is saved"), message("HEAD is committed"))
    dialog = RehearsalDialog(appearance, window, RehearsalReport(steps, failure, plan, samples, "Summary"))
    dialog.open()
    assert dialog.height() <= 660
    return dialog


def _rows(dialog: RehearsalDialog) -> list[list[str]]:
    found: list[list[str]] = []

    def add(item: QTreeWidgetItem | None) -> None:
        if item is not None:
            found.append([item.text(column) for column in range(3)])
            for at in range(item.childCount()):
                add(item.child(at))

    for at in range(dialog.rows.topLevelItemCount()):
        add(dialog.rows.topLevelItem(at))
    return found
