"""wire §5: rules of a document that are checked when HEAD is saved: type changes, checks, links, nesting."""

from copy import deepcopy

from tests.contract.caller import Caller
from tests.contract.documents import (
    column,
    field,
    schema,
    table,
)

HEAD = "schema/user/HEAD"
TEXTS = ("text", "text_oneline", "text_l10n", "text_l10n_oneline", "string")
DATES = ("date", "date_range", "date_time")
OTHERS = ("boolean", "eas", "custom:base.custom-data-type-location.location")
ALL = (*TEXTS, *DATES, "number", "decimal.2", *OTHERS)

# Every allowed change of an existing column's type.
ALLOWED = (
    {(one, other) for one in TEXTS for other in TEXTS}
    | {(one, other) for one in (*DATES, "number", "decimal.2") for other in TEXTS}
    | {("date", "date_time"), ("date_time", "date"), ("date", "date_range"), ("date_time", "date_range")}
    | {("number", "decimal.2"), ("decimal.2", "number")}
    | {(one, one) for one in ALL}
)


def test_type_changes(caller: Caller) -> None:
    """Allowed changes of the type in CURRENT are saved, others are refused."""
    root = caller.signed_in("root")
    columns = [column(f"c{number}", kind) for number, kind in enumerate(ALL)]
    root.post(HEAD, schema(table("work", *columns)))
    assert root.post("schema/commit").status_code == 200
    head = root.get(HEAD, format="json").json()
    saved = set()
    for number, before in enumerate(ALL):
        for after in ALL:
            changed = deepcopy(head)
            field(changed, "work", f"c{number}")["type"] = after
            answer = root.post(HEAD, changed)
            assert answer.status_code in {200, 400}, answer.text
            if answer.status_code == 200:
                saved.add((before, after))
    assert saved == ALLOWED
