"""Tests of remedies, hints and policies in the window."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.ui.actions import plain
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PERSON_NAME, WORK
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench, titles


async def test_a_problem_is_solved_by_its_remedy(bench: Bench) -> None:
    """With Ctrl+. or a click at the right of its line, in one step that undo takes back."""
    async with bench.with_museum() as controller:
        bottom = bench.view.bottom
        controller.store.apply(RenameColumn(ColumnRef(PERSON, PERSON_NAME), "Full Name"))
        await until(lambda: bottom.titles[0] == "Problems 1")
        bottom.open(0)
        problems = bottom.problems
        index = problems.model().index(0, 0)
        assert "Rename column person.Full Name to full_name (Ctrl+.)" in str(
            index.data(Qt.ItemDataRole.ToolTipRole)
        )
        problems.setCurrentIndex(index)
        QTest.keyClick(problems, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: bottom.titles[0] == "Problems 0")
        assert titles(controller)[-1] == "Rename column person.Full Name to full_name"
        bench.actions["schema_undo"].trigger()
        await until(lambda: bottom.titles[0] == "Problems 1")
        problems.menu_requested.emit(0, QPoint())
        menu = child_of(bench.view, QMenu, "schema.findings.menu")
        menu.actions()[0].trigger()
        menu.close()
        await until(lambda: bottom.titles[0] == "Problems 0")


async def test_hints_are_silenced_for_this_model(bench: Bench, next_bench: Bench) -> None:
    """Also at the next start, until all are shown again."""
    async with bench.with_museum() as controller:
        bottom = bench.view.bottom
        controller.store.apply(AddColumn(WORK, "titles", "text"))
        await until(lambda: "titles" in _hints(bench))
        bottom.open(3)
        bottom.hints.acted.emit(_row(bench, "titles"))
        await until(lambda: "titles" not in _hints(bench))
        assert "silenced" in _hints(bench)
        await until(lambda: any(Path(bench.settings.fileName()).parent.rglob("*.checks.json")))
    async with next_bench.with_museum() as controller:
        bottom = next_bench.view.bottom
        await until(lambda: controller.store.page.is_read and bool(controller.store.page.checks.silenced))
        controller.store.apply(AddColumn(WORK, "titles", "text"))
        await until(lambda: controller.store.page.is_read and "titles" not in _hints(next_bench))
        bottom.silence_requested.emit("")
        await until(lambda: "titles" in _hints(next_bench))


async def test_a_policy_adds_problems_that_do_not_stop_a_save(bench: Bench, tmp_path: Path) -> None:
    """A file that is none is refused with the reason."""
    policy, none = tmp_path / "policy.toml", tmp_path / "none.toml"
    policy.write_text('comments = ["tables"]\n')
    none.write_text("x = 1\n")
    async with bench.with_museum() as controller:
        _choose(bench, none)
        await until(lambda: "none.toml" in bench.view.notice.text)
        _choose(bench, policy)
        await until(lambda: bench.view.bottom.titles[0] == "Problems 5")
        assert controller.store.page.problems == ()
        bench.actions["schema_policy"].trigger()
        assert str(policy) in bench.view.notice.text
        bench.view.notice.buttons[1].click()
        await until(lambda: bench.view.bottom.titles[0] == "Problems 0")


async def test_readers_get_no_remedies(bench: Bench) -> None:
    """Their menu says that there is none."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bottom = bench.view.bottom
        bottom.problems.acted.emit(0)
        bottom.problems.menu_requested.emit(0, QPoint())
        menu = child_of(bench.view, QMenu, "schema.findings.menu")
        assert [plain(action.text()) for action in menu.actions()] == ["No remedy is known"]
        menu.close()
        assert titles(controller) == []


def _choose(bench: Bench, path: Path) -> None:
    dialog = bench.view.findChild(QFileDialog, "schema.policy")
    if dialog is None:
        bench.actions["schema_policy"].trigger()
        dialog = bench.view.findChild(QFileDialog, "schema.policy")
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.close()


def _row(bench: Bench, part: str) -> int:
    model = bench.view.bottom.hints.model()
    rows = range(model.rowCount())
    return next(row for row in rows if part in str(model.index(row, 0).data()))


def _hints(bench: Bench) -> str:
    model = bench.view.bottom.hints.model()
    return "\n".join(str(model.index(row, 0).data()) for row in range(model.rowCount()))
