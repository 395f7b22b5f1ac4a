"""Tests of validating a server address while it is typed."""

import pytest

from cdb_desktop.ui.connection.address import Address, parse_address


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("https://db.example", Address("https://db.example")),
        ("  https://db.example/instance/ ", Address("https://db.example/instance")),
        ("db.example", Address("https://db.example", is_guessed=True)),
        ("db.example:8443/x", Address("https://db.example:8443/x", is_guessed=True)),
        ("localhost:8040", Address("http://localhost:8040", is_guessed=True)),
        ("http://127.0.0.1:8040", Address("http://127.0.0.1:8040")),
        ("http://[::1]:8040", Address("http://[::1]:8040")),
        ("http://db.example", Address("http://db.example", is_unencrypted=True)),
    ],
)
def test_a_valid_address_is_normalized_to_a_url(typed: str, meant: Address) -> None:
    """The default scheme is https, or http for the local host; http to other hosts is unencrypted."""
    assert parse_address(typed) == meant


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("", "empty"),
        ("ftp://db.example", "scheme"),
        ("https://", "host"),
        ("https://db example", "host"),
        ("https://[::1", "host"),
        ("https://db..example", "host"),
        ("https://db.example:", "port"),
        ("https://db.example:0", "port"),
        ("https://db.example:99999", "port"),
        ("https://root:secret@db.example", "credentials"),
        ("https://db.example/?token=x", "extra"),
        ("https://db.example/#top", "extra"),
    ],
)
def test_an_invalid_address_has_an_error(typed: str, fault: str) -> None:
    """An invalid address has an error and no URL."""
    assert parse_address(typed) == Address(fault=fault)  # type: ignore[arg-type]
