"""Tests of properties after any edits: no dangling references, no loss, exact undo, exact comparison."""

import re
from collections.abc import Iterator
from itertools import count, permutations
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.commit.saved_ids import save_request
from cdb_desktop.schema.diff.apply import model_source, propose
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import BIDIRECTIONAL, UPLINK, Document
from cdb_desktop.schema.edits.columns import (
    ChangeType,
    RenameColumn,
    SetLinkTarget,
    SetReverseEdit,
    SeveralEdits,
)
from cdb_desktop.schema.edits.tables import RenameTable, remove_column
from cdb_desktop.schema.exchange.incoming import without_counterpart
from cdb_desktop.schema.merge.merge import merge
from cdb_desktop.schema.working_copy import EditHistory, new_history
from tests.desktop.schema.models import (
    ARTIST,
    MODEL_FILES,
    NOTE,
    NOTE_SOURCE,
    PERSON,
    PERSON_NAME,
    PLACE,
    WORK,
    Json,
    inconsistent_references,
    museum,
    real,
)
from tests.desktop.schema.random_edits import EditDrawer

_MODELS = [museum(), *(real(path) for path in MODEL_FILES)]

# Names are arbitrary, and a check stays when its type changes; there may be no other problems.
_NAMES = {"table_repeated", "column_repeated", "table_name_long", "table_name_reserved"}
_ALLOWED = {*_NAMES, "table_empty", "check_type"}

_few = settings(max_examples=25, deadline=None)


@_few
@given(st.data())
def test_edits_keep_documents_valid(data: st.DataObject) -> None:
    """No edit leaves a dangling, one-sided or outdated reference."""
    history = _edited(data, 12)
    found = {problem.code for problem in find_problems(history.document)}
    assert found <= _ALLOWED
    assert inconsistent_references(history.document) == []


def _marked(value: Any, number: Iterator[int]) -> Any:
    """The document with an attribute that nobody knows in each of its objects."""
    if isinstance(value, list):
        return [_marked(each, number) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _marked(each, number) for name, each in value.items()} | {"mark": {"number": next(number)}}


def _text(document: Document) -> str:
    return msgspec.json.encode(write_document(document)).decode()


def _marks(document: Document) -> set[str]:
    return set(re.findall(r'"mark":{"number":\d+}', _text(document)))


def test_unknown_attributes_survive_edits_merges_and_promotion() -> None:
    """In every object of a document, also in pairs of bidirectional links, which follow new names."""
    raw = museum()
    uplink, source = {UPLINK: True}, {"column_id": NOTE_SOURCE, "column_name_hint": "source"}
    raw["tables"][NOTE - 1][BIDIRECTIONAL] = [{"columns": [uplink, source]}]
    raw["tables"][0]["columns"][0] |= {"custom_settings": {"a": "b"}, "name_localized": {"de-DE": "Name"}}
    plain, marked = read_document(raw), read_document(_marked(raw, count()))
    edits = (
        RenameTable(WORK, "opus"),
        RenameColumn(ColumnRef(NOTE, NOTE_SOURCE), "origin"),
        ChangeType(ColumnRef(PERSON, PERSON_NAME), "text"),
        SetReverseEdit(ColumnRef(WORK, ARTIST), True),
        SetLinkTarget(ColumnRef(NOTE, NOTE_SOURCE), PLACE),
    )
    documents = [SeveralEdits(message(""), edits).apply_to(marked)]
    other = SeveralEdits(message(""), edits[:3]).apply_to(plain)  # a link is of one side
    documents += [merge(plain, one, two).document for one, two in permutations((marked, other))]
    for target in ({"tables": [], "version": 3}, museum()):
        proposal = propose(model_source("", marked, {}), read_document(target))
        documents.append(proposal.result(proposal.differences.all_ids))
    of_owners = {f'"mark":{each}' for each in re.findall(r'"owned_by":{[^}]*"mark":({[^}]*})', _text(marked))}
    for document in documents:
        assert _marks(marked) - _marks(document) <= of_owners
        assert inconsistent_references(document) == []
    (pair,) = documents[0].by_key[NOTE].bidirectional
    assert '"column_name_hint":"origin"' in msgspec.json.encode(pair).decode()
    assert without_counterpart(plain, extended=True) == ()
    assert [text.partition(",")[0] for text in without_counterpart(plain, extended=False)] == [
        "“Custom settings”",
        "“Localized names”",
        "“In both directions: seen from either end”",
    ]
    without_link = remove_column(ColumnRef(NOTE, NOTE_SOURCE)).apply_to(marked)
    assert BIDIRECTIONAL not in without_link.by_key[NOTE].raw


@_few
@given(st.data())
def test_undo_and_redo_are_exact(data: st.DataObject) -> None:
    """The first and the last document are restored, attribute by attribute."""
    raw = _MODELS[data.draw(st.integers(0, len(_MODELS) - 1))]
    history = _edited(data, 10, raw)
    last = write_document(history.document)
    undone = history
    while undone.undo_title is not None:
        undone = undone.undone()
    assert write_document(undone.document) == raw
    assert write_document(undone.jumped(len(history.states)).document) == last


@_few
@given(st.data())
def test_written_documents_are_read_unchanged(data: st.DataObject) -> None:
    """This includes new elements, which are identified by name while names are unique."""
    document = _edited(data, 10).document
    again = read_document(write_document(document))
    assert write_document(again) == write_document(document)
    if not {problem.code for problem in find_problems(document)} & _NAMES:
        assert [len(table.refers_to) for table in again.tables] == [
            len(table.refers_to) for table in document.tables
        ]


@_few
@given(st.data())
def test_a_comparison_is_empty_if_and_only_if_nothing_differs(data: st.DataObject) -> None:
    """Each state is compared with the first: posted documents differ if and only if changes are listed."""
    history = _edited(data, 5)
    first = history.states[0].document
    for state in history.states:
        texts = [str(change.message) for change in compare(first, state.document)]
        assert bool(texts) == (_content(state.document) != _content(first)), texts
        assert compare(state.document, state.document) == ()


@_few
@given(st.data())
def test_posted_documents_have_only_ids_of_head(data: st.DataObject) -> None:
    """HEAD may have changed in any way since the document was read."""
    document, head = _edited(data, 6).document, _edited(data, 6).document
    posted = save_request(document, read_document(save_request(head, None)))
    assert set(_ids(posted)) <= set(_ids(write_document(head)))


def _edited(data: st.DataObject, most: int, raw: Json | None = None) -> EditHistory:
    drawer = EditDrawer(data.draw)
    history = new_history(read_document(raw or museum()))
    for _ in range(data.draw(st.integers(0, most))):
        history = drawer.step(history)
    return history


def _content(document: Document) -> object:
    """The written content without the order of tables and keys, and without empty values."""
    written: Json = write_document(document)
    for table in written["tables"]:
        for part in ("foreign_keys", "unique_keys"):
            table[part].sort(key=str)
    return sorted((_without_empty(table) for table in written["tables"]), key=str)


def _without_empty(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: _without_empty(item)
            for name, item in value.items()
            if item not in (False, None, "", [], {})
        }
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


def _ids(value: object) -> Iterator[int]:
    if isinstance(value, list):
        for item in value:
            yield from _ids(item)
    if isinstance(value, dict):
        yield from (
            id_ for name, id_ in value.items() if name in ("table_id", "column_id") and id_ is not None
        )
        for item in value.values():
            yield from _ids(item)
