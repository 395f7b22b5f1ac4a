"""Typed queries find exactly the events that a plain filter over all texts of their rows finds."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import httpx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Client, Event
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.foundation.i18n import Language, language, use_language
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.error_messages import explained_error
from cdb_desktop.vocabulary.event_summary import event_summary
from cdb_desktop.vocabulary.event_types import type_words, user_text
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse

_PATIENCE = 30.0  # seconds, for a busy machine
_PAGE = 1000
_SECRET = re.compile(r"(?i)token|passw(or)?d|secret")
_BLANKS = re.compile(r"[\s“”„:,()\[\]=–]+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_FIELDS = frozenset(  # as keys they mean the field of the event, and no key of its info
    {"_id", "type", "timestamp", "schema", "basetype", "objecttype", "object_id", "object_version", "user"}
)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT")

Test = Callable[["Row"], bool]


@dataclass(frozen=True)
class Row:
    """An event as listed and as decoded, the text of each of its values with its path, and what it shows."""

    record: dict[str, Any]
    decoded: Event
    values: list[tuple[str, str]]
    shown: list[str]

    @property
    def event(self) -> dict[str, Any]:
        """The fields of the event."""
        found: dict[str, Any] = self.record["event"]
        return found

    @property
    def object(self) -> str:
        """``work 477 v2``."""
        event = self.event
        kind, version = event.get("objecttype") or event.get("basetype"), event.get("object_version")
        parts = (kind, event.get("object_id"), None if version is None else f"v{version}")
        return " ".join(str(part) for part in parts if part not in (None, ""))

    @property
    def user(self) -> tuple[int | None, str]:
        """The id and the name of the user."""
        user = self.record.get("user") or {}
        return user.get("_id"), user.get("_generated_displayname") or ""


class Queries:
    """Generates queries from the values of a log: what is typed, and a test of events for the same."""

    def __init__(self, log: list[Row], known_users: set[int], seed: int) -> None:
        self._log, self._random = log, Random(seed)
        self._users = sorted({row.user for row in log if row.user[0] in known_users})
        self._makers = (
            *(self.words, self._phrase, self._expression, self._exact, self._type),
            *(self._user, self._object, self._key, self._wildcard),
        )

    def one(self) -> tuple[str, Test]:
        """A query of one to three conditions, each of which may be excluded, and perhaps a date.

        At most one is on the type: several types are those of which an event has one.
        """
        terms: list[str] = []
        tests: list[Test] = []
        chosen = self._random.sample(self._makers, self._random.choice((1, 1, 2, 2, 3)))
        for make in chosen:
            text, test = make()
            # A minus excludes only the first of several words.
            if self._random.random() < 0.3 and (make != self.words or " " not in text):
                terms.append(f"-{text}")
                tests.append(lambda row, test=test: not test(row))  # type: ignore[misc]
            else:
                terms.append(text)
                tests.append(test)
        if self._random.random() < 0.3:
            text, test = self._date()
            terms.append(text)
            tests.append(test)
        return " ".join(terms), lambda row: all(test(row) for test in tests)

    def _row(self) -> Row:
        return self._random.choice(self._log)

    def _word(self) -> str:
        texts = [text for _path, text in self._row().values if not _DATE.match(text)]
        words = [word for text in texts for word in _WORD.findall(text)]
        return str(self._random.choice(words or ["nothing"]))

    def words(self) -> tuple[str, Test]:
        """Words of one row in any order, or of several rows, of which perhaps none has them all."""
        row, words = self._row(), []
        for _ in range(self._random.choice((1, 1, 2, 2, 3))):
            row = row if self._random.random() < 0.9 else self._row()
            words.append(self._random.choice(_BLANKS.split(self._random.choice(self._texts(row)))))
        words = [word for word in words if re.fullmatch(r"[^\W\d_]\w{3,}", word)] or ["nothing"]
        start = self._random.choice((0, 0, 1))
        words = [self._random.choice((word, word.lower(), word[start:])) for word in words]
        return " ".join(words), _with_words(words)

    def _texts(self, row: Row) -> list[str]:
        values = [text for _path, text in row.values if not _DATE.match(text)]
        return [text for text in (*values, *row.shown, *row.shown) if text]

    def _phrase(self) -> tuple[str, Test]:
        texts = [text for path, text in self._row().values if path.startswith("info") and " " in text]
        text = self._random.choice([*texts, self._word(), self._word()])[: self._random.randint(4, 30)]
        text = self._random.choice((text, text.upper()))
        quoted = re.sub(r'(["\\])', r"\\\1", text)
        return f'"{quoted}"', _shown(re.compile(re.escape(text), re.IGNORECASE))

    def _expression(self) -> tuple[str, Test]:
        word = self._word()
        expression = f"{word[0]}[{word[1]}x]{word[2]}.?{word[4:]}"
        has_case = self._random.random() < 0.5
        flags = re.DOTALL if has_case else re.DOTALL | re.IGNORECASE
        return f"/{expression}/{'c' if has_case else ''}", _anywhere(re.compile(expression, flags))

    def _exact(self) -> tuple[str, Test]:
        word = self._random.choice((str.title, str.lower, str))(self._word())
        return f'exact:"{word}"', _shown(re.compile(re.escape(word)))

    def _type(self) -> tuple[str, Test]:
        kind = self._row().event["type"]
        if self._random.random() < 0.6:
            return f"type:{kind}", lambda row: row.event["type"] == kind
        beginning = str(self._row().event["type"]).partition("_")[0]
        return f"type:{beginning}*", lambda row: row.event["type"].startswith(beginning)

    def _user(self) -> tuple[str, Test]:
        number, name = self._random.choice(self._users)
        if self._random.random() < 0.5:
            return f"user:#{number}", lambda row: row.user[0] == number
        same = {one for one, other in self._users if other.casefold() == name.casefold()}
        return f'user:"{name}"', lambda row: row.user[0] in same

    def _object(self) -> tuple[str, Test]:
        text = next(row.object for row in iter(self._row, None) if re.search(r"\w \d", row.object))
        kind, number = text.split()[:2]
        shorter = self._random.choice((text, f"{kind} {number}", kind))
        return f"object:{shorter}", lambda row: row.object == shorter or row.object.startswith(f"{shorter} ")

    def _pair(self) -> tuple[str, str]:
        pairs = [
            (path.rpartition(".")[2], text)
            for path, text in self._row().values
            if path.startswith("info.") and re.fullmatch(r'[^\s"*\\=]{1,60}', text)
        ]
        pairs = [pair for pair in pairs if re.fullmatch(r"[A-Za-z_]{2,}", pair[0]) and pair[0] not in _FIELDS]
        return self._random.choice(pairs or [("_generated_displayname", "nobody")])

    def _key(self) -> tuple[str, Test]:
        key, value = self._pair()
        return f"{key}={value}", _under(key, re.compile(re.escape(value), re.IGNORECASE | re.DOTALL))

    def _wildcard(self) -> tuple[str, Test]:
        key, value = self._pair()
        expression = re.compile(f"{re.escape(value[:2])}.*", re.IGNORECASE | re.DOTALL)
        return f"{key}={value[:2]}*", _under(key, expression)

    def _date(self) -> tuple[str, Test]:
        times = sorted(_time(row) for row in (self._row(), self._row()))
        first, last = (one.astimezone().replace(hour=0, minute=0, second=0) for one in times)
        after = last + timedelta(days=1)
        return f"{first:%Y-%m-%d} .. {last:%Y-%m-%d}", lambda row: first <= _time(row) < after


def _anywhere(expression: re.Pattern[str]) -> Test:
    return lambda row: any(expression.search(text) for _path, text in (*row.values, ("", row.object)))


def _shown(expression: re.Pattern[str]) -> Test:
    stored = _anywhere(expression)
    return lambda row: stored(row) or any(map(expression.search, row.shown))


def _with_words(words: list[str]) -> Test:
    tests = [_shown(re.compile(re.escape(word), re.IGNORECASE)) for word in words]
    return lambda row: all(test(row) for test in tests)


def _under(key: str, expression: re.Pattern[str]) -> Test:
    ends = re.compile(rf"(?:.*\.)?{re.escape(key)}", re.IGNORECASE)
    return lambda row: any(ends.fullmatch(path) and expression.fullmatch(text) for path, text in row.values)


def _time(row: Row) -> datetime:
    return datetime.fromisoformat(row.event["timestamp"])


def _values(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            if not _SECRET.search(key):
                yield from _values(f"{path}.{key}" if path else key, one)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _values(f"{path}.{place}", one)
    elif value != "":
        yield path, value if isinstance(value, str) else json.dumps(value)


def _row_of(record: dict[str, Any], event: Event) -> Row:
    values = [*_values("", record["event"]), *_values("user", record.get("user") or {})]
    assert event.id == record["event"]["_id"]
    error = explained_error(event)
    explained = [] if error is None else [error.title, error.text]
    shown = [event_summary(event), *type_words(event.type, language())[:1], user_text(event), *explained]
    return Row(record, event, values, shown)


async def _log(client: Client) -> list[Row]:
    """All events, newest first, as a plain client reads them."""
    assert client.session is not None
    rows: list[Row] = []
    async with httpx.AsyncClient(base_url=client.address, trust_env=False) as plain:
        while len(rows) % _PAGE == 0:
            parameters: dict[str, str | int] = {
                "token": client.session.token,
                "format": "json_full",
                "limit": _PAGE,
                "offset": len(rows),
            }
            answer = await plain.get("/api/v1/event/list", params=parameters)
            page = await client.list_events(limit=_PAGE, offset=len(rows), full=True, skip_count=True)
            rows += map(_row_of, answer.json()["objects"], page.events)
    return rows


@pytest.mark.parametrize(
    "queries", [8, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)
@pytest.mark.generation5("types are named otherwise there")
async def test_typed_queries_are_precise(browse: Browse, sign_in: SignIn, queries: int) -> None:
    """No event too many and none missing, in the order of the list, whether the service filters or not."""
    async with browse() as (view, controller), sign_in() as client:
        await until(lambda: view.has_rows and not view.table.is_waiting, _PATIENCE)
        known = {number for number, _name in view.seen.users}
        newest = view.model.event_at(0)
        assert newest is not None
        log = [row for row in await _log(client) if row.event["_id"] <= newest.id]
        generated, searched, sizes = Queries(log, known, seed=18), 0, []
        for _ in range(queries):
            text, test = generated.one()
            before = view.model.result
            view.query_line.setFocus()
            view.query_line.setText(text)  # Qt can only press keys of Latin letters
            QTest.keyClick(view.query_line, Qt.Key.Key_Return)
            assert view.query_line.text() == "", text
            await until(lambda: view.model.result is not before and _is_loaded(view), _PATIENCE)  # noqa: B023
            found = [number for number in await _ids(view, client) if number <= newest.id]
            expected = [row.event["_id"] for row in log if test(row)]
            assert found == expected, _difference(text, found, expected, log)
            searched += isinstance(view.model.result, MatchedResult)
            sizes.append(len(found))
            controller.show_query(Query())
            await until(lambda: not view.table.is_waiting and view.has_rows, _PATIENCE)
        assert searched > queries / 2
        assert sum(0 < size < len(log) for size in sizes) > queries / 3


@pytest.mark.parametrize("chosen", ["en", "de"])
@pytest.mark.generation5("types are named otherwise there")
async def test_words_find_what_rows_show(chosen: Language, sign_in: SignIn) -> None:
    """50 queries of words: all events of which a value or a text of the row has each word, and no other."""
    use_language(chosen, lambda value, decimals: f"{value:,.{decimals}f}")
    async with sign_in() as client:
        log = await _log(client)
    some = _of_each_type(log)
    generated, found_some = Queries(log, set(), seed=31), 0
    for _ in range(50):
        text, test = generated.words()
        matcher = EventMatcher([Condition(text, PatternKind.WORDS)])
        found = [row.event["_id"] for row in some if matcher.matches(row.decoded)]
        expected = [row.event["_id"] for row in some if test(row)]
        assert found == expected, text
        found_some += 0 < len(found) < len(some)
    assert found_some > 12  # the demo differs with the day and the hour


def _of_each_type(log: list[Row]) -> list[Row]:
    """The first rows of each type, among them all rare ones."""
    found: dict[str, list[Row]] = {}
    for row in log:
        found.setdefault(row.event["type"], []).append(row)
    return [row for rows in found.values() for row in rows[:25]]


def _is_loaded(view: EventsView) -> bool:
    result = view.model.result
    if isinstance(result, MatchedResult):
        return result.is_complete
    return result is not None and result.is_counted and not view.table.is_waiting


async def _ids(view: EventsView, client: Client) -> list[int]:
    """The ids of all rows; those of pages that are not loaded yet are listed as the rows would be."""
    result = view.model.result
    assert result is not None
    if isinstance(result, MatchedResult):
        return list(result.ids)
    found: list[int] = []
    while len(found) < (result.total or 0):
        page = await client.list_events(result.resolved_query.filter, offset=len(found))
        found += [event.id for event in page.events]
    return found


def _difference(text: str, found: list[int], expected: list[int], log: list[Row]) -> str:
    """The query with the first event that was found or missed by mistake."""
    wrong = min({*found} ^ {*expected})
    how = "found" if wrong in found else "missed"
    return f"{text}: {how} {next(row.record for row in log if row.event['_id'] == wrong)}"
