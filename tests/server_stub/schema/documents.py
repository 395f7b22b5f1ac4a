"""Small schema documents for tests, as a client posts them, and models of realistic shape."""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Exports of realistic shape, in both forms.
MODELS = sorted((Path(__file__).parents[2] / "data" / "models").glob("*.json"))


def document(*tables: Json, version: int = 1, **more: Any) -> Json:
    """A whole document."""
    return {"type": "user", "version": version, "tables": list(tables), **more}


def table(name: str, *columns: Json, **more: Any) -> Json:
    """A top-level table with lists for its keys."""
    return {"name": name, "columns": list(columns), "foreign_keys": [], "unique_keys": [], **more}


def column(name: str, type_: str = "text_oneline", **more: Any) -> Json:
    """A column that holds values."""
    return {"kind": "column", "name": name, "type": type_, **more}


def place_of(nested: str, **more: Any) -> Json:
    """The column of an owner for a nested table."""
    return {"kind": "link", "other_table_name_hint": nested, **more}


def owned_by(owner: str) -> Json:
    """The attribute of a nested table."""
    return {"owned_by": {"other_table_name_hint": owner}}


def foreign_key(column_name: str, target: str, **more: Any) -> Json:
    """A link to the primary key of another table, by hints."""
    return {
        "on_delete": "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": column_name}],
        "referenced_table": {"name_hint": target, "columns": [{"auto_column_primary_key": True}]},
        **more,
    }


def unique_key(*column_names: str, **more: Any) -> Json:
    """A unique key over columns, by hints."""
    return {"columns": [{"column_name_hint": name} for name in column_names], **more}


def museum() -> Json:
    """A model of every kind of table: links, nested ones two deep, a hierarchy, a pool, a reverse link."""
    return document(
        table(
            "work",
            column("title", "text_l10n", not_null=False),
            column("year", "number"),
            column("price", "decimal.2"),
            column("made", "date"),
            column("shown", "boolean", default=False),
            column("place", "link"),
            place_of("work__artists"),
            {"kind": "reverse_link", "other_table_name_hint": "image", "other_column_name_hint": "work"},
            foreign_keys=[foreign_key("place", "place")],
            unique_keys=[unique_key("title", "year")],
            pool_link=True,
            has_tags=True,
        ),
        table(
            "work__artists",
            column("artist", "link"),
            place_of("work__artists__roles"),
            foreign_keys=[foreign_key("artist", "artist")],
            **owned_by("work"),
        ),
        table("work__artists__roles", column("role"), **owned_by("work__artists")),
        table("artist", column("name", not_null=True), unique_keys=[unique_key("name")]),
        table("place", column("name"), is_hierarchical=True),
        table(
            "image",
            column("file", "eas"),
            column("work", "link", reverse_edit=True),
            foreign_keys=[foreign_key("work", "work", on_delete="cascade")],
        ),
        l10n_languages=["en-US", "de-DE"],
    )


def model_of(path: Path) -> Json:
    """The document in an export of either format, for an empty server."""
    content = json.loads(path.read_text(encoding="utf-8"))
    schema: Json = content.get("schema", content)
    schema = schema.get("HEAD", schema)
    return schema | {"version": 1}


def named(document_: Json, name: str) -> Json:
    """The table of a document with a name."""
    found: Json = next(table for table in document_["tables"] if table["name"] == name)
    return found


def column_of(table_: Json, name: str) -> Json:
    """The column of a table with a name."""
    found: Json = next(column for column in table_["columns"] if column.get("name") == name)
    return found
