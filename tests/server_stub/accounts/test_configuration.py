"""Parsing of `--set` (§4.4, wire §2)."""

import pytest

from server_stub.accounts.configuration import Value, parse_setting


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("system.log.search=false", False),
        ("system.log.search=0", False),
        ("system.log.detail_view=True", True),
        ("system.log.detail_view=1", True),
        ("session.timeout=1", 1),
        ("session.timeout=999999999", 999_999_999),
        ("languages=de-DE", "de-DE"),
        ("languages=de-DE,en-US,it-IT", "de-DE,en-US,it-IT"),
        ("name=Museum, a=b", "Museum, a=b"),
    ],
)
def test_a_setting_is_read(text: str, value: Value) -> None:
    """Booleans are written as in query parameters, and values may contain equals signs."""
    name = text.partition("=")[0]
    read = parse_setting(text)
    assert read == (name, value)
    assert type(read[1]) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "system.log.search=no",
        "system.log.search=",
        "session.timeout=0",
        "session.timeout=-5",
        "session.timeout=1.5",
        "session.timeout=true",
        "session.timeout=10000000000",
        "languages=",
        "languages=de-DE,",
        "languages=de-DE, en-US",
        "name=",
        "name= ",
    ],
)
def test_invalid_values_are_refused(text: str) -> None:
    """Invalid values are refused with an example of a valid one."""
    with pytest.raises(ValueError, match="takes a value like"):
        parse_setting(text)


@pytest.mark.parametrize("text", ["system.log.search", "nonsense=1", "=1", ""])
def test_an_unknown_name_is_refused(text: str) -> None:
    """An unknown name is refused with a list of all names."""
    with pytest.raises(ValueError, match=r"is no base configuration; known are .*session\.timeout"):
        parse_setting(text)
