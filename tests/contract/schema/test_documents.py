"""wire §5: every posted schema is saved or refused by an error object; every saved one can be committed."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server_stub.database import open_database
from server_stub.foundation.errors import catalogue
from server_stub.http.application import create_app
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.contract.documents import Json, column, foreign_key, holder_of, nested_in, schema, table
from tests.contract.transports import in_process

NAMES = ("work", "place", "artist", "a1")
COLUMNS = ("aa", "bb", "cc", "dd")
CHECKS: tuple[Json, ...] = (
    {},
    {"check": "not_empty"},
    {"check": "email"},
    {"check": "regexp", "check_regexp": "^a+$", "check_regexp_flags": "i"},
    {"length_min": 1, "length_max": 3},
)
TYPES = (
    "text",
    "text_l10n",
    "number",
    "decimal.2",
    "boolean",
    "date",
    "date_time",
    "daterange",
    "serial",
    "eas",
)
JUNK: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        2**31,
        2**63,
        2**70,
        1.5,
        1e308,
        "",
        " ",
        "x",
        "ez_x",
        "a\0b",
        "Ä",
        "z" * 70,
        [],
        {},
    ),
    *(
        [[]],
        [None],
        [1],
        [{}],
        {"x": 1},
        "(a+",
        "(?=a)",
        "work",
        "place",
        "aa",
        "link",
        "reverse_link",
        "column",
    ),
    *("regexp", "range", "set null", "cascade", "custom:base.a.b", "work__parts", "HEAD", 1, 2, 3),
)


@st.composite
def documents(draw: st.DrawFn) -> Json:
    """A valid document: tables, links, nested tables, keys, checks, flags."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    tables = []
    for name in names:
        one = table(name, *draw(st.lists(columns(), max_size=4, unique_by=lambda each: each["name"])))
        if draw(st.booleans()):
            one["columns"].append(column("link", "link"))
            one["foreign_keys"] = [foreign_key("link", draw(st.sampled_from(names)))]
        if one["columns"] and draw(st.booleans()):
            one["unique_keys"] = [{"columns": [{"column_name_hint": one["columns"][0]["name"]}]}]
        one |= draw(
            st.dictionaries(st.sampled_from(("is_hierarchical", "pool_link", "has_tags")), st.booleans())
        )
        if draw(st.booleans()):
            one["columns"].append(holder_of(f"{name}__parts"))
            tables.append(table(f"{name}__parts", column("label"), **nested_in(name)))
        tables.append(one)
    return schema(*draw(st.permutations(tables)), l10n_languages=["de-DE"])


@st.composite
def columns(draw: st.DrawFn) -> Json:
    """A column with a type, a check if it is a text, and sometimes further attributes."""
    made = column(draw(st.sampled_from(COLUMNS)), draw(st.sampled_from(TYPES)))
    if made["type"] in ("text", "text_l10n"):
        made |= draw(st.sampled_from(CHECKS))
    if draw(st.booleans()):
        made["not_null"] = draw(st.booleans())
    return made


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[int, str, Any]]:
    """Random changes: the place as a number, the action and the value."""
    kinds = st.sampled_from(("replace", "delete", "repeat", "add"))
    junk = st.sampled_from(JUNK) | st.text(max_size=5) | st.integers()
    return draw(st.lists(st.tuples(st.integers(0, 10_000), kinds, junk), min_size=1, max_size=3))


def edited(document: Json, changes: list[tuple[int, str, Any]]) -> Json:
    """The document after the changes."""
    changed = deepcopy(document)
    for place, kind, value in changes:
        spots = list(_spots(changed)) or [(changed, "version")]
        holder, key = spots[place % len(spots)]
        match kind:
            case "replace":
                holder[key] = deepcopy(value)
            case "delete":
                holder.pop(key)
            case "repeat" if isinstance(holder, list):
                holder.append(deepcopy(holder[key]))
            case _ if isinstance(holder, dict):
                holder[str(value)[:20]] = deepcopy(value)
    return changed


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _spots(value[key])


