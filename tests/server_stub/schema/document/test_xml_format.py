"""Documents are unchanged after a round trip through XML (wire §5)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from server_stub.schema import from_xml, to_xml
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import MODELS, Json, column, document, model_of, museum, table

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.lists(st.booleans())


def test_form_of_the_xml() -> None:
    """XML has one root `schema` in its namespace, kebab-case, and booleans as digits."""
    root = ET.fromstring(to_xml(new_head(museum(), None, None)))  # noqa: S314 — the server's own output
    space = "{urn:content-database:schema:1}"
    assert root.tag == f"{space}schema"
    assert root.get("max-table-id") == "6"
    work = root.find(f"{space}tables/{space}table[@name='work']")
    assert work is not None
    assert (work.get("pool-link"), work.get("table-id")) == ("1", "1")
    made = work.find(f"{space}columns/{space}column[@name='shown']")
    assert made is not None
    assert made.get("default") == "false"


def test_a_museum_survives() -> None:
    """A round trip changes nothing in a model of every kind of table."""
    head = new_head(museum(), None, None)
    assert from_xml(to_xml(head)) == head


def test_real_models_survive() -> None:
    """A round trip changes nothing in real models."""
    for path in MODELS:
        model = model_of(path)
        assert from_xml(to_xml(model)) == model


def printable(value: object) -> object:
    """The value as XML can contain it: forbidden characters become U+FFFD."""
    if isinstance(value, str):
        return "".join("\ufffd" if ord(one) < 32 and one not in "\t\n\r" else one for one in value)
    return value


@settings(max_examples=60, deadline=None)
@given(comment=TEXTS, unknown=VALUES, default=VALUES, not_null=st.booleans(), length=st.integers(0))
def test_values_survive(comment: str, unknown: object, default: object, not_null: bool, length: int) -> None:
    """Blanks, quotes, line ends, numbers and unknown attributes are preserved."""
    more: Json = {"not_null": not_null, "length_max": length}
    if default is not None:
        more["default"] = default
    one = table("work", column("x", **more), comment=comment)
    after = from_xml(to_xml(document(one, unknown=unknown)))
    expected = one | {"comment": printable(comment)}
    assert after["unknown"] == unknown
    assert after["tables"][0] == expected
