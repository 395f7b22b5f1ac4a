"""Tests of files that other programs have written, and of damaged and hostile ones."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.formats import ExchangeFormat, describe, guess_format, read_model
from cdb_desktop.schema.exchange.incoming import Imported, import_tables
from cdb_desktop.schema.exchange.relational import ExchangeError
from tests.desktop.schema.models import museum
from tests.durations import shortest

EMPTY = Document({"type": "user"}, ())
DBML, MERMAID = ExchangeFormat.DBML, ExchangeFormat.MERMAID
POSTGRESQL, MYSQL, SQLITE = ExchangeFormat.POSTGRESQL, ExchangeFormat.MYSQL, ExchangeFormat.SQLITE

SHOP_POSTGRESQL = """
\\restrict abc
-- a comment; with a semicolon
SET statement_timeout = 0;
CREATE TYPE public.mood AS ENUM ('sad; ''quoted''', 'ok');
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN; CREATE TABLE no (x int); END; $body$;
CREATE TABLE public."User" (
    id integer NOT NULL,
    "firstName" character varying(20) DEFAULT 'a;b' NOT NULL,
    feeling public.mood,
    tags text[],
    price double precision,
    born timestamp with time zone,
    CONSTRAINT price_check CHECK ((price > (0)::double precision))
);
ALTER TABLE public."User" OWNER TO shop;
CREATE TABLE public.orders (
    id uuid NOT NULL,
    "user" integer,
    amount numeric(10,2),
    payload jsonb
);
COMMENT ON TABLE public.orders IS 'What was bought; all of it';
COPY public.orders (id, "user") FROM stdin;
1\t2; '
\\.
ALTER TABLE ONLY public."User" ADD CONSTRAINT user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX orders_amount ON public.orders USING btree (amount);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_user FOREIGN KEY ("user") REFERENCES public."User"(id) ON DELETE SET NULL;
"""
SHOP_MYSQL = """
/*!40101 SET NAMES utf8mb4 */;
# a comment
DROP TABLE IF EXISTS `user`;
CREATE TABLE `user` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) NOT NULL COMMENT 'it\\'s; here',
  `is_on` tinyint(1) DEFAULT NULL,
  PRIMARY KEY (`id`), UNIQUE KEY `u` (`name`), KEY `k` (`is_on`)
) ENGINE=InnoDB AUTO_INCREMENT=3 COMMENT='People';
INSERT INTO `user` VALUES (1,'CREATE TABLE x (y int);',1);
CREATE TABLE `membership` (
  `user_id` int unsigned NOT NULL, `group_id` int NOT NULL,
  PRIMARY KEY (`user_id`,`group_id`),
  CONSTRAINT `c` FOREIGN KEY (`user_id`) REFERENCES `user` (`id`) ON DELETE CASCADE
);
"""
SHOP_SQLITE = """
PRAGMA foreign_keys=OFF;
CREATE TABLE IF NOT EXISTS album(id INTEGER PRIMARY KEY AUTOINCREMENT, title NVARCHAR(160) NOT NULL,
  artist INTEGER REFERENCES artist, [odd name] BLOB, loose);