@contextmanager
def _server(template: Path) -> Iterator[tuple[Caller, Path]]:
    """Root's client of a fresh server, and the database file."""
    with TemporaryDirectory() as folder:
        file = Path(shutil.copy(template, folder))
        database = open_database(str(file))
        with in_process(create_app(compose(database, demo=True))) as client:
            yield Caller(client).signed_in("root"), file
        database.close()


def _kept(answer: httpx.Response) -> bool:
    """Whether a call succeeded; a refusal must be an error object of its realm (§2.3, §7.1)."""
    if answer.status_code == 200:
        return True
    found = answer.json()
    assert answer.status_code == 400, answer.text
    entry = catalogue()[found["code"]]
    assert found["realm"] == entry["realm"] == found["code"].split(".")[1]
    assert found["realm"] in ("api", "user"), answer.text
    assert sorted(found.get("parameters", {})) == sorted(entry["parameters"])
    assert bool(found.get("description")) is (found["realm"] == "api")
    return False


def _commit(caller: Caller) -> bool:
    """Commits HEAD; returns whether it succeeded, which must agree with the plan."""
    plan = caller.get("schema/user/HEAD/plan")
    assert plan.status_code == 200, plan.text
    refusals = [step["refusal"] for step in plan.json()["steps"] if "refusal" in step]
    done = caller.post("schema/commit")
    assert _kept(done) is not bool(refusals), done.text
    assert not refusals or done.json() == refusals[0]
    return done.status_code == 200


def _fill(file: Path, head: Json) -> None:
    """Inserts two rows where a table accepts them."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for one in head["tables"]:
            connection.execute("PRAGMA foreign_keys=ON")
            for _ in range(2):
                connection.execute(f'INSERT OR IGNORE INTO "{one["name"]}" DEFAULT VALUES')
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def _live(template: Path, first: Json, changes: list[tuple[int, str, Any]], *, whole: bool) -> None:
    """Posts a document, commits it, adds rows, posts a changed one, commits it."""
    with _server(template) as (caller, file):
        saved = caller.post("schema/user/HEAD", first)
        if not _kept(saved):
            assert not whole, saved.text
            return
        assert _commit(caller)
        head = caller.get("schema/user/HEAD", format="json").json()
        if all(isinstance(one["name"], str) for one in head["tables"]):
            _fill(file, head)
        if _kept(caller.post("schema/user/HEAD", edited(head, changes))):
            _commit(caller)
        for form in ("xml", "json"):
            assert caller.get("schema/user/HEAD", format=form).status_code == 200
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _examples(count: int) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@given(documents(), edits())
@_examples(10)
def test_valid_documents(template: Path, first: Json, changes: list[tuple[int, str, Any]]) -> None:
    """Valid documents are committed; randomly changed ones are saved or refused without a fault."""
    _live(template, first, changes, whole=True)


@given(documents(), edits(), edits())
@_examples(20)
def test_broken_documents(
    template: Path, first: Json, breaks: list[tuple[int, str, Any]], changes: list[tuple[int, str, Any]]
) -> None:
    """Documents that are broken from the beginning are refused, or saved and committed."""
    _live(template, edited(first, breaks), changes, whole=False)


@pytest.mark.long
@pytest.mark.timeout(900)
@given(documents(), edits(), edits())
@_examples(1000)
def test_many_broken_documents(
    template: Path, first: Json, breaks: list[tuple[int, str, Any]], changes: list[tuple[int, str, Any]]
) -> None:
    """The same with many examples."""
    _live(template, edited(first, breaks), changes, whole=False)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists) | st.binary(max_size=40))
@_examples(10)
def test_no_document_at_all(template: Path, body: Any) -> None:
    """Arbitrary JSON and bytes are refused by an API error."""
    with _server(template) as (caller, _):
        more = {"content": body} if isinstance(body, bytes) else {"json": body}
        answer = caller("POST", "schema/user/HEAD", **more)
        assert not _kept(answer)
        assert answer.json()["realm"] == "api"
