"""Tests of editing JSON in the window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Session
from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, WORK
from tests.desktop.ui.schema.conftest import Bench


def _replace(bench: Bench, old: str, new: str) -> None:
    """Edits the text as a user does, who leaves it modified."""
    editor = bench.view.bottom.json.text
    text = editor.toPlainText()
    assert old in text
    editor.selectAll()
    editor.insertPlainText(text.replace(old, new, 1))


async def test_edited_json_is_applied_as_one_step(bench: Bench) -> None:
    """Ctrl+Enter applies it; the text of another table waits until then. Without a selection it is all."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bottom = bench.view.bottom
        bottom.open(2)
        assert not bottom.json.apply_button.isVisible()
        _replace(bench, '"born"', '"birth"')
        assert bottom.json.apply_button.isVisible()
        controller.store.select(TableRef(WORK))
        assert '"birth"' in bottom.json.toPlainText()
        QTest.keyClick(bottom.json.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: not bottom.json.is_edited)
        columns = controller.store.page.document.by_key[PERSON].columns
        assert [each.name for each in columns] == ["name", "birth"]
        assert str(controller.store.page.editing.history.undo_title) == "Edit the JSON of person"
        assert '"name": "work"' in bottom.json.toPlainText()
        controller.store.select(DOCUMENT)
        _replace(bench, '"house": "kept"', '"house": "sold"')
        bottom.json.apply_button.click()
        await until(lambda: not bottom.json.is_edited)
        assert controller.store.page.document.raw["house"] == "sold"


async def test_an_error_is_shown_at_its_line(bench: Bench) -> None:
    """Until the text changes; Discard brings the document back."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bottom = bench.view.bottom
        bottom.open(2)
        _replace(bench, '"table_id": 1', '"table_id": "one"')
        bottom.json.apply_button.click()
        await until(lambda: bottom.json.error)
        assert bottom.json.error.startswith("Line 2: table_id: A positive integer is expected")
        assert bottom.json.text.textCursor().blockNumber() == 1
        assert len(bottom.json.text.extraSelections()) == 1
        QTest.keyClicks(bottom.json.text, " ")
        assert bottom.json.error == ""
        bottom.json.discard_button.click()
        assert '"table_id": 1' in bottom.json.toPlainText()
        assert controller.store.page.editing.history.undo_title is None


async def test_readers_cannot_edit(bench: Bench) -> None:
    """The text is read-only."""
    async with bench.with_museum(session=Session(token="t")):
        bench.view.bottom.open(2)
        assert bench.view.bottom.json.text.isReadOnly()
