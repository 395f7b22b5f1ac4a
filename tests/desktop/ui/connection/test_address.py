"""Tests of validating a server address while it is typed."""

from cdb_desktop.ui.connection.address import Address, parse_address

VALID = {
    "https://db.example": Address("https://db.example"),
    "  https://db.example/instance/ ": Address("https://db.example/instance"),
    "db.example": Address("https://db.example", is_guessed=True),
    "db.example:8443/x": Address("https://db.example:8443/x", is_guessed=True),
    "localhost:8040": Address("http://localhost:8040", is_guessed=True),
    "http://127.0.0.1:8040": Address("http://127.0.0.1:8040"),
    "http://[::1]:8040": Address("http://[::1]:8040"),
    "http://db.example": Address("http://db.example", is_unencrypted=True),
}
INVALID = {
    "": Address(fault="empty"),
    "ftp://db.example": Address(fault="scheme"),
    "https://": Address(fault="host"),
    "https://db example": Address(fault="host"),
    "https://[::1": Address(fault="host"),
    "https://db..example": Address(fault="host"),
    "https://db.example:": Address(fault="port"),
    "https://db.example:0": Address(fault="port"),
    "https://db.example:99999": Address(fault="port"),
    "https://root:secret@db.example": Address(fault="credentials"),
    "https://db.example/?token=x": Address(fault="extra"),
    "https://db.example/#top": Address(fault="extra"),
}


def test_a_valid_address_is_normalized_to_a_url() -> None:
    """The default scheme is https, or http for the local host; http to other hosts is unencrypted."""
    assert {typed: parse_address(typed) for typed in VALID} == VALID


def test_an_invalid_address_has_an_error() -> None:
    """An invalid address has an error and no URL."""
    assert {typed: parse_address(typed) for typed in INVALID} == INVALID
