"""Tests of reports on changes."""

from html.parser import HTMLParser

from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.diff.report import Review, html_report, markdown_report, value_texts
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import ChangeType, RenameColumn, SetLinkTarget
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import SetTableOptions, remove_table
from tests.desktop.schema.models import ARTIST, PERSON, PERSON_NAME, PLACE, TITLE, WORK, opened


class _Text(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.cells.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]


def _review(*edits: Edit) -> Review:
    old: Document = opened()
    new = old
    for edit in edits:
        new = edit.apply_to(new)
    return Review(old, new, "v1", "<HEAD>", compare(old, new), {"v1": "committed by *Ada* | 2026"})


def test_the_page_needs_no_other_file_and_escapes_values() -> None:
    """Changes are grouped by tables, with sign, values and risk."""
    comment = SetTableOptions(WORK, {"comment": "<script>alert(1)</script>"})
    page = html_report(_review(comment, RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname")))
    found = _Text(page)
    assert "<script>" not in page
    assert found.links == []
    assert "Data model: v1 → <HEAD>" in found.cells
    at = found.cells.index("person")
    assert found.cells[at + 5 : at + 9] == ["→", "Column person.name renamed to surname", "name", "surname"]
    assert "What is shown" in found.cells


def test_the_markdown_is_escaped() -> None:
    """Values cannot break out of their line."""
    text = markdown_report(_review(remove_table(PLACE, dependents=True)))
    assert text.startswith("# Data model: v1 → \\<HEAD\\>\n")
    assert "v1: committed by \\*Ada\\* \\| 2026  " in text
    assert "- `−` Table place removed — **values are lost**" in text
    assert "No differences." in markdown_report(_review())


def test_values_of_links_are_names_of_tables() -> None:
    """Not the ids that changes carry."""
    review = _review(
        SetLinkTarget(ColumnRef(WORK, ARTIST), PLACE), ChangeType(ColumnRef(WORK, TITLE), "text")
    )
    texts = [value_texts(change, review.old, review.new) for change in review.changes]
    assert sorted(texts) == [("person", "place"), ("text_oneline", "text")]
