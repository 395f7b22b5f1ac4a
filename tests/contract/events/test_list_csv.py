"""§4.3 `format=csv` with its options, §8 and wire §3."""

import csv
import io
from typing import Any

import msgspec

from server_stub.events import Actor
from server_stub.http.services import Services
from tests.contract.builders import SUPPORT, Store, by, event
from tests.contract.caller import Caller

# wire §3, in this order.
COLUMNS = (
    "_id,timestamp,type,schema,basetype,objecttype,object_id,object_version,global_object_id,pollable,"
    "user_id,user_generated_displayname,user_type,session,ipv4_address,info"
)


def _sheet(caller: Caller, **params: Any) -> str:
    answer = caller.get("event/list", format="csv", sort="_id", type="SEARCH", **params)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return answer.content.decode()


def _rows(text: str, **dialect: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True, **dialect))


INFOS = (
    '{"method":"GET","nested":{"deep":{"n":1.5,"t":true},"s":"a\\"b"},"list":["x",1,null,"y"]}',
    '{"method":null,"url":"/a,b","nested":{"s":"z"}}',
    "{}",
)


def test_explode(caller: Caller, store: Store) -> None:
    """Each key gets a column `info.<key>`, nested keys with dots, over all rows, sorted (wire §3)."""
    store(*(event("SEARCH", info=info) for info in INFOS))
    support = caller.signed_in("support")
    text = _sheet(support, csv_explode="true")
    fixed = COLUMNS.removesuffix("info")
    added = "info.list,info.method,info.nested.deep.n,info.nested.deep.t,info.nested.s,info.url"
    assert text.splitlines()[0] == fixed + added
    found = [[row[name] for name in added.split(",")] for row in _rows(text)]
    assert [row[1:] for row in found] == [
        ["GET", "1.5", "true", 'a"b', ""],
        ["", "", "", "z", "/a,b"],  # null becomes an empty cell, strings are not JSON-quoted
        ["", "", "", "", ""],
    ]
    assert _sheet(support, csv_explode="false") == _sheet(support)


# An info whose keys hold dots themselves, and the cells that hold all of it.
DOTTED: dict[str, dict[str, str]] = {
    '{"a.b":1}': {"info.a.b": "1"},
    '{"a":{"b":2}}': {"info.a.b": "2"},
    '{"a.b":1,"a":{"b":2,"c":3}}': {"info.a.b": "1", "info.a": '{"b":2,"c":3}'},
    '{"a":{"b.c":1,"b":{"c":2}}}': {"info.a.b.c": "1", "info.a.b": '{"c":2}'},
    '{"a":{"b":{"c":1}},"a.b":{"c":2}}': {"info.a": '{"b":{"c":1}}', "info.a.b.c": "2"},
    '{"a":{"b":1},"a.b":{"c":2},"a.b.c":3}': {"info.a": '{"b":1}', "info.a.b": '{"c":2}', "info.a.b.c": "3"},
    '{"a":{},"a.b":[]}': {"info.a": "{}", "info.a.b": "[]"},
}


def test_keys_with_dots(caller: Caller, store: Store) -> None:
    """If two keys need the same column, the object of the nested one stays JSON, so no value is lost."""
    store(*(event("SEARCH", info=info) for info in DOTTED))
    rows = _rows(_sheet(caller.signed_in("support"), csv_explode="true"))
    found = [{name: cell for name, cell in row.items() if name.startswith("info.") and cell} for row in rows]
    assert found == list(DOTTED.values())


def test_explode_array_concat(caller: Caller, store: Store) -> None:
    """Arrays in the info are written as one string joined by the value."""
    store(*(event("SEARCH", info=info) for info in INFOS), event("SEARCH", info='{"list":["only"]}'))
    rows = _rows(_sheet(caller.signed_in("support"), csv_explode="true", csv_explode_array_concat=" / "))
    first, *_, last = (row["info.list"] for row in rows)
    assert first.replace("/  /", "/ ? /") in {"x / 1 / ? / y", "x / 1 / y"}  # a null inside: not shown
    assert last == "only"


# §8: csv_max_length → how many of 250 characters are left, none of them split (wire §3).
LENGTHS = {
    None: 100,
    "0": 250,
    "1": 1,
    "99": 99,
    "100": 100,
    "249": 249,
    "250": 250,
    "251": 250,
    "9" * 18: 250,
}


def test_max_length(caller: Caller, store: Store) -> None:
    """Longer cells are cut to this number of characters in every column; 0 means no limit."""
    text = "ä€😀é𝄞" * 50
    store(event("SEARCH", by(SUPPORT, name=text), info=f'{{"text":"{text}"}}'))
    support = caller.signed_in("support")
    for length, left in LENGTHS.items():
        params = {"csv_explode": "true"} | ({} if length is None else {"csv_max_length": length})
        (row,) = _rows(_sheet(support, **params))
        assert row["info.text"] == row["user_generated_displayname"] == text[:left], f"length {length}"
    (row,) = _rows(_sheet(support, csv_max_length=12))
    assert row["info"] == f'{{"text":"{text}"}}'[:12]


# What a user may enter, and the cell that no spreadsheet runs.
FORMULAS = {
    "=1+1": "'=1+1",
    "+cmd": "'+cmd",
    "-cmd": "'-cmd",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\r=1",
    "\n=1": "'\n=1",
    "\uff1d1": "'\uff1d1",
    "\uff0b1": "'\uff0b1",
    "\uff0d1": "'\uff0d1",
    "\uff20a": "'\uff20a",
    "-5": "-5",
    "+5,3": "+5,3",
    "-5.25": "-5.25",
    "-5-cmd": "'-5-cmd",
    "a=b": "a=b",
    "'=1": "'=1",
    "": "",
}


def test_guard(caller: Caller, services: Services) -> None:
    """guard=true, our addition, puts an apostrophe before each cell that is a formula, never twice."""
    drafts = [
        event("SEARCH", Actor(SUPPORT, "easydb", text), object_id=-3, info=_json({"text": text}))
        for text in FORMULAS
    ]
    with services.database.write() as connection:
        services.log.append(connection, drafts)
    support = caller.signed_in("support")
    for explode in ("false", "true"):
        params = {"csv_explode": explode}
        plain, guarded = (_rows(_sheet(support, guard=guard, **params)) for guard in ("false", "true"))
        assert [row["user_generated_displayname"] for row in plain] == list(FORMULAS)
        assert [row["user_generated_displayname"] for row in guarded] == list(FORMULAS.values())
        assert [row["object_id"] for row in guarded] == ["-3"] * len(FORMULAS)
        if explode == "true":
            assert [row["info.text"] for row in guarded] == list(FORMULAS.values())
        else:
            assert [row["info"] for row in guarded] == [row["info"] for row in plain]
        assert _sheet(support, **params) == _sheet(support, guard="false", **params)


def test_guard_after_trimming(caller: Caller, store: Store) -> None:
    """A cell is trimmed first: what is left of it may be a formula, or no longer be a number."""
    store(event("SEARCH", info='{"a":"=1+1","b":"-5-cmd"}'))
    (row,) = _rows(_sheet(caller.signed_in("support"), csv_explode="true", csv_max_length=2, guard="true"))
    assert (row["info.a"], row["info.b"]) == ("'=1", "-5")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
