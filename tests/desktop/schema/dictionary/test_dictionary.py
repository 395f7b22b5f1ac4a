"""Tests of the data dictionary: its page, its Markdown, and what hostile names do in them."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.schema.diagram.graphviz_layout import find_graphviz
from cdb_desktop.schema.dictionary.contents import Dictionary, DictionarySource
from cdb_desktop.schema.dictionary.html_page import draw_svg, write_html
from cdb_desktop.schema.dictionary.markdown import write_markdown
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.model_files import current_names, decode_model
from tests.desktop.schema.models import (
    TITLE,
    WORK,
    column,
    exported_text,
    link,
    museum,
    museum_export,
    table,
)

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
NAMES = {"schema.work.name": {"de-DE": "Werk", "en-US": "Work", "_comment": "x"}}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&\"'`|\x00\u2028]](javascript:1)"


class _Page(HTMLParser):
    """The tags, ids and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "xlink:href", "src"):
                self.links.append(value or "")
            elif name.startswith("on"):
                self.handlers.append(name)

    def handle_data(self, data: str) -> None:
        self.text += data


def _dictionary(document: Document, base: Document | None = None, names: Any = None) -> Dictionary:
    return Dictionary(DictionarySource("Museum", document, NOW, base, "CURRENT v7", names or {}))


def _changed() -> Document:
    raw = museum()
    work = next(each for each in raw["tables"] if each["table_id"] == WORK)
    next(each for each in work["columns"] if each.get("column_id") == TITLE)["name"] = "heading"
    raw["tables"] = [each for each in raw["tables"] if each["name"] != "picture"]
    return read_document(raw)


async def test_the_page_leads_to_every_table_and_column() -> None:
    """From the list, the diagram, links and changes; it loads nothing else and each id is there once."""
    document = read_document(museum())
    svg = await draw_svg(document, find_graphviz())
    ET.fromstring(svg)  # noqa: S314  # made by Graphviz just now
    page = _Page(write_html(_dictionary(document, _changed(), NAMES), svg))
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    assert all(address.startswith("#") for address in page.links)
    assert {address[1:] for address in page.links} <= set(page.ids)
    assert {f"t{each.key}" for each in document.tables} <= {address[1:] for address in page.links}
    assert page.links.count(f"#c{TITLE}") == 2  # from the diagram and from its change
    for expected in ("Werk", "Work", "6 tables", "What is shown", "in pools", "title + year"):
        assert expected in page.text


async def test_changes_are_listed_and_marked() -> None:
    """With the effect on existing data."""
    dictionary = _dictionary(_changed(), read_document(museum()))
    text = _Page(write_html(dictionary, "")).text
    assert "Changes since CURRENT v7" in text
    assert "Column work.title renamed to heading" in text
    assert "Table picture removed" in text
    assert "values are lost" in text
    assert "Column work.title renamed to heading" in write_markdown(dictionary).replace("\\", "")
    assert "Changes since" not in write_html(_dictionary(_changed()), "")


def test_localized_names_follow_renamed_elements() -> None:
    """The names of a model file belong to the names that its elements had in it."""
    model = decode_model(exported_text(museum_export()).encode())
    before = current_names(model, model.document)
    tables = tuple(
        replace(each, raw={**each.raw, "name": "opus"}) if each.key == WORK else each
        for each in model.document.tables
    )
    after = current_names(model, replace(model.document, tables=tables))
    assert before["schema.work.name"] == after["schema.opus.name"]


async def test_hostile_names_stay_text() -> None:
    """In names, comments, options, localized names and the title, in the diagram too."""
    columns = [column(1, HOSTILE, HOSTILE, check_regexp=HOSTILE), column(2, "to", "link")]
    keys = [link(HOSTILE, 2, "to", 1, HOSTILE)]
    raw = table(1, HOSTILE, *columns, comment=HOSTILE, foreign_keys=keys)
    document = read_document({"type": "user", "tables": [raw], "l10n_languages": [HOSTILE]})
    names = {f"schema.{HOSTILE}.name": {HOSTILE: HOSTILE}}
    dictionary = Dictionary(DictionarySource(HOSTILE, document, NOW, None, HOSTILE, names))
    svg = await draw_svg(document, find_graphviz())
    page = _Page(write_html(dictionary, svg))
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert page.handlers == []
    assert all(address.startswith("#") for address in page.links)
    text = write_markdown(dictionary)
    assert not re.search(r"(?<!\\)<|\x00", text)
    assert not re.search(r"(?<!\\)\]\((?!#)", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_markdown_links_to_headings() -> None:
    """By the anchors that GitHub makes."""
    text = write_markdown(_dictionary(read_document(museum()), names=NAMES))
    headings = {line[3:].replace("\\", "") for line in text.splitlines() if line.startswith("## ")}
    anchors = set(re.findall(r"\(#([^)]*)\)", text))
    assert anchors <= headings
    assert "- [work](#work) – Werk, Work" in text
    assert "  - [work\\_\\_note](#work__note)" in text


def test_the_texts_of_the_page_need_no_network() -> None:
    """Neither its style nor its script names an address."""
    for name in ("page.css", "page.js"):
        text = (resource("dictionary") / name).read_text(encoding="utf-8")
        assert "http" not in text
        assert "url(" not in text
        assert "innerHTML =" not in text
