"""§4.3 `format=csv` with its options, §8 and wire §3."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec
import pytest

from server_stub.events import Actor
from server_stub.http.calls import Services
from tests.contract.builders import SUPPORT, Store, by, event
from tests.contract.caller import Caller, assert_error

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


def test_columns(caller: Caller, services: Services) -> None:
    """There is one column for each field, with info as compact JSON and empty cells for missing values."""
    full = event(
        "SEARCH",
        by(SUPPORT, "ref"),
        pollable=True,
        schema="USER",
        objecttype="work",
        object_id=17,
        object_version=3,
        info='{"a":[1,{"b":null}]}',
    )
    with services.database.write() as connection:
        first, second = services.log.append(
            connection, [full, event("SEARCH", schema="BASE", base_type="pool")]
        )
    text = _sheet(caller.signed_in("support"))
    assert text.splitlines()[0] == COLUMNS
    time, object_id = "2025-06-15T15:06:40+00:00", f"17@{services.log.instance}"
    found = [",".join(row.values()) for row in _rows(text)]
    assert found == [
        f'{first},{time},SEARCH,USER,,work,17,3,{object_id},true,2,Support,easydb,ref,,{{"a":[1,{{"b":null}}]}}',
        f"{second},{time},SEARCH,BASE,pool,,,,,false,,,,,,{{}}",
    ]


def test_filters_and_pages_apply(caller: Caller, store: Store) -> None:
    """Filters, sort, limit and offset apply to CSV as to other formats."""
    stored = store(*[event("SEARCH")] * 5, event("DETAIL_VIEW"))
    rows = _rows(_sheet(caller.signed_in("support"), limit=2, offset=1))
    assert [row["_id"] for row in rows] == [str(id_) for id_ in stored[1:3]]


# Contents that need quoting: the info of an event, read back with the options it was written with.
AWKWARD = '{"a":"x,y;z\\t|","b":"it\'s \\"quoted\\" \\\\ ä😀\\n"}'
DIALECTS: tuple[tuple[dict[str, str], dict[str, Any]], ...] = (
    ({}, {}),
    ({"csv_delimiter": ";"}, {"delimiter": ";"}),
    ({"csv_delimiter": "\t"}, {"delimiter": "\t"}),
    ({"csv_quote": "'"}, {"quotechar": "'", "escapechar": '"', "doublequote": False}),
    ({"csv_escape": "\\"}, {"escapechar": "\\", "doublequote": False}),
    (
        {"csv_delimiter": "|", "csv_quote": "'", "csv_escape": "'"},
        {"delimiter": "|", "quotechar": "'"},
    ),
    (
        {"csv_delimiter": ";", "csv_quote": "'", "csv_escape": "\\"},
        {"delimiter": ";", "quotechar": "'", "escapechar": "\\", "doublequote": False},
    ),
)


@pytest.mark.parametrize(("params", "dialect"), DIALECTS, ids=lambda value: "".join(map(str, value.values())))
def test_delimiter_quote_escape(
    caller: Caller, store: Store, params: dict[str, str], dialect: dict[str, Any]
) -> None:
    """CSV written with any options reads back unchanged; the defaults are `,` `"` `"`."""
    store(event("SEARCH", info=AWKWARD), event("SEARCH"))
    text = _sheet(caller.signed_in("support"), csv_max_length=0, **params)
    assert text.startswith(COLUMNS.replace(",", dialect.get("delimiter", ",")))
    assert [row["info"] for row in _rows(text, **dialect)] == [AWKWARD, "{}"]


def test_bom(caller: Caller, store: Store) -> None:
    """csv_use_bom adds a UTF-8 byte order mark before the same content; the default is false."""
    store(event("SEARCH", info='{"a":"ä"}'))
    support = caller.signed_in("support")
    plain = _sheet(support)
    assert plain.startswith("_id,")
    assert _sheet(support, csv_use_bom="false") == plain
    assert _sheet(support, csv_use_bom="true") == "\ufeff" + plain


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


@pytest.mark.parametrize("length", [0, 100])
def test_guard(caller: Caller, services: Services, length: int) -> None:
    """guard=true, our addition, puts an apostrophe before each cell that is a formula, never twice."""
    drafts = [
        event("SEARCH", Actor(SUPPORT, "easydb", text), object_id=-3, info=_json({"text": text}))
        for text in FORMULAS
    ]
    with services.database.write() as connection:
        services.log.append(connection, drafts)
    support = caller.signed_in("support")
    for explode in ("false", "true"):
        params = {"csv_explode": explode, "csv_max_length": length}
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


CSV_ONLY = {
    "csv_delimiter": ";",
    "csv_quote": "'",
    "csv_escape": "'",
    "csv_use_bom": "true",
    "csv_explode": "true",
    "csv_explode_array_concat": ",",
    "csv_max_length": "10",
    "guard": "true",
}


def test_only_with_csv(caller: Caller) -> None:
    """Each option requires format=csv, and csv_explode_array_concat requires csv_explode=true (§4.3)."""
    support = caller.signed_in("support")
    for option, value in CSV_ONLY.items():
        for form in ({}, {"format": "json"}, {"format": "json_full"}):
            answer = support.get("event/list", **form, **{option: value})
            assert_error(answer, "error.api.attribute_not_accepted")
    for explode in ({}, {"csv_explode": "false"}):
        answer = support.get("event/list", format="csv", csv_explode_array_concat=",", **explode)
        assert_error(answer, "error.api.attribute_not_accepted")


REFUSED = (
    *({name: value} for name in ("csv_delimiter", "csv_quote", "csv_escape") for value in ("", "ab", "%09")),
    {"csv_use_bom": "perhaps"},
    {"csv_use_bom": ""},
    {"csv_explode": "perhaps"},
    {"guard": "perhaps"},
    {"csv_max_length": "-1"},
    {"csv_max_length": "long"},
    {"csv_max_length": ""},
)


def test_refuses(caller: Caller) -> None:
    """Malformed options are refused: several characters, other booleans, negative lengths (wire §3)."""
    support = caller.signed_in("support")
    for params in REFUSED:
        assert_error(support.get("event/list", format="csv", **params), "error.api.invalid_value")
