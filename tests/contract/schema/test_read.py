"""§4.6, §2.4, §3 and wire §5: reading versions of the schema in four forms."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from tests.contract.caller import Caller, assert_error
from tests.contract.documents import column, museum, named

NAMESPACE = "{urn:content-database:schema:1}"


@pytest.mark.parametrize("version", ["HEAD", "CURRENT", "1", "7"])
def test_before_the_first_update(caller: Caller, version: str) -> None:
    """Without a version the response is 404 in every format (§3, §4.6, wire §4)."""
    viewer = caller.signed_in("viewer")
    for form in ({}, {"format": "xml"}, {"format": "json"}, {"format": "svg"}, {"format": "png"}):
        answer = viewer.get(f"schema/user/{version}", **form)
        assert_error(answer, "error.user.instance_not_found", 404, id=version)


def test_pointers_and_numbers(caller: Caller) -> None:
    """HEAD is version 1 from the first update on; CURRENT is 404 until the first commit (§3, wire §5)."""
    root = caller.signed_in("root")
    made = root.post("schema/user/HEAD", museum()).json()
    for pointer in ("HEAD", "1"):
        answer = root.get(f"schema/user/{pointer}", format="json")
        assert (answer.status_code, answer.json()) == (200, made)
    for missing in ("CURRENT", "2"):
        answer = root.get(f"schema/user/{missing}", format="json")
        assert_error(answer, "error.user.instance_not_found", 404, id=missing)
    assert root.post("schema/commit").status_code == 200
    for pointer in ("CURRENT", "1"):
        assert root.get(f"schema/user/{pointer}", format="json").json() == made
    head = root.get("schema/user/HEAD", format="json").json()
    assert (head["version"], head["based_on_version"]) == (2, 1)
    assert head["tables"] == made["tables"]


def test_committed_versions_stay(caller: Caller) -> None:
    """A committed version remains readable under its number (wire §5)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    root.post("schema/commit")
    first = root.get("schema/user/1", format="json").json()
    head = root.get("schema/user/HEAD", format="json").json()
    named(head, "place")["columns"].append(column("code"))
    assert root.post("schema/user/HEAD", head).status_code == 200
    assert root.get("schema/user/CURRENT", format="json").json() == first
    root.post("schema/commit")
    second = root.get("schema/user/CURRENT", format="json").json()
    assert second["version"] == 2
    assert root.get("schema/user/2", format="json").json() == second
    assert root.get("schema/user/1", format="json").json() == first


def test_json(caller: Caller) -> None:
    """JSON contains the attributes of the document and of each element (wire §5)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    answer = root.get("schema/user/HEAD", format="json")
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    document = answer.json()
    assert (document["type"], document["version"]) == ("user", 1)
    assert document["l10n_languages"] == ["de-DE", "en-US"]
    assert document.keys() >= {"max_table_id", "max_column_id", "tables"}
    assert [found["name"] for found in document["tables"]] == [found["name"] for found in museum()["tables"]]


def test_xml(caller: Caller) -> None:
    """XML is the default: root `schema` in its namespace, kebab-case, booleans 1 and 0 (wire §5)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    answer = root.get("schema/user/HEAD", format="xml")
    assert answer.headers["content-type"].partition(";")[0] in {"application/xml", "text/xml"}
    assert root.get("schema/user/HEAD").content == answer.content
    document = ET.fromstring(answer.content)  # noqa: S314 - our own server's
    assert document.tag == f"{NAMESPACE}schema"
    tables = {found.get("name"): found for found in document.iter(f"{NAMESPACE}table")}
    assert tables.keys() == {found["name"] for found in museum()["tables"]}
    assert tables["place"].get("is-hierarchical") == "1"
    title = next(found for found in tables["work"].iter() if found.get("name") == "title")
    assert (title.get("not-null"), title.get("type")) == ("1", "text_oneline")
    for element in document.iter():
        assert element.tag.startswith(NAMESPACE)
        assert "_" not in element.tag + "".join(element.attrib)


def test_pictures(caller: Caller) -> None:
    """svg and png are files; the svg contains the full name of every table (wire §5)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    svg = root.get("schema/user/HEAD", format="svg")
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert ET.fromstring(svg.content).tag.endswith("svg")  # noqa: S314 - our own server's
    for found in museum()["tables"]:
        assert f">{found['name']}<" in svg.text
    png = root.get("schema/user/HEAD", format="png")
    assert png.headers["content-type"] == "image/png"
    assert png.content.startswith(b"\x89PNG\r\n\x1a\n")


# §4.6: xml and json answer with a schema, svg and png with a file; how each begins.
FORMATS = {"xml": b"<?xml", "json": b"{", "svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n"}


def test_each_format(caller: Caller) -> None:
    """Every format is available for every version; files have a suggested name."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    assert root.post("schema/commit").status_code == 200
    for version in ("1", "CURRENT", "HEAD"):
        for form, begins in FORMATS.items():
            answer = root.get(f"schema/user/{version}", format=form)
            assert (answer.status_code, form in answer.headers["content-type"]) == (200, True)
            assert answer.content.startswith(begins), form
            is_file = f'filename="schema-{version}.{form}"' in answer.headers.get("content-disposition", "")
            assert is_file is (form in {"svg", "png"})


def test_refuses_another_format(caller: Caller) -> None:
    """A format other than xml, json, svg and png is a 400 API error."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    for form in ("", "pdf", "JSON"):
        assert_error(root.get("schema/user/HEAD", format=form), "error.api.invalid_value")


def test_what_is_no_version(caller: Caller) -> None:
    """A malformed version is an API error or not found (§4.6 leaves it open)."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", museum())
    for version in ("0", "-1", "1.0", "head", "LATEST", "99999999999999999999"):
        answer = root.get(f"schema/user/{version}", format="json")
        assert answer.status_code in {400, 404}, version
        assert answer.json()["realm"] == ("api" if answer.status_code == 400 else "user")


def test_no_tables(caller: Caller) -> None:
    """A schema without tables is valid and can be drawn."""
    root = caller.signed_in("root")
    assert root.post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []}).status_code == 200
    for form in ("xml", "json", "svg", "png"):
        assert root.get("schema/user/HEAD", format=form).status_code == 200
