"""Documents are unchanged after a round trip through XML (wire §5)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import strategies as st

from server_stub.schema import to_xml
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import museum

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
