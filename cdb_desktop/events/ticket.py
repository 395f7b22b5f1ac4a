"""Events as text: tickets in plain text, Markdown and HTML, and rows for the clipboard.

Values come from the service and may contain anything: they are on one line, without secrets and without
characters that change the direction of the text, and are never markup.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

import msgspec

from cdb_desktop.client import Event, Record
from cdb_desktop.client.redaction import redact
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.saved_views import single_line
from cdb_desktop.vocabulary.error_messages import explained_error
from cdb_desktop.vocabulary.event_summary import event_summary
from cdb_desktop.vocabulary.event_types import object_text, user_text
from cdb_desktop.vocabulary.times import exact_time

MOST_EVENTS = 50  # in one ticket; all others are counted
_LONGEST = 600  # characters of a value
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

LinkOf = Callable[[int], str]


class TicketLine(msgspec.Struct, frozen=True):
    """A value with its name. ``is_ours``: the value is a text of this program; ``is_link``: a link of it."""

    name: str
    value: str
    is_ours: bool = False
    is_link: bool = False


class TicketEvent(msgspec.Struct, frozen=True):
    """One event: its type, its id and the lines about it."""

    type: str
    number: str
    lines: tuple[TicketLine, ...]


class Ticket(msgspec.Struct, frozen=True):
    """The events, and a note about those that are left out with a link to all, both may be empty."""

    events: tuple[TicketEvent, ...]
    note: str = ""
    link: str = ""

    @property
    def as_text(self) -> str:
        """Plain text: a line for each value."""
        parts = ["\n".join(_text_lines(one)) for one in self.events]
        if self.note:
            parts.append("\n".join(filter(None, (self.note, self.link))))
        return "\n\n".join(parts) + "\n"

    @property
    def as_markdown(self) -> str:
        """CommonMark: a list for each event; values are code, in which nothing is markup."""
        parts = ["\n".join(_markdown_lines(one)) for one in self.events]
        if self.note:
            parts.append(_escaped(self.note) + (f"\n<{self.link}>" if self.link else ""))
        return "\n\n".join(parts) + "\n"

    @property
    def as_html(self) -> str:
        """A fragment of HTML: a table for each event, without styles."""
        parts = ["".join(_html_lines(one)) for one in self.events]
        if self.note:
            link = f"<br>{_anchor(self.link)}" if self.link else ""
            parts.append(f"<p>{html.escape(self.note)}{link}</p>")
        return "\n".join(parts)


def ticket_of(
    events: Sequence[Event], service: str, link_of: LinkOf, *, rest: int = 0, link: str = ""
) -> Ticket:
    """The ticket about events of a service; what they are about is known of full records only.

    ``link_of`` returns the link to the event with an id. ``rest`` is the number of further events, and
    ``link`` leads to all of them.
    """
    note = tr("{rest:One more event is|{rest} more events are} not listed here.", rest=rest) if rest else ""
    entries = tuple(
        TicketEvent(_value(event.type), str(event.id), tuple(_lines(event, service, link_of)))
        for event in events
    )
    return Ticket(entries, note, link if rest else "")


def _lines(event: Event, service: str, link_of: LinkOf) -> Iterator[TicketLine]:
    number = "" if event.user_id is None else f"#{event.user_id}"
    user = _value(user_text(event))
    for name, value in (
        (tr("Time"), exact_time(event.timestamp)),
        (tr("Service"), _value(service)),
        (tr("User"), user if number in ("", user) else f"{user} ({number})"),
        (tr("Object"), _value(object_text(event))),
        (tr("Summary"), _value(event_summary(event))),
    ):
        if value:
            yield TicketLine(name, value)
    error = explained_error(event)
    if error is not None:
        title = f"{error.title} ({error.code})" if error.code else error.title
        yield TicketLine(tr("Error"), _value(f"{title}: {error.text} {error.remedy}"), is_ours=True)
    yield TicketLine(tr("Link"), link_of(event.id), is_link=True)


def _value(text: str) -> str:
    return single_line(redact(text), _LONGEST)


def _text_lines(event: TicketEvent) -> Iterator[str]:
    yield f"{event.type} {event.number}"
    width = max(len(line.name) for line in event.lines) + 2
    for line in event.lines:
        yield f"{line.name + ':':{width}}{line.value}"


def _markdown_lines(event: TicketEvent) -> Iterator[str]:
    yield f"{_code(event.type)} {_escaped(event.number)}\n"
    for line in event.lines:
        value = _escaped(line.value) if line.is_ours else _code(line.value)
        yield f"- {_escaped(line.name)}: {f'<{line.value}>' if line.is_link else value}"


def _html_lines(event: TicketEvent) -> Iterator[str]:
    yield f"<p><b>{html.escape(event.type)}</b> {html.escape(event.number)}</p><table>"
    for line in event.lines:
        value = _anchor(line.value) if line.is_link else html.escape(line.value)
        yield f"<tr><td>{html.escape(line.name)}</td><td>{value}</td></tr>"
    yield "</table>"


def _code(text: str) -> str:
    """A code span. It begins and ends with more backticks than ``text`` has in a row."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{fence}{space}{text}{space}{fence}" if text else ""


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", text)


def _anchor(link: str) -> str:
    shown = html.escape(link)
    return f'<a href="{shown}">{shown}</a>'


class CopyFormat(Enum):
    """How rows are copied. JSON and IDS take the records, the others the visible columns."""

    TSV = "tsv"
    CSV = "csv"
    MARKDOWN = "markdown"
    JSON = "json"
    IDS = "ids"


def rows_as_text(copy_format: CopyFormat, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The cells as TSV, CSV or Markdown; the latter two begin with the titles."""
    if copy_format is CopyFormat.CSV:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([titles, *rows])
        return text.getvalue()
    if copy_format is CopyFormat.MARKDOWN:
        rule = ["---"] * len(titles)
        return "\n".join(f"| {' | '.join(map(_markdown_cell, row))} |" for row in (titles, rule, *rows))
    return rows_as_tsv(rows)


def rows_as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """The cells as TSV; tabs and line breaks in a cell become a blank."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in rows)


def ids_as_text(records: Iterable[Record]) -> str:
    """The ids, one a line; unreadable records have none."""
    return "\n".join(str(one.id) for one in records if isinstance(one, Event))


def _markdown_cell(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split())
