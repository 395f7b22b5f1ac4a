"""Which attributes and parts each element of a schema document has (wire §5): one table for JSON and XML."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What an attribute holds; the words stand in refusals."""

    BOOLEAN = "true or false"
    INTEGER = "an integer"
    TEXT = "a text"
    TEXTS = "a list of texts without blanks"
    BOUND = "a number or a text"
    ANY = "any value"


class Attribute(msgspec.Struct, frozen=True):
    """One plain value of an element."""

    name: str
    kind: Kind
    required: bool = False


class Part(msgspec.Struct, frozen=True):
    """One or many elements inside another one, under one key."""

    name: str
    element: Element
    many: bool = True
    required: bool = False


class Element(msgspec.Struct, frozen=True):
    """An object of the document; `tag` is its name in XML and in refusals."""

    tag: str
    attributes: tuple[Attribute, ...]
    parts: tuple[Part, ...] = ()


def _many(kind: Kind, names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, kind) for name in names.split())


_REFERENCE = Element(
    "reference",
    (
        Attribute("column_id", Kind.INTEGER),
        Attribute("column_name_hint", Kind.TEXT),
        *_many(Kind.BOOLEAN, "auto_column_primary_key auto_column_uplink auto_column_parent unique_true"),
    ),
)
_REFERENCES = Part("columns", _REFERENCE, required=True)
_REFERENCED_TABLE = Element(
    "referenced-table",
    (
        Attribute("table_id", Kind.INTEGER),
        *_many(Kind.TEXT, "name_hint table_name_hint"),
    ),
    (_REFERENCES,),
)
_OWNED_BY = Element(
    "owned-by", (Attribute("other_table_id", Kind.INTEGER), Attribute("other_table_name_hint", Kind.TEXT))
)
_COLUMN = Element(
    "column",
    (
        Attribute("kind", Kind.TEXT, required=True),
        *_many(Kind.INTEGER, "column_id other_table_id other_column_id length_min length_max"),
        *_many(Kind.TEXT, "name type other_table_name_hint other_column_name_hint"),
        *_many(Kind.TEXT, "check check_regexp check_regexp_flags"),
        *_many(Kind.BOUND, "check_range_lower check_range_upper"),
        *_many(Kind.BOOLEAN, "not_null reverse_edit check_range_lower_open check_range_upper_open"),
        Attribute("default", Kind.ANY),
    ),
)
_FOREIGN_KEY = Element(
    "foreign-key",
    _many(Kind.TEXT, "name on_delete on_update"),
    (_REFERENCES, Part("referenced_table", _REFERENCED_TABLE, many=False, required=True)),
)
_UNIQUE_KEY = Element(
    "unique-key", (Attribute("name", Kind.TEXT), Attribute("group", Kind.ANY)), (_REFERENCES,)
)
_TABLE = Element(
    "table",
    (
        Attribute("table_id", Kind.INTEGER),
        Attribute("name", Kind.TEXT, required=True),
        *_many(Kind.BOOLEAN, "is_hierarchical pool_link acl_table has_tags in_main_search in_facets"),
        Attribute("require_comment", Kind.BOOLEAN),
        Attribute("comment", Kind.TEXT),
        *_many(Kind.ANY, "primary_key omni_directional"),
    ),
    (
        Part("owned_by", _OWNED_BY, many=False),
        Part("columns", _COLUMN),
        Part("foreign_keys", _FOREIGN_KEY),
        Part("unique_keys", _UNIQUE_KEY),
    ),
)
SCHEMA = Element(
    "schema",
    (
        Attribute("type", Kind.TEXT),
        Attribute("version", Kind.INTEGER, required=True),
        *_many(Kind.INTEGER, "based_on_version based_on_base_version max_table_id max_column_id"),
        Attribute("l10n_languages", Kind.TEXTS),
    ),
    (Part("tables", _TABLE, required=True),),
)
