"""Tests of the schema package with the reference server, which implements the contract independently."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.commit.saved_ids import save_request, without_ids
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.column_types import SPELLINGS, is_change_allowed
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import ChangeType
from cdb_desktop.schema.files.model_files import from_xml, to_xml
from cdb_desktop.schema.working_copy import EditHistory, new_history
from server_stub.database import open_database
from server_stub.events import Actor, EventLog
from server_stub.foundation.errors import ContractError
from server_stub.schema import Schemas
from server_stub.schema import to_xml as its_xml
from tests.desktop.schema.models import (
    MODEL_FILES,
    TITLE,
    WORK,
    Json,
    apply,
    inconsistent_references,
    is_acceptable,
    museum,
    real,
)
from tests.desktop.schema.random_edits import EditDrawer

_ROOT = Actor(1, "system", "Root")
_TYPES = [spelling for spellings in SPELLINGS.values() for spelling in spellings if spelling != "link"]


@contextmanager
def _service() -> Iterator[Schemas]:
    with TemporaryDirectory() as folder:
        database = open_database(str(Path(folder) / "room.sqlite"))
        try:
            yield Schemas(database, EventLog(database, "here"), lambda: 1_700_000_000)
        finally:
            database.close()


def _plain_museum() -> Json:
    """The museum without attributes that the reference server does not support."""
    raw = museum()
    del raw["house"], raw["tables"][2]["columns"][0]["remark"]
    return raw


def _saved(service: Schemas, document: Document, head: Document | None) -> Document:
    return read_document(service.save_head(save_request(document, head)))


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_documents_without_errors_are_accepted(data: st.DataObject) -> None:
    """After any edits, saved twice, the answer has the same content, with ids for new elements."""
    with _service() as service:
        head = _saved(service, read_document(_plain_museum()), None)
        history = new_history(head)
        for _ in range(2):
            history = _edited(data, history)
            if not is_acceptable(find_problems(history.document)):
                return
            sent = history.document
            head = _saved(service, sent, head)
            history = history.saved_as(sent, head)
            assert compare(history.undone().redone().document, head) == ()
            assert all(table.id for table in head.tables)
            assert inconsistent_references(head) == []
            assert is_acceptable(find_problems(head))


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_undo_past_a_save_can_be_saved(data: st.DataObject) -> None:
    """Any state can be saved after any other, and elements keep their identity."""
    with _service() as service:
        head = _saved(service, read_document(_plain_museum()), None)
        history = _edited(data, new_history(head))
        for _ in range(3):
            if not is_acceptable(find_problems(history.document, head)):
                return
            sent = history.document
            head = _saved(service, sent, head)
            service.commit(_ROOT)
            head = read_document(service.read("HEAD"))
            history = history.saved_as(sent, head).jumped(data.draw(st.integers(0, 6)))


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_real_models_are_accepted(path: Path) -> None:
    """An empty service accepts them with their ids, one with a model without them."""
    foreign = read_document(real(path))
    with _service() as service:
        head = _saved(service, foreign, None)
        assert compare(foreign, head) == ()
    with _service() as service:
        head = _saved(service, read_document(_plain_museum()), None)
        answer = _saved(service, without_ids(foreign), head)
        assert [table.name for table in answer.tables] == [table.name for table in foreign.tables]
        assert {table.id for table in answer.tables}.isdisjoint(table.id for table in head.tables)


@pytest.mark.parametrize("before", _TYPES)
def test_both_accept_the_same_changes_of_type(before: str) -> None:
    """Every pair of types is tested with a committed column."""
    place = ColumnRef(WORK, TITLE)
    with _service() as service:
        raw = _plain_museum()
        raw["tables"][2]["columns"][0]["type"] = before
        service.save_head(save_request(read_document(raw), None))
        service.commit(_ROOT)
        head = read_document(service.read("HEAD"))
        judged = {}
        for after in _TYPES:
            try:
                service.save_head(save_request(apply(head, ChangeType(place, after)), head))
                judged[after] = True
            except ContractError:
                judged[after] = False
        assert judged == {after: is_change_allowed(before, after) for after in _TYPES}


def _edited(data: st.DataObject, history: EditHistory) -> EditHistory:
    drawer = EditDrawer(data.draw)
    for _ in range(data.draw(st.integers(1, 5))):
        history = drawer.step(history)
    return history


@pytest.mark.parametrize(
    "raw", [museum(), *map(real, MODEL_FILES)], ids=["museum", *(one.stem for one in MODEL_FILES)]
)
def test_both_write_the_same_xml(raw: Json) -> None:
    """A model exported as XML can be opened as a file, and a saved file can be read by the service."""
    assert from_xml(its_xml(raw)) == raw
    assert to_xml(from_xml(its_xml(raw))) == its_xml(raw)
