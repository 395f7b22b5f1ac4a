"""wire §5: unusual schema documents are saved unchanged or refused by an error object."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.contract.caller import Caller, assert_error
from tests.contract.documents import Json, column, museum, named, table

HEAD = "schema/user/HEAD"
Change = Callable[[Json], Any]


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def _added(**more: Any) -> Change:
    """Adds a column to `work`."""
    return lambda document: named(document, "work")["columns"].append(column("odd", **more))


def _set(**more: Any) -> Change:
    """Sets attributes of the document."""
    return lambda document: document.update(more)


def _on_work(**more: Any) -> Change:
    """Sets attributes of `work`."""
    return lambda document: named(document, "work").update(more)


def _with_entry(kind: str, **more: Any) -> Change:
    """Adds an entry to `work` that is not a column."""
    entry = {"kind": kind, "other_table_name_hint": "artist", "other_column_name_hint": "name"}
    return lambda document: named(document, "work")["columns"].append(entry | more)


KEPT: dict[str, Change] = {
    "deep": _set(x_deep=_deep(400)),
    "a deep list": _on_work(x_deep=json.loads("[" * 400 + "]" * 400)),
    "a megabyte": _on_work(comment="x" * 1_000_000),
    "a long name": _set(**{"k" * 100_000: 1}),
    "control characters": _on_work(comment="a\0\x01\x0b\ufffe\uffff]]>\u202e\u2028😀"),
    "names that XML does not take": _set(**{"": 1, "1a": 2, "a <b>\0": 3, "xmlns": "evil", "xml:lang": "x"}),
    "names that are the same in XML": _on_work(**{"table-id": 5, "x_a": 1, "x-a": 2}),
    "many languages": _set(l10n_languages=[f"l{number}" for number in range(2000)]),
    "quotes": _added(default="it's \" ; -- %s %(x)s ?"),
    "a long expression": _added(kind="text", check="regexp", check_regexp="a|" * 50_000),
    "a deep expression": _added(kind="text", check="regexp", check_regexp="(" * 900 + "a" + ")" * 900),
    "many tables": lambda document: document["tables"].extend(
        table(f"table{number}", column("a")) for number in range(300)
    ),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_kept(caller: Caller, change: Change) -> None:
    """Unusual documents can be read, planned and committed; unknown attributes are preserved."""
    root, document = caller.signed_in("root"), museum()
    change(document)
    saved = root.post(HEAD, document)
    assert saved.status_code == 200, saved.text[:300]
    document = saved.json()
    unknown = {name: value for name, value in document.items() if name not in museum()}
    assert {name: document[name] for name in unknown} == unknown
    work = named(document, "work")
    assert {name: value for name, value in named(document, "work").items() if name.startswith("x_")} == {
        name: value for name, value in work.items() if name.startswith("x_")
    }
    assert named(document, "work").get("comment") == work.get("comment")
    answers = {form: root.get(HEAD, format=form) for form in ("xml", "svg", "png")}
    assert {form: answer.status_code for form, answer in answers.items()} == dict.fromkeys(answers, 200)
    for form in ("xml", "svg"):
        ET.fromstring(answers[form].content)  # noqa: S314 - our own server's
    assert root.get(f"{HEAD}/plan").status_code == 200
    assert root.post("schema/commit").status_code == 200


REFUSED: dict[str, tuple[Change, str]] = {
    "version true": (_set(version=True), "api.type_mismatch"),
    "version 1.0": (_set(version=1.0), "api.type_mismatch"),
    "version of 70 bits": (_set(version=2**70), "user.version_mismatch"),
    "no tables": (_set(tables=None), "api.attribute_expected"),
    "a list in the list": (_set(tables=[[]]), "api.type_mismatch"),
    "every table twice": (_set(tables=museum()["tables"] * 2), "api.invalid_value"),
    "an id of 40 bits": (_on_work(table_id=2**40), "api.invalid_value"),
    "greatest ids of 63 bits": (_set(max_table_id=2**63 - 1), "api.invalid_value"),
    "a language twice": (_set(l10n_languages=["de-DE"] * 2), "api.invalid_value"),
    "no language": (_set(l10n_languages=["", None, 1]), "api.type_mismatch"),
    "a type in a list": (_added(kind=["text"]), "api.type_mismatch"),
    "many decimals": (_added(kind="decimal.99999999999999999999"), "api.invalid_value"),
    "a default with a zero": (_added(default="a\0b"), "api.invalid_value"),
    "a default of 70 bits": (_added(kind="number", default=2**70), "api.invalid_value"),
    "a default that is an object": (_added(default={"a": 1}), "api.type_mismatch"),
    "an id at a link": (_with_entry("link", column_id=7), "api.attribute_not_accepted"),
    "an id at a reverse link": (_with_entry("reverse_link", column_id=7), "api.attribute_not_accepted"),
    "a range upside down": (
        _added(kind="number", check="range", check_range_lower=2**70, check_range_upper=-(2**70)),
        "api.invalid_value",
    ),
    "more columns than a table takes": (
        lambda document: named(document, "work").update(columns=[column(f"c{n}") for n in range(5000)]),
        "api.invalid_value",
    ),
    "an expression that explodes": (
        _added(kind="text", check="regexp", check_regexp="((a{100}){100}){100}"),
        "api.invalid_value",
    ),
}


@pytest.mark.parametrize(("change", "name"), REFUSED.values(), ids=REFUSED)
def test_invalid_documents_are_refused(caller: Caller, change: Change, name: str) -> None:
    """Invalid documents are refused with a specific code, and no version is created."""
    root, document = caller.signed_in("root"), museum()
    change(document)
    assert_error(root.post(HEAD, document), f"error.{name}")
    assert root.get(HEAD).status_code == 404
