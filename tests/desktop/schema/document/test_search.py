"""Tests of the search of a document."""

from collections.abc import Mapping

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document, NamedRef
from cdb_desktop.schema.document.search import SearchIndex, Where
from tests.desktop.schema.models import PLACE, WORK, YEAR, column, museum, opened, other, table


def test_the_best_hit_comes_first() -> None:
    """The same name before a prefix, tables before columns, the prefix of a part before other names."""
    raw = museum()
    for number, name in ((30, "artwork"), (31, "work_place"), (32, "frame")):
        raw["tables"].insert(0, table(number, name, column(number, "work" if name == "frame" else "x")))
    raw["tables"].insert(0, table(33, "artwork__work", column(33, "x"), owned_by=other(30, "artwork")))
    index = SearchIndex(opened(raw), _no_names)

    def best(wanted: str) -> str:
        return next((hit.name for hit in index.find(wanted)), "")

    assert best("work") == "work"
    assert best("work_p") == "work_place"
    assert best("note") == "work__note"
    assert best("work__note__mark") == "work__note__mark"
    assert best("bor") == "person.born"
    assert best("ear") == "work.year"
    assert best("zebra") == ""


def test_comments_types_and_localized_names_are_found() -> None:
    """The hit names what was found; a name that matches as well counts more."""
    index = SearchIndex(opened(), _names)
    [comment] = index.find("is SHOWN")
    assert (comment.ref, comment.where, comment.text) == (TableRef(WORK), Where.COMMENT, "What is shown")
    [type_] = index.find("number")
    assert (type_.ref, type_.where) == (ColumnRef(WORK, YEAR), Where.TYPE)
    [localized] = index.find("herkunft")
    assert (localized.ref, localized.text) == (TableRef(PLACE), "Herkunftsort")
    assert [hit.where for hit in index.find("place")][:1] == [Where.NAME]
    assert index.find("  ") == ()


def _no_names(_ref: NamedRef) -> Mapping[str, str]:
    return {}


def _names(ref: NamedRef) -> Mapping[str, str]:
    return {"de-DE": "Herkunftsort"} if ref == TableRef(PLACE) else {}


def test_documents_without_tables_have_no_hits() -> None:
    """An empty model is searched like any other."""
    assert SearchIndex(Document({}, ()), _no_names).find("x") == ()
