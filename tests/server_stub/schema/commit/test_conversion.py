"""Conversion of values to other types, and values that cannot be converted (wire §5)."""

import pytest

from server_stub.schema.commit.requirements import InconvertibleError, convert_value
from server_stub.schema.document.model import Family


@pytest.mark.parametrize(
    ("value", "before", "after"),
    [
        ("x", Family.NUMBER, Family.DECIMAL),
        (10**13, Family.NUMBER, Family.DECIMAL),
        (0.5, Family.DECIMAL, Family.NUMBER),
        (float("inf"), Family.DECIMAL, Family.NUMBER),
        ("2020", Family.DATE, Family.DATE_TIME),
        ("yesterday", Family.DATE, Family.DATE_RANGE),
        ("10:30", Family.DATE_TIME, Family.DATE),
        ('{"en":"Dawn","de":"Abend"}', Family.LOCALIZED, Family.TEXT),
        (1, Family.BOOLEAN, Family.NUMBER),
    ],
)
def test_no_counterpart(value: object, before: Family, after: Family) -> None:
    """A lossy conversion is refused."""
    with pytest.raises(InconvertibleError):
        convert_value(value, before, after, ("en",))


@pytest.mark.parametrize(
    ("value", "before", "after", "expected"),
    [
        ('{"en":"same","de":"same"}', Family.LOCALIZED, Family.TEXT, "same"),
        ("{}", Family.LOCALIZED, Family.TEXT, ""),
        ("2020/2021", Family.DATE_RANGE, Family.TEXT, "2020/2021"),
        ('{"from":"2020","to":"2020"}', Family.DATE_RANGE, Family.TEXT, "2020"),
        ("x", Family.DECIMAL, Family.TEXT, "x"),
        ("2020-02-29", Family.DATE_TIME, Family.DATE, "2020-02-29"),
        ("2020-02-29 10:30", Family.DATE_TIME, Family.DATE, "2020-02-29"),
        ("a", Family.TEXT, Family.LOCALIZED, '{"de":"a"}'),
    ],
)
def test_counterparts(value: object, before: Family, after: Family, expected: object) -> None:
    """Values that do not match the type of their column are converted to text unchanged."""
    assert convert_value(value, before, after, ("de", "en")) == expected
