"""Stored values that satisfy a check (wire §5)."""

import pytest

from server_stub.schema.document.model import Bound, Check, Column
from server_stub.schema.validation.value_checks import broken_check

LOCALIZED = '{"en":"Dawn","de":"Dämmerung"}'


@pytest.mark.parametrize(
    ("type_", "check", "good", "bad"),
    [
        ("text", Check("not_empty"), ["a", " a"], ["", "  ", "\n"]),
        ("text_l10n", Check("not_empty"), [LOCALIZED, '{"en":"","de":"a"}'], ["{}", '{"en":""}']),
        ("date_range", Check("not_empty"), ['{"from":"2020","to":null}'], ['{"from":null,"to":null}']),
        (
            "text",
            Check("email"),
            ["a@b.cd", "a.b+c@d.e.fg"],
            ["a", "a@b", "a b@c.de", "@c.de", "a@c..de"],
        ),
        ("text", Check("regexp", regexp="^a+$"), ["a", "aaa"], ["A", "b", "ab"]),
        ("text", Check("regexp", regexp="^a+$", flags="i"), ["A", "aA"], ["b"]),
        ("text_l10n", Check("regexp", regexp="^D"), [LOCALIZED], ['{"en":"Dawn","de":"Abend"}']),
        (
            "number",
            Check("range", lower=Bound(1), upper=Bound(3, is_open=True)),
            [1, 2],
            [0, 3, "x"],
        ),
        ("decimal.2", Check("range", lower=Bound(0.1)), [0.1, 5], [0.05, -1]),
        (
            "date",
            Check("range", upper=Bound("2020-12")),
            ["2019-01-01", "2020-12-31"],
            ["2021-01-01"],
        ),
        (
            "date_time",
            Check("range", lower=Bound("2020-01-01")),
            ["2020-01-01T10:00:00"],
            ["2019-12-31T23:59"],
        ),
        (
            "date",
            Check("range", lower=Bound("2020", is_open=True)),
            ["2021-01-01"],
            ["2020-05-05"],
        ),
        ("text", Check(length_min=2, length_max=3), ["ab", "äöü"], ["a", "abcd"]),
        ("text_l10n", Check(length_max=9), [LOCALIZED], ['{"en":"0123456789"}']),
    ],
)
def test_values(type_: str, check: Check, good: list[object], bad: list[object]) -> None:
    """Checks apply to every language of a text and to both ends of a range."""
    column = Column(1, "x", type_, check=check)
    broken = check.kind or "length"
    assert [broken_check(column, value) for value in good] == [None] * len(good)
    assert [broken_check(column, value) for value in bad] == [broken] * len(bad)
