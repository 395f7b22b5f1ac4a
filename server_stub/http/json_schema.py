"""Pieces of JSON schemas of bodies and answers."""

from __future__ import annotations

from collections.abc import Mapping

JsonSchema = Mapping[str, object]

STRING: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}
BOOLEAN: JsonSchema = {"type": "boolean"}
# A word with capitals, as Python's own names of JSON's types are not.
OBJECT: JsonSchema = {"type": "object"}
TIME: JsonSchema = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$",
}
NAMES: JsonSchema = {
    "type": "object",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    "description": "schema.<table>.name and schema.<table>.column.<column>, each with texts by language",
}


def record(required: dict[str, JsonSchema], /, **optional: JsonSchema) -> JsonSchema:
    """An object of exactly these members."""
    return {
        "type": "object",
        "required": list(required),
        "properties": required | optional,
        "additionalProperties": False,
    }


def array(items: JsonSchema) -> JsonSchema:
    """A list of equal things."""
    return {"type": "array", "items": items}


def either(*choices: JsonSchema) -> JsonSchema:
    """Any of some shapes."""
    return {"anyOf": list(choices)}


def ref(name: str) -> JsonSchema:
    """A reference to one of the components of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{name}"}


# The JSON schema of `instance`.
INSTANCE: dict[str, JsonSchema] = {
    "name": STRING,
    "api": STRING,
    "server_version": STRING,
    "easydb_version": STRING,
    "solution": STRING,
    "user-schema": INTEGER,
    "db-name": STRING,
}