CREATE TABLE artist("id" INTEGER PRIMARY KEY, "name" TEXT UNIQUE);
"""
SHOP_DBML = """
Project shop { database_type: 'PostgreSQL' Note: '''A
shop''' }
Enum status { open [note: 'x'] done }
Table public.users as U [headercolor: #fff] {
  id int [pk, increment] // automatic
  name varchar(20) [not null, unique, note: 'it\\'s', default: `now()`]
  created "timestamp with time zone" [default: 'a, b]']
  Note { 'People' }
}
Table orders {
  id int [pk]
  user_id int [ref: > U.id, not null]
  state status
  indexes { (user_id, state) [unique, name: 'x'] state }
}
Table order_items { order_id int  item_id int  indexes { (order_id, item_id) [pk] } }
Table items { id int [pk] }
Ref: order_items.order_id > orders.id [delete: cascade]
Ref several { items.id < order_items.item_id }
Ref: users.id <> items.id
TableGroup all { users orders }
""".replace("int  ", "int\n")
SHOP_MERMAID = """# A page
```mermaid
---
title: Shop
---
erDiagram
    direction LR
    CUSTOMER ||--o{ ORDER : places
    CUSTOMER {
        int id PK
        string name "full name"
        string e-mail UK
    }
    ORDER["An order"] { int id PK }
    ORDER }|..|{ ITEM : contains
    ITEM { int id PK; float price }
    CAR only one to zero or more ITEM : "carries"
    ORDER {
        int number
    }
```
"""


def _imported(text: str, format_: ExchangeFormat, base: Document = EMPTY) -> Imported:
    return import_tables(read_model(text.encode(), format_), base)


def _shown(found: Imported) -> dict[str, dict[str, str]]:
    """The columns of each table with their types, or the tables that they link to."""
    shown: dict[str, dict[str, str]] = {}
    for table in describe(found.document).tables:
        links = {link.columns[0]: f"→ {link.target}" for link in table.links}
        shown[table.name] = {column.name: links.get(column.name, column.type) for column in table.columns}
    return shown


def _reported(found: Imported) -> dict[str, tuple[str, ...]]:
    return {str(loss.what): loss.elements for loss in found.losses}


def test_a_dump_of_postgresql() -> None:
    """Keys behind the tables, quoted names, rows, functions and types of its own."""
    found = _imported(SHOP_POSTGRESQL, POSTGRESQL)
    assert _shown(found) == {
        "user_table": {
            "first_name": "text_oneline",
            "feeling": "text_oneline",
            "tags": "text",
            "price": "decimal.2",
            "born": "datetime",
        },
        "orders": {"user": "→ user_table", "amount": "decimal.2", "payload": "text"},
    }
    assert find_problems(found.document, None) == ()
    reported = _reported(found)
    assert reported["Names that had to be changed"] == (
        "User → user_table",
        "user_table.firstName → first_name",
    )
    assert reported["Primary keys, which are automatic here"] == ("User.id", "orders.id")
    assert reported["Delete rules of links"] == ("orders.user",)
    assert reported["Checks of values"] == ("User",)
    assert reported["CREATE TYPE of SQL"] == ("public.mood",)
    assert reported["Type jsonb, which becomes text"] == ("orders.payload",)
    orders = found.document.tables[1]
    assert orders.raw["comment"] == "What was bought; all of it"
    assert [key.column_keys for key in orders.unique_keys] == [(orders.columns[1].key,)]


def test_a_dump_of_mysql() -> None:
    """Reserved names, tables without a key of their own, links to tables that are not in the file."""
    found = _imported(SHOP_MYSQL, MYSQL)
    assert _shown(found) == {
        "user_table": {"name": "text_oneline", "is_on": "boolean"},
        "membership": {"user_id": "→ user_table", "group_id": "number"},
    }
    assert found.document.tables[0].raw["comment"] == "People"
    assert len(found.document.tables[1].unique_keys) == 1
    assert _reported(found)["Comments of columns"] == ("user.name",)
    assert find_problems(found.document, None) == ()


def test_a_dump_of_sqlite() -> None:
    """References without columns and forward, columns without a type, names in brackets."""
    found = _imported(SHOP_SQLITE, SQLITE)
    assert _shown(found) == {
        "album": {"title": "text_oneline", "artist": "→ artist", "odd_name": "eas", "loose": "text"},
        "artist": {"name": "text"},
    }
    assert find_problems(found.document, None) == ()


def test_dbml_of_others() -> None:
    """Aliases, inline references, notes, enumerations, groups, relations of many to many."""
    found = _imported(SHOP_DBML, DBML)
    assert _shown(found) == {
        "users": {"name": "text_oneline", "created": "datetime"},
        "orders": {"user_id": "→ users", "state": "text_oneline"},
        "order_items": {"order_id": "→ orders", "item_id": "→ items"},
        "items": {},
    }
    assert found.document.tables[0].raw["comment"] == "People"
    assert _reported(found)["Many-to-many relations, which need a table of their own"] == ("users <> items",)
    assert _reported(found)["Lists of allowed values"] == ("status",)


def test_mermaid_of_others() -> None:
    """In a Markdown file, with links that no attribute stands for, and relations in words."""
    found = _imported(SHOP_MERMAID, MERMAID)
    assert _shown(found) == {
        "customer": {"name": "string", "e_mail": "string"},
        "order": {"number": "number", "customer": "→ customer"},
        "item": {"price": "decimal.2", "car": "→ car"},
        "car": {},
    }
    assert _reported(found)["Many-to-many relations, which need a table of their own"] == ("ORDER – ITEM",)


def test_an_import_replaces_the_model_that_is_there() -> None:
    """Tables and columns that are not in the file go, those with the same name keep what they have."""
    base = read_document(museum())
    text = "Table work { title text [not null]\nsize int }\nTable room { name text\n }"
    replaced = _imported(text, DBML, base).document
    work, _ = replaced.tables
    assert [table.name for table in replaced.tables] == ["work", "room"]
    assert [column.name for column in work.columns] == ["title", "size"]
    assert work.columns[0] == base.by_key[work.key].columns[0]
    assert find_problems(replaced, None) == ()


def test_names_that_become_the_same_get_numbers() -> None:
    """No table and no column takes the place of another one."""
    text = 'Table "Order Item" {\n"A b" text\n"A-b" text\n}\nTable "order-item" {\nx text\n}'
    first, second = _imported(text, DBML).document.tables
    assert (first.name, second.name) == ("order_item", "order_item_2")
    assert [column.name for column in first.columns] == ["a_b", "a_b_2"]


@pytest.mark.parametrize(
    ("text", "format_", "line", "what"),
    [
        ("CREATE TABLE a (\n x int,\n y int int,,\n z", POSTGRESQL, 3, "This is no PostgreSQL at “int”."),
        ("SELECT 1;\n\nCREATE TABLE a (x int);\nCREATE TABLE a (x int);", SQLITE, 4, "a second table a"),
        ("CREATE TABLE a (x int, x int)", MYSQL, 1, "a second column a.x"),
        ("CREATE TABLE a (\n x text DEFAULT 'never ends);", MYSQL, 2, "does not end"),
        ("\n/* never ends", POSTGRESQL, 0, "No table"),
        ("SELECT $a$ never ends", POSTGRESQL, 1, "does not end"),
        ("CREATE TABLE a (x int CHECK " + "(" * 3000 + "1" + ")" * 3000 + ")", SQLITE, 1, "too deeply"),
        ("Table a {\n  x int [pk\n}", DBML, 3, "The file ends"),
        ("Table a {\n  x\n}", DBML, 2, "The type of a column is expected"),
        ("Table a { x int }\nTable a { x int }", DBML, 2, "a second table a"),
        ("Table a { x int }\nRef: a.x > b.y", DBML, 2, "There is no table b."),
        ("Table a { x int }\nRef: a.y > a.x", DBML, 2, "There is no column a.y."),
        ("Tabelle a { }", DBML, 1, "“Tabelle” begins no element of DBML."),
        ("{" * 100_000, DBML, 1, "A word is expected"),
        ("erDiagram\n  a {\n    int\n  }", MERMAID, 3, "An attribute with type and name is expected"),
        ("erDiagram\n  a ||--o{ b c d", MERMAID, 2, "is no part of an entity relationship diagram"),
        ("erDiagram\n  a {\n int x", MERMAID, 2, "is not closed"),
        ("flowchart LR", MERMAID, 0, "There is no erDiagram"),
        ("", DBML, 0, "No table is defined"),
    ],
)
def test_errors_have_a_line_and_a_remedy(text: str, format_: ExchangeFormat, line: int, what: str) -> None:
    """Nothing is imported of a file that is not understood."""
    with pytest.raises(ExchangeError) as caught:
        read_model(text.encode(), format_)
    assert caught.value.line == line
    assert what in str(caught.value.message)
    assert str(caught.value.remedy)


def test_other_encodings() -> None:
    """UTF-16 with a mark, as PowerShell writes it, is read; bytes that are no text are refused."""
    text = "Table a {\r\n  x int\r\n}"
    assert len(read_model(b"\xff\xfe" + text.encode("utf-16-le"), DBML).tables) == 1
    with pytest.raises(ExchangeError) as caught:
        read_model(b"Table a {\n \xff\xff", DBML)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("format_", "piece"),
    [
        *((POSTGRESQL, piece) for piece in ("'", "$1$ ", "/*", "--\n", "CREATE TABLE ")),
        *((ExchangeFormat.MYSQL, piece) for piece in ("`", "--\n")),
        *((DBML, piece) for piece in ('"', "(", "{\n", "a ")),
        *((ExchangeFormat.MERMAID, piece) for piece in ('"', "a ", "||")),
    ],
)
def test_megabytes_of_nonsense_are_refused_soon(format_: ExchangeFormat, piece: str) -> None:
    """In time that grows with the length only."""

    def refuse(count: int) -> None:
        with pytest.raises(ExchangeError):
            read_model(b"erDiagram\n" + (piece * count).encode(), format_)

    # Sixteen times as long if it grew with the square of the length.
    assert shortest(lambda: refuse(40_000)) < 10 * shortest(lambda: refuse(10_000))


def test_files_that_are_too_large_are_refused() -> None:
    """With the advice to leave out the rows."""
    with pytest.raises(ExchangeError) as caught:
        read_model(b" " * 10_000_001, POSTGRESQL)
    assert "--schema-only" in str(caught.value.remedy)


def test_an_import_can_be_stopped() -> None:
    """By an exception of what is called with the progress."""

    def stop(_done: float) -> None:
        raise InterruptedError

    for format_, text in ((POSTGRESQL, SHOP_POSTGRESQL), (DBML, SHOP_DBML), (MERMAID, SHOP_MERMAID)):
        with pytest.raises(InterruptedError):
            read_model(text.encode(), format_, stop)


@pytest.mark.parametrize(
    ("name", "text", "format_"),
    [
        ("a.dbml", "", DBML),
        ("a.mmd", "", MERMAID),
        ("a.md", "", MERMAID),
        ("a.txt", "erDiagram", MERMAID),
        ("a.txt", "Table a {}", DBML),
        ("a.sql", SHOP_POSTGRESQL, POSTGRESQL),
        ("a.sql", SHOP_MYSQL, MYSQL),
        ("a.sql", SHOP_SQLITE, SQLITE),
        ("a", "create table a (x serial)", POSTGRESQL),
    ],
)
def test_the_format_is_guessed(name: str, text: str, format_: ExchangeFormat) -> None:
    """From the name of the file and from what only one database writes."""
    assert guess_format(name, text.encode()) is format_
