"""Tests that an export of a model can be imported again, and is accepted by the tools that it is for."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.formats import ExchangeFormat, describe, export_model, read_model
from cdb_desktop.schema.exchange.incoming import import_tables
from cdb_desktop.schema.exchange.relational import RelationalColumn, RelationalTable
from cdb_desktop.schema.files.model_files import decode_model
from tests.desktop.schema.models import MODEL_FILES, column, link, museum, table, unique
from tests.postgresql import Cluster

EMPTY = Document({"type": "user"}, ())
SQL = (ExchangeFormat.POSTGRESQL, ExchangeFormat.MYSQL, ExchangeFormat.SQLITE)
TYPES = (
    *("text", "text_oneline", "string", "text_l10n", "text_l10n_oneline", "number", "integer", "integer.2"),
    *("decimal.2", "serial", "boolean", "date", "datetime", "date_time", "daterange", "date_range"),
    *("eas", "assetsvc", "custom:base.geo.point"),
)


def every_type() -> Document:
    """A table with a column of each type, required and not, and names that are words of SQL and Mermaid."""
    columns = [column(number, f"c{number}", type_) for number, type_ in enumerate(TYPES, 1)]
    words = ("order", "class", "pk", "table", "select", "one", "title")
    columns += [column(100 + number, word, not_null=True) for number, word in enumerate(words)]
    keys = [unique("every", order=100), unique("every", order=100, c6=6)]
    target = link("every", 50, "linked", 2, "class")
    raw = table(1, "every", *columns, column(50, "linked", "link"), unique_keys=keys, foreign_keys=[target])
    return read_document({"type": "user", "tables": [raw, table(2, "class", column(200, "group"))]})


DOCUMENTS = {
    "museum": read_document(museum()),
    "every type": every_type(),
    **{file.stem: decode_model(file.read_bytes()).document for file in MODEL_FILES},
}


def _comparable(table: RelationalTable, format_: ExchangeFormat) -> RelationalTable:
    """A table without what the format has no counterpart for."""
    is_mermaid = format_ is ExchangeFormat.MERMAID
    unique_keys = {key for key in table.unique if not (is_mermaid and len(key) > 1)}
    linked = {link.columns[0] for link in table.links}
    return replace(
        table,
        unique=tuple(sorted(unique_keys)),
        links=tuple(sorted((replace(each, on_delete="", on_update="") for each in table.links), key=str)),
        comment="" if format_ in (ExchangeFormat.SQLITE, ExchangeFormat.MERMAID) else table.comment,
        columns=tuple(
            RelationalColumn(
                each.name, each.type, bool(each.required) and (not is_mermaid or each.name in linked)
            )
            for each in table.columns
        ),
        line=0,
    )


@pytest.mark.parametrize("format_", ExchangeFormat)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_export_is_imported_as_the_same_tables(name: str, format_: ExchangeFormat) -> None:
    """With all columns, types, links, unique keys, nesting and hierarchies; the result has no errors."""
    document = DOCUMENTS[name]
    model = read_model(export_model(document, format_).text.encode(), format_)
    imported = import_tables(model, EMPTY).document
    before = [_comparable(each, format_) for each in describe(document).tables]
    after = [_comparable(each, format_) for each in describe(imported).tables]
    assert after == before
    assert find_problems(imported, None) == ()


@pytest.mark.parametrize("format_", ExchangeFormat)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_importing_an_export_changes_nothing(name: str, format_: ExchangeFormat) -> None:
    """What the format cannot express is kept: options, checks, ids, reverse links, unknown attributes."""
    document = DOCUMENTS[name]
    model = read_model(export_model(document, format_).text.encode(), format_)
    assert import_tables(model, document).document == document


def test_each_option_without_a_counterpart_is_reported() -> None:
    """By element, once."""
    losses = {str(loss.what): loss.elements for loss in export_model(DOCUMENTS["museum"], SQL[2]).losses}
    assert losses["Membership in pools"] == ("work",)
    assert losses["Option check_regexp"] == ("person.name",)
    assert losses["Reverse editing of links"] == ("picture.work",)
    assert losses["Files, which become JSON"] == ("picture.file",)
    assert losses["Localized texts, which become JSON"] == ("place.name",)
    assert losses["Comments of tables"] == ("work",)
    assert losses["Nested tables, which become tables with a foreign key to their owner"] == (
        "work__note",
        "work__note__mark",
    )
    assert "Masks and localized names, which are no part of the schema" in losses


@pytest.mark.parametrize("name", DOCUMENTS)
def test_sqlite_executes_its_definitions(name: str) -> None:
    """The database then has the tables and their foreign keys."""
    document = DOCUMENTS[name]
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(export_model(document, ExchangeFormat.SQLITE).text)
        found = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert found == {each.name for each in document.tables}
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        for each in document.tables:
            database.execute(f'SELECT * FROM "{each.name}"')  # noqa: S608  # names of our own


def test_postgresql_executes_its_definitions(cluster: Cluster) -> None:
    """A dump of the database can be imported and has the same tables."""
    for document in (DOCUMENTS["museum"], DOCUMENTS["every type"]):
        name = cluster.create_database()
        with cluster.connect(name) as connection:
            connection.execute(export_model(document, ExchangeFormat.POSTGRESQL).text.encode())
            rows = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            ).fetchall()
        assert {row[0] for row in rows} == {each.name for each in document.tables}
        dump = cluster.run("pg_dump", *_at(cluster), "--inserts", name)
        model = read_model(dump.encode(), ExchangeFormat.POSTGRESQL)
        found = import_tables(model, document).document
        assert {each.name for each in found.tables} == {each.name for each in document.tables}
        assert [len(each.links) for each in found.tables] == [len(each.links) for each in document.tables]
        assert find_problems(found, document) == ()
        cluster.drop_database(name)


def _at(cluster: Cluster) -> tuple[str, ...]:
    return ("-h", "127.0.0.1", "-p", str(cluster.port), "-U", "cdb")


def test_what_mysql_refuses_is_left_out_and_reported() -> None:
    """MariaDB 10.11 has refused each of these definitions."""
    numbers = [column(number, f"c{number}", "number") for number in range(1, 101)]
    keys = [unique("many", **{f"c{number}": number}) for number in range(1, 90)]
    to_itself = link("linked", 201, "self", 2, "linked", on_delete="set null")
    linked = table(2, "linked", column(201, "self", "link", not_null=True), foreign_keys=[to_itself])
    wide = table(3, "wide", *(column(300 + number, f"c{number}") for number in range(1_100)))
    raw = {"type": "user", "tables": [table(1, "many", *numbers, unique_keys=keys), linked, wide]}
    exported = export_model(read_document(raw), ExchangeFormat.MYSQL)
    assert exported.text.count(" UNIQUE (") == 63
    assert "SET NULL" not in exported.text
    losses = {str(loss.what) for loss in exported.losses}
    assert {
        "Unique keys beyond the 64 indexes that a table of MySQL can have",
        "“set null” on required links, which MySQL refuses",
        "Tables with more columns than MySQL allows (1,017)",
    } <= losses
    assert "SET NULL" in export_model(read_document(raw), ExchangeFormat.POSTGRESQL).text
