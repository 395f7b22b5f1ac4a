"""Builders of schema documents (wire §5) as a client posts them: without ids, with names as hints."""

from typing import Any

Json = dict[str, Any]


def column(name: str, kind: str = "text_oneline", **more: Any) -> Json:
    """A column; by default the type is spelled as in the documentation."""
    return {"kind": "column", "name": name, "type": kind} | more


def table(name: str, *columns: Json, **more: Any) -> Json:
    """A table with columns and nothing else."""
    return {"name": name, "columns": list(columns), "foreign_keys": [], "unique_keys": []} | more


def schema(*tables: Json, version: int = 1, **more: Any) -> Json:
    """A document of some tables."""
    return {"type": "user", "version": version, "tables": list(tables)} | more


def foreign_key(own: str, target: str, **more: Any) -> Json:
    """The foreign key that makes a column of type link refer to another table."""
    referenced = {"name_hint": target, "columns": [{"auto_column_primary_key": True}]}
    key: Json = {"columns": [{"column_name_hint": own}], "referenced_table": referenced}
    return key | {"on_delete": "restrict", "on_update": "cascade"} | more


def nested_in(owner: str) -> Json:
    """`owned_by` of a nested table."""
    return {"owned_by": {"other_table_name_hint": owner}}


def holder_of(nested: str) -> Json:
    """The column of kind link that the owner has for a nested table."""
    return {"kind": "link", "other_table_name_hint": nested}


def museum() -> Json:
    """Every kind of table: plain, hierarchical, pooled, nested to two levels, linked, with a reverse edit."""
    by_artist = foreign_key("artist", "artist")
    return schema(
        table(
            "work",
            column("title", not_null=True),
            column("year", "number"),
            column("artist", "link"),
            holder_of("work__part"),
            foreign_keys=[by_artist],
            unique_keys=[{"columns": [{"column_name_hint": "title"}]}],
            pool_link=True,
            in_main_search=True,
        ),
        table("work__part", column("label"), holder_of("work__part__note"), **nested_in("work")),
        table("work__part__note", column("note", "text"), **nested_in("work__part")),
        table("artist", column("name", "text_l10n_oneline"), column("born", "date")),
        table("place", column("name"), is_hierarchical=True),
        l10n_languages=["de-DE", "en-US"],
    )


def named(document: Json, name: str) -> Json:
    """The table with a name."""
    found: Json = next(table for table in document["tables"] if table["name"] == name)
    return found


def field(document: Json, table_name: str, name: str) -> Json:
    """The column with a name."""
    found: Json = next(c for c in named(document, table_name)["columns"] if c.get("name") == name)
    return found
