"""Tests of steps on the disk: titles, keys of new elements, and files that are damaged."""

from pathlib import Path

import pytest

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable
from cdb_desktop.schema.files.drafts import DraftStep, DraftSteps, DraftStore
from tests.desktop.schema.models import PERSON, WORK, opened


@pytest.fixture
def store(tmp_path: Path) -> DraftStore:
    """The journals of a service."""
    return DraftStore(tmp_path, "museum")


def _steps() -> DraftSteps:
    added, column = AddTable("coin"), AddColumn(WORK, "weight", "number")
    edits: list[Edit] = [
        added,
        column,
        AddNestedTable(added.key, "side"),
        AddColumn(added.key, "owner", "link", target=PERSON),
        RenameColumn(ColumnRef(WORK, column.key), "mass"),
    ]
    document = opened()
    steps = [DraftStep(message("Begin"), document)]
    for edit in edits:
        title, document = edit.title(document), edit.apply_to(document)
        steps.append(DraftStep(title, document))
    return DraftSteps(tuple(steps), 3)


def test_steps_are_read_as_they_were_kept(store: DraftStore) -> None:
    """With the keys of elements that have no id, so that undo and redo find them."""
    steps = _steps()
    store.keep_steps(steps)
    kept = store.kept_steps()
    assert kept is not None
    assert kept.position == 3
    assert [str(step.title) for step in kept.steps] == [str(step.title) for step in steps.steps]
    assert [step.document for step in kept.steps] == [step.document for step in steps.steps]


def test_a_journal_knows_steps_and_undo(store: DraftStore) -> None:
    """A new edit after undo replaces the undone steps."""
    documents = [step.document for step in _steps().steps]
    journal = store.journal()
    for at in (1, 2, 3, 2, 1, 2):
        journal.record(documents[0], documents[at], message("Step {number}", number=at))
    other = AddTable("other").apply_to(documents[2])
    journal.record(documents[0], other, message("Other"))
    journal.close()
    (draft,) = store.abandoned()
    assert draft.steps is not None
    assert [step.document for step in draft.steps.steps] == [documents[1], documents[2], other]
    assert [str(step.title) for step in draft.steps.steps] == ["Step 1", "Step 2", "Other"]
    assert draft.document is draft.steps.steps[2].document


@pytest.mark.parametrize(
    "content",
    [b"{}\n", b"\xff\n", b'{"type":"edit","tables":{}}\n', b'{"type":"document","head":null}\n'],
)
def test_damaged_steps_are_set_aside(store: DraftStore, content: bytes) -> None:
    """The schema opens without them."""
    store.keep_steps(_steps())
    (file,) = store.folder.glob("*.steps")
    file.write_bytes(content)
    assert store.kept_steps() is None
    assert not file.exists()


def test_a_title_without_its_values_is_damage(store: DraftStore) -> None:
    """It could not be shown."""
    store.keep_steps(_steps())
    (file,) = store.folder.glob("*.steps")
    file.write_bytes(file.read_bytes().replace(b'"table":"coin"', b'"tables":"coin"'))
    assert store.kept_steps() is None


def test_only_the_last_steps_are_kept(store: DraftStore) -> None:
    """Older steps would make the file large."""
    document = opened()
    steps = [DraftStep(message("Begin"), document)]
    for number in range(600):
        document = AddColumn(PERSON, f"c{number}", "text").apply_to(document)
        steps.append(DraftStep(message("Add"), document))
    store.keep_steps(DraftSteps(tuple(steps), 600))
    kept = store.kept_steps()
    assert kept is not None
    assert len(kept.steps) == 500
    assert kept.steps[kept.position].document == document
