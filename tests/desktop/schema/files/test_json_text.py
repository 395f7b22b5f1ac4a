"""Tests of changing values in a JSON text: all other characters are unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.files.json_text import update_json_text

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=4),
    max_leaves=12,
)
_STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t", "ensure_ascii": False}, {"separators": (",", ":")}]
)


@given(_VALUES, _VALUES, _STYLES)
@settings(max_examples=300, deadline=None)
def test_the_text_has_the_new_value(old: object, new: object, style: dict[str, object]) -> None:
    """This holds for any old and new value; without a change the text is the same."""
    text = f"\n{json.dumps(old, **style)}\n"  # type: ignore[arg-type]
    assert json.loads(update_json_text(text, old, new)) == new
    assert update_json_text(text, old, old) == text


@pytest.mark.parametrize(
    ("text", "new", "changed"),
    [
        ('{\n\t"a": 1.50,\n\t"b": 2\n}\n', {"a": 1.5, "b": 3}, '{\n\t"a": 1.50,\n\t"b": 3\n}\n'),
        ('{"a":1,"b":[1,2]}', {"a": 1, "b": [1, 2, {"c": []}]}, '{"a":1,"b":[1,2,{"c":[]}]}'),
        ('{ "a" : "\\u00fc" }', {"a": "ü", "b": "ö"}, '{ "a" : "\\u00fc", "b" : "\\u00f6" }'),
        ('{"a":"x\\/y"}', {"a": "y/z"}, '{"a":"y\\/z"}'),
        ('{"a": "\\u00FC"}', {"a": "ÖÜ"}, '{"a": "\\u00D6\\u00DC"}'),
        ("[\r\n  1,\r\n  2\r\n]", [1, 2, [3]], "[\r\n  1,\r\n  2,\r\n  [\r\n    3\r\n  ]\r\n]"),
        ("[\n  1,\n  2\n]", [2], "[\n  2\n]"),
        ("[\n  1\n]", [], "[]"),
        ('{\n  "a": []\n}', {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
        ('{"a": 1, "b": 2}', {"c": 1, "b": 2}, '{"c": 1, "b": 2}'),
        ('{"a": 1, "a": 2}', {"a": 3}, '{"a": 3}'),
        ("[true, 1]", [1, True], "[1, true]"),
    ],
)
def test_the_style_of_the_text_is_kept(text: str, new: object, changed: str) -> None:
    """Indentation, line ends, separators, escapes and the spelling of numbers are kept."""
    assert update_json_text(text, json.loads(text), new) == changed


def test_moved_items_keep_their_spelling() -> None:
    """They are identified by id; besides, only a comma at the end of a line changes."""
    text = '[\n {"table_id": 1, "name": "a", "n": 1.0},\n {"table_id": 2,   "name": "b"}\n]'
    old = json.loads(text)
    moved = [{**old[1], "name": "c"}, old[0]]
    assert update_json_text(text, old, moved) == (
        '[\n {"table_id": 2,   "name": "c"},\n {"table_id": 1, "name": "a", "n": 1.0}\n]'
    )


def test_a_nested_value_can_be_changed() -> None:
    """Its path may be long."""
    old: object = 1
    new: object = 2
    for _ in range(60):
        old, new = {"a": [old]}, {"a": [new]}
    text = json.dumps(old, indent=1)
    assert json.loads(update_json_text(text, old, new)) == new
