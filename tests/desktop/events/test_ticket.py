"""Tests of events as texts for tickets."""

import re
from datetime import UTC, datetime

import msgspec
import pytest
from PySide6.QtGui import QFont, QTextDocument

from cdb_desktop.client import Event
from cdb_desktop.events.ticket import Ticket, ticket_of
from cdb_desktop.vocabulary.times import choose_zone


def raw(info: object) -> msgspec.Raw:
    """Info as a record has it."""
    return msgspec.Raw(msgspec.json.encode(info))


FAILED = Event(
    id=19908,
    type="EXPORT_FAILED",
    timestamp=datetime(2026, 11, 20, 14, 2, 11, tzinfo=UTC),
    user_id=7,
    user_displayname="A. Weber",
    objecttype="export",
    object_id=211,
    info=raw(
        {"export": {"name": "denied"}, "error": {"code": "error.user.event_not_found", "realm": "User"}}
    ),
)
MARKUP = (
    "`` ` *a* _b_ [c](http://evil.example) <img src=x> https://b.example a@b.de | # &lt; \\* \u202e ~~d~~"
)


def ticket(*events: Event, rest: int = 0) -> Ticket:
    """A ticket in UTC."""
    choose_zone("utc")
    try:
        return ticket_of(
            events, "Museum", lambda number: f"cdb://events/{number}?v=1", rest=rest, link="cdb://events?v=1"
        )
    finally:
        choose_zone("local")


def test_a_ticket_says_what_happened_to_whom() -> None:
    """In plain text a line for each, with the error explained and a link."""
    lines = ticket(FAILED).as_text.splitlines()
    assert lines[:5] == [
        "EXPORT_FAILED 19908",
        "Time:    2026-11-20 14:02:11 +0000",
        "Service: Museum",
        "User:    A. Weber (#7)",
        "Object:  export 211",
    ]
    assert lines[5].startswith("Summary: “denied”")
    assert re.fullmatch(r"Error:   .+ \(error\.user\.event_not_found\): .+\. .+\.", lines[6])
    assert lines[7:] == ["Link:    cdb://events/19908?v=1"]


def test_what_is_not_known_has_no_line() -> None:
    """Events of the service itself have neither user nor object."""
    text = ticket(Event(id=1, type="SERVER_START")).as_text
    assert text == "SERVER_START 1\nService: Museum\nSummary: Server started\nLink:    cdb://events/1?v=1\n"


def test_further_events_are_counted() -> None:
    """A link leads to all of them, in all formats."""
    many = ticket(FAILED, FAILED, rest=70)
    assert many.as_text.count("EXPORT_FAILED") == 2
    for text in (many.as_text, _shown_markdown(many), _shown_html(many)):
        assert text.rstrip().endswith("cdb://events?v=1")
        assert "70 more events are not listed here." in text


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_values_are_never_markup(form: str) -> None:
    """A reader sees exactly what the service has sent; there is no link, image or style but our own."""
    hostile = Event(
        id=5,
        type=MARKUP,
        user_displayname=MARKUP,
        objecttype=MARKUP,
        info=raw({"message": MARKUP, "error": {"code": "error.api.generic", "description": MARKUP}}),
    )
    made = ticket(hostile)
    shown = _shown_markdown(made) if form == "markdown" else _shown_html(made)
    visible = " ".join(MARKUP.replace("\u202e", " ").split())
    assert shown.count(visible) >= 4, shown
    assert "\u202e" not in shown
    document = _document(made, form)
    assert _links(document) == {"cdb://events/5?v=1"}
    assert "<img" not in document.toHtml()


def test_markdown_and_html_say_the_same_as_plain_text() -> None:
    """They differ in layout only."""
    made = ticket(FAILED, Event(id=1, type="SERVER_START"))
    words = re.findall(r"[^\s:]+", made.as_text)
    for text in (_shown_markdown(made), _shown_html(made)):
        assert set(words) <= set(re.findall(r"[^\s:•]+", text)), text


def test_secrets_are_masked() -> None:
    """Tickets are read by many."""
    info = raw({"password": "hunter2", "url": "u?token=4712"})
    event = Event(id=1, type="X", user_displayname="a token=4711", info=info)
    made = ticket(event)
    for text in (made.as_text, made.as_markdown, made.as_html):
        assert not re.search("4711|4712|hunter2", text)


def _document(made: Ticket, form: str) -> QTextDocument:
    document, font = QTextDocument(), QFont()
    font.setPixelSize(12)  # Qt gives code the same size, in pixels
    document.setDefaultFont(font)
    if form == "markdown":
        document.setMarkdown(made.as_markdown, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    else:
        document.setHtml(made.as_html)
    return document


def _shown_markdown(made: Ticket) -> str:
    return _document(made, "markdown").toPlainText()


def _shown_html(made: Ticket) -> str:
    return _document(made, "html").toPlainText()


def _links(document: QTextDocument) -> set[str]:
    return set(re.findall(r'href="([^"]*)"', document.toHtml().replace("&amp;", "&")))
