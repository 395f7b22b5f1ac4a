"""Tests of judging an address while it is typed."""

from __future__ import annotations

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
def test_a_usable_address_means_a_url(typed: str, meant: Address) -> None:
    """Without a scheme it is https, on this computer http; elsewhere http is open to everybody."""
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
def test_what_cannot_be_an_address_has_a_fault(typed: str, fault: str) -> None:
    """And means nothing."""
    assert parse_address(typed) == Address(fault=fault)  # type: ignore[arg-type]
