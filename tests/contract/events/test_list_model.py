"""§4.3 as a whole: lists agree with a simple model, and CSV agrees with full records."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.http.application import create_app
from server_stub.process.composition import compose
from tests.contract.builders import NOW
from tests.contract.caller import Caller, Clock
from tests.contract.events.list_model import known, matching, ordered
from tests.contract.events.seeds import BASE_TYPES, GROUPS, INFOS, TYPES, USERS, random_drafts
from tests.contract.transports import in_process


@dataclass
class Log:
    """A server with a log of some hundred events, and the model of these events."""

    caller: Caller
    events: list[dict[str, Any]]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """The shared log; tests do not change it."""
    database = open_database(str(Path(tmp_path_factory.mktemp("model"), "model.sqlite")))
    services = compose(database, demo=True, now=Clock())
    drafts = list(random_drafts())
    with database.write() as connection:
        services.users.add(connection, "root", "root", displayname="Root", rights=[ROOT])
        for login, (name, kind) in zip("abcd", USERS.values(), strict=True):
            services.users.add(connection, login, login, displayname=name, kind=kind)
        for group, members in GROUPS.items():
            services.users.add_group(connection, f"group{group}", "Group", sorted(members))
        ids = services.log.append(connection, drafts)
    with in_process(create_app(services)) as client:
        events = [known(id_, draft) for id_, draft in zip(ids, drafts, strict=True)]
        yield Log(Caller(client).signed_in("root"), events)
    database.close()


def _some(*values: Any) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)


# The type of the sign-in is not among them: the model does not know it.
SECONDS = st.integers(NOW - 300_000, NOW + 300_000)
FILTERS = st.fixed_dictionaries(
    {"type": _some(*TYPES, "NEVER_SEEN")},
    optional={
        "pollable": st.booleans(),
        "base_type": _some(*BASE_TYPES, "never"),
        "user_id": _some(*USERS, 99),
        "group_id": _some(*GROUPS, 99),
        "user_type": _some("easydb", "email", "ldap", "never"),
        "date_from": SECONDS,
        "date_to": SECONDS,
    },
)
SORTS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "_id",
                "type",
                "object_version",
                "schema",
                "object_id",
                "timestamp",
                "user_generated_displayname",
            )
        ),
        st.sampled_from((None, "ASC", "DESC")),
    ),
    max_size=4,
    unique_by=lambda each: each[0],
)
TYPES_OF_USERS = {user: kind for user, (_, kind) in USERS.items()}


def _written(wanted: Mapping[str, Any]) -> dict[str, str]:
    """The filters as a client sends them."""
    sent = {}
    for name, value in wanted.items():
        if name.startswith("date"):
            sent[name] = datetime.fromtimestamp(value, UTC).isoformat()
        elif isinstance(value, bool):
            sent[name] = str(value).lower()
        else:
            sent[name] = ",".join(map(str, value))
    return sent


def _sort(sort: list[tuple[str, str | None]]) -> dict[str, str]:
    text = ",".join(name if direction is None else f"{name}.{direction}" for name, direction in sort)
    return {"sort": text} if text else {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(wanted=FILTERS, sort=SORTS, limit=st.integers(1, 400), offset=st.integers(0, 320), skip=st.booleans())
def test_lists_are_those_of_the_model(
    log: Log,
    wanted: dict[str, Any],
    sort: list[tuple[str, str | None]],
    limit: int,
    offset: int,
    skip: bool,
) -> None:
    """Lists with any combination of filters, sort, page and count agree with the model."""
    page = {"limit": str(limit), "offset": str(offset), "skip_count": str(skip).lower()}
    answer = log.caller.get("event/list", **_written(wanted), **_sort(sort), **page)
    assert answer.status_code == 200, answer.text
    found = ordered(matching(log.events, wanted, GROUPS, TYPES_OF_USERS), sort)
    result = answer.json()
    assert [record["event"]["_id"] for record in result["objects"]] == [
        event["_id"] for event in found[offset : offset + limit]
    ]
    assert result.get("count") == (None if skip else len(found))


# Delimiter, quote and escape, which the reader uses too.
DIALECTS = st.sampled_from(
    [(",", '"', '"'), (";", "'", "'"), ("\t", '"', "\\"), ("|", "~", "~"), (";", "'", "\\")]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(wanted=FILTERS, dialect=DIALECTS, length=st.sampled_from((0, 1, 7, 100)), bom=st.booleans())
def test_csv_is_what_full_records_are(
    log: Log, wanted: dict[str, Any], dialect: tuple[str, str, str], length: int, bom: bool
) -> None:
    """Each parsed cell is the value of the full record as text, cut to the maximum length."""
    delimiter, quote, escape = dialect
    filters = _written(wanted)
    options = {"csv_delimiter": delimiter, "csv_quote": quote, "csv_escape": escape}
    options |= {"csv_max_length": str(length), "csv_use_bom": str(bom).lower()}
    answer = log.caller.get("event/list", format="csv", sort="_id", **filters, **options)
    full = log.caller.get("event/list", format="json_full", sort="_id", **filters).json()["objects"]
    text = answer.content.decode("utf-8-sig" if bom else "utf-8")
    doubled = escape == quote
    reader = csv.DictReader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quotechar=quote,
        doublequote=doubled,
        escapechar=None if doubled else escape,
        strict=True,
    )
    assert list(reader) == [
        {name: value[: length or None] for name, value in _cells(record).items()} for record in full
    ]


def _cells(record: dict[str, Any]) -> dict[str, str]:
    """The cells of a full record (wire §3), with the info as it was stored."""
    event, user = record["event"], record.get("user", {})
    values = {
        **{
            name: event.get(name) for name in ("_id", "timestamp", "type", "schema", "basetype", "objecttype")
        },
        **{name: event.get(name) for name in ("object_id", "object_version", "global_object_id")},
        "pollable": str(event["pollable"]).lower(),
        "user_id": user.get("_id"),
        "user_generated_displayname": user.get("_generated_displayname"),
        "user_type": TYPES_OF_USERS.get(user.get("_id")),
        "session": record.get("_session", {}).get("token"),
        "ipv4_address": event.get("ipv4_address"),
        "info": next(info for info in INFOS if _same(info, event["info"])),
    }
    return {name: "" if value is None else str(value) for name, value in values.items()}


def _same(text: str, info: dict[str, Any]) -> bool:
    return bool(json.loads(text) == info)
