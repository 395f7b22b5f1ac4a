"""Tests of edited localized names: undo, identities, merge, differences, files and drafts."""

import json
from pathlib import Path

import pytest

from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.diff.apply import reverted
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import write_document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn, SetLocalName
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import RenameTable, remove_column
from cdb_desktop.schema.files.drafts import DraftStore
from cdb_desktop.schema.files.model_files import ModelFormat, decode_model, encode_model
from cdb_desktop.schema.merge.merge import merge
from cdb_desktop.schema.working_copy import new_history, open_model_file
from tests.desktop.schema.models import (
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    column_named,
    exported_text,
    museum,
    museum_export,
    opened,
)

_PERSON, _BORN = TableRef(PERSON), ColumnRef(PERSON, PERSON_BORN)


def test_a_name_is_edited_and_undone() -> None:
    """What is not edited is as it was read; empty is no name."""
    names = LocalizedNames(museum_export()["keys"], opened())
    history = new_history(opened()).applied(SetLocalName(_PERSON, "en-US", "Person"))
    assert str(history.undo_title) == "Name person in en-US"
    assert names.of(history.document, _PERSON) == {"de-DE": "Persönlichkeit", "en-US": "Person"}
    assert names.languages(history.document) == ("de-DE", "en-US")
    history = history.applied(SetLocalName(_PERSON, "de-DE", ""))
    assert names.of(history.document, _PERSON) == {"en-US": "Person"}
    assert names.of(history.undone().undone().document, _PERSON) == {"de-DE": "Persönlichkeit"}
    again = history.applied(SetLocalName(_PERSON, "de-DE", None)).document
    assert names.of(again, _PERSON)["de-DE"] == "Persönlichkeit"
    assert write_document(again) == museum()
    with pytest.raises(EditError):
        SetLocalName(ColumnRef(PERSON, 999), "en-US", "x").apply_to(again)


def test_names_follow_new_ids_and_renames() -> None:
    """The service's id instead of a local key."""
    document = AddColumn(PERSON, "died", "date", 0).apply_to(opened())
    ref = column_named(document, "person", "died")
    document = SetLocalName(ref, "en-US", "Died").apply_to(document)
    (saved,) = with_identities((document,), Identities(columns={ref.column: Identity(77, 77)}))
    assert saved.local_names == {ColumnRef(PERSON, 77): {"en-US": "Died"}}
    assert RenameTable(PERSON, "people").apply_to(saved).local_names == saved.local_names


def test_both_sides_edits_are_merged() -> None:
    """By element and language; what both have edited is mine."""
    base = opened()
    theirs = SetLocalName(_PERSON, "en-US", "Theirs").apply_to(base)
    theirs = SetLocalName(_BORN, "en-US", "Born").apply_to(theirs)
    mine = SetLocalName(_PERSON, "en-US", "Mine").apply_to(RenameTable(PERSON, "people").apply_to(base))
    mine = SetLocalName(_PERSON, "de-DE", "Leute").apply_to(mine)
    merged = merge(base, theirs, mine)
    assert merged.document.local_names == {
        _PERSON: {"en-US": "Mine", "de-DE": "Leute"},
        _BORN: {"en-US": "Born"},
    }
    assert not merged.conflicts


def test_edits_are_differences_that_can_be_reverted() -> None:
    """Each name is one change."""
    document = SetLocalName(_BORN, "en-US", "Born").apply_to(opened())
    document = SetLocalName(_PERSON, "de-DE", "Leute").apply_to(document)
    changes = compare(opened(), document)
    assert [str(change.message) for change in changes] == [
        "Name of person.born in en-US changed",
        "Name of person in de-DE changed",
    ]
    assert [(one.before, one.after) for one in changes] == [(None, "Born"), (None, "Leute")]
    back, left = reverted(changes, opened(), document)
    assert (back.local_names, left) == ({}, ())
    assert open_model_file(document).changes == ()


@pytest.mark.parametrize("old_form", [False, True])
def test_only_the_lines_of_edited_names_change_in_a_file(old_form: bool) -> None:
    """New names are added under the present name of the element."""
    text = exported_text(museum_export(old_form=old_form))
    file = decode_model(text.encode())
    document = SetLocalName(_PERSON, "en-US", "Person").apply_to(file.document)
    written = encode_model(file.with_document(document)).decode()
    assert len(written.splitlines()) == len(text.splitlines())
    differing = [
        pair for pair in zip(text.splitlines(), written.splitlines(), strict=True) if len({*pair}) > 1
    ]
    assert [after.strip() for _, after in differing] == ['"en-US": "Person",']
    document = RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname").apply_to(document)
    document = SetLocalName(ColumnRef(PERSON, PERSON_NAME), "en-US", "Surname").apply_to(document)
    document = remove_column(_BORN, dependents=True).apply_to(
        SetLocalName(_BORN, "x", "y").apply_to(document)
    )
    names = decode_model(encode_model(file.with_document(document))).names
    assert names["schema.person.column.surname"] == {"de-DE": "Name", "en-US": "Surname", "_comment": ""}
    assert "schema.person.column.name" not in names
    assert "schema.person.column.born" not in names


def test_an_export_without_names_gets_that_part() -> None:
    """A bare document has no place for them."""
    file = decode_model(json.dumps({"version": 2, "schema": museum()}).encode())
    document = SetLocalName(_PERSON, "en-US", "Person").apply_to(file.document)
    found = decode_model(encode_model(file.with_document(document)))
    assert found.form is ModelFormat.EXPORT
    assert found.names == {"schema.person.name": {"en-US": "Person"}}


def test_drafts_have_edited_names(tmp_path: Path) -> None:
    """Those of each step, also of elements without an id."""
    store = DraftStore(tmp_path, "museum")
    journal = store.journal()
    history = new_history(opened()).applied(AddColumn(PERSON, "died", "date", 0))
    journal.record(None, history.document, history.undo_title)
    died = column_named(history.document, "person", "died")
    for ref, text in ((died, "Died"), (_PERSON, "Person")):
        history = history.applied(SetLocalName(ref, "en-US", text))
        journal.record(None, history.document, history.undo_title)
    journal.close()
    (draft,) = store.abandoned()
    assert draft.document.local_names == {died: {"en-US": "Died"}, _PERSON: {"en-US": "Person"}}
    assert draft.steps is not None
    assert [step.document.local_names for step in draft.steps.steps] == [
        {},
        {died: {"en-US": "Died"}},
        draft.document.local_names,
    ]
