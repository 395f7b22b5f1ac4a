"""The XML of a document has the values of its JSON (wire §5)."""

from xml.etree import ElementTree as ET

from server_stub.schema import to_xml
from server_stub.schema.versions import new_head
from tests.server_stub.schema.documents import Json, column, document, museum, table

SPACE = "{urn:content-database:schema:1}"


def _root(schema: Json) -> ET.Element:
    return ET.fromstring(to_xml(schema))  # noqa: S314 — the server's own output


def test_form_of_the_xml() -> None:
    """XML has one root `schema` in its namespace, kebab-case, and booleans as digits."""
    root = _root(new_head(museum(), None, None))
    assert root.tag == f"{SPACE}schema"
    assert root.get("max-table-id") == "6"
    work = root.find(f"{SPACE}tables/{SPACE}table[@name='work']")
    assert work is not None
    assert (work.get("pool-link"), work.get("table-id")) == ("1", "1")


def test_values() -> None:
    """Attributes have the values of the JSON; what the contract does not name is an `other` element."""
    for default, text in ((False, "false"), (7, "7"), ("a\n b", '"a\\n b"'), ([1, None], "[1,null]")):
        one = column("x", default=default, check_range_lower=-2, length_max=5, not_null=True)
        root = _root(document(table("work", one, comment='1\n "<ä>" \0'), unknown={"a": [1, "<"]}))
        (work,), (other,) = root.iter(f"{SPACE}table"), root.iter(f"{SPACE}other")
        assert work.attrib == {"name": "work", "comment": '1\n "<ä>" \ufffd'}
        (only,) = work.iter(f"{SPACE}column")
        assert only.attrib == {
            "kind": "column",
            "name": "x",
            "type": "text_oneline",
            "length-max": "5",
            "check-range-lower": "-2",
            "not-null": "1",
            "default": text,
        }
        assert (other.get("name"), other.text) == ("unknown", '{"a":[1,"<"]}')
