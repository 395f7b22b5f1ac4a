"""wire §5: an unusual schema document is saved unchanged."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.contract.caller import Caller, assert_error
from tests.contract.documents import column, museum, named, table

HEAD = "schema/user/HEAD"
DEEP = json.loads('{"a":' * 400 + "1" + "}" * 400)
UNKNOWN: dict[str, Any] = {
    "x_deep": DEEP,
    "k" * 100_000: 1,
    "": 1,
    "1a": 2,
    "a <b>\0": 3,
    "xmlns": "evil",
    "xml:lang": "x",
}
ON_WORK: dict[str, Any] = {
    "x_deep": json.loads("[" * 400 + "]" * 400),
    "comment": "a\0\x01\x0b\ufffe\uffff]]>\u202e\u2028😀" + "x" * 1_000_000,
    "x_a": 1,
    "x-a": 2,  # the same name in XML
}
COLUMNS = (
    column("quotes", default="it's \" ; -- %s %(x)s ?"),
    column("long_expression", check="regexp", check_regexp="a|" * 50_000),
    column("deep_expression", check="regexp", check_regexp="(" * 900 + "a" + ")" * 900),
)


def test_kept(caller: Caller) -> None:
    """It can be read, drawn, planned and committed, and unknown attributes are preserved."""
    root, sent = caller.signed_in("root"), museum()
    sent |= UNKNOWN | {"l10n_languages": [f"l{number}" for number in range(2000)]}
    named(sent, "work").update(ON_WORK)
    named(sent, "work")["columns"].extend(COLUMNS)
    sent["tables"].extend(table(f"table{number}", column("a")) for number in range(300))
    saved = root.post(HEAD, sent)
    assert saved.status_code == 200, saved.text[:300]
    document = saved.json()
    assert {name: document[name] for name in UNKNOWN} == UNKNOWN
    assert {name: named(document, "work")[name] for name in ON_WORK} == ON_WORK
    answers = {form: root.get(HEAD, format=form) for form in ("xml", "svg", "png")}
    assert {form: answer.status_code for form, answer in answers.items()} == dict.fromkeys(answers, 200)
    for form in ("xml", "svg"):
        ET.fromstring(answers[form].content)  # noqa: S314 - our own server's
    assert root.get(f"{HEAD}/plan").status_code == 200
    assert root.post("schema/commit").status_code == 200


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b'{"version":1,"tables":[%b{}]}' % (b"{}," * 10_000), "error.api.invalid_value"),
        (b'{"version":1,"tables":[{"columns":[%b{}]}]}' % (b"{}," * 100_000), "error.api.invalid_value"),
        (b'{"version":1,"tables":[%b{}]}' % (b"{}," * 500_000), "error.api.invalid_content"),
        (b'{"version":1,"tables":[],"x":[%b1]}' % (b"1," * 2_000_000), "error.api.invalid_content"),
    ],
    ids=["tables", "columns", "objects", "values"],
)
def test_documents_of_too_many_parts(caller: Caller, document: bytes, code: str) -> None:
    """They are refused by their numbers, before anything else is looked at."""
    answer = caller.signed_in("modeller")("POST", HEAD, content=document)
    assert_error(answer, code)
    assert "at most" in answer.text or "more than" in answer.text
