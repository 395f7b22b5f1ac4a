"""Tests of removing secrets from texts."""

from functools import partial

import pytest

from cdb_desktop.client import redaction
from cdb_desktop.client.redaction import MASK, MaskingWriter, bare_url, redact, redact_unforeseen
from tests.durations import shortest


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("nothing to hide", "nothing to hide"),
        ("GET /x?limit=1&token=abc-1&pretty=0", f"GET /x?limit=1&token={MASK}&pretty=0"),
        ('{"token": "abc-1", "a": 1}', f'{{"token": "{MASK}", "a": 1}}'),
        ('{"token": "cut o', f'{{"token": "{MASK}'),
        (r"{\"password\":\"x y\"}", rf"{{\"password\":\"{MASK}\"}}"),
        ("{'login_token': 'abc'}", f"{{'login_token': '{MASK}'}}"),
        ("X-Easydb-Token: abc-1 rest", f"X-Easydb-Token: {MASK} rest"),
        ("GET /x?TOKEN=abc-1&Token=abc-2", f"GET /x?TOKEN={MASK}&Token={MASK}"),
        ('{"TOKEN": "abc-1", "Password": "x"}', f'{{"TOKEN": "{MASK}", "Password": "{MASK}"}}'),
        ("TOKEN: abc-1", f"TOKEN: {MASK}"),
        ("next=%2Fx%3FToken%3Dabc-1%26a%3D1", f"next=%2Fx%3FToken%3D{MASK}%26a%3D1"),
        ("Authorization: Bearer abc-1", f"Authorization: {MASK}"),
        ("authorization=Basic cm9vdDp4", f"authorization={MASK}"),
        ("proxy http://me:pw@proxy:8080/ said", f"proxy http://{MASK}@proxy:8080/ said"),
        ("login=root&password=a%20b", f"login=root&password={MASK}"),
    ],
)
def test_named_secrets(text: str, clean: str) -> None:
    """A token or password is masked in URLs, JSON and headers, also if the text is truncated."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "spelling", ['a "b" & c', 'a \\"b\\" & c', "a%20%22b%22%20%26%20c", "a+%22b%22+%26+c"]
)
def test_known_secrets_in_every_spelling(spelling: str) -> None:
    """A known secret is masked in plain text, JSON and URLs."""
    assert redact(f"<{spelling}>", ('a "b" & c',)) == f"<{MASK}>"


@pytest.mark.parametrize("spelling", ["AbC-1", "abc-1", "ABC-1"])
def test_known_secrets_in_any_letter_case(spelling: str) -> None:
    """Some programs write whole lines in capitals."""
    assert redact(f"<{spelling}>", ("AbC-1",)) == f"<{MASK}>"


def test_secrets_in_use_are_masked_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unexpected exceptions may contain them; short ones, which are part of many words, are ignored."""
    monkeypatch.setattr(redaction, "known_secrets", {"swordfish", "abc"})
    text = redact_unforeseen("SWORDFISH abc swordfish")
    assert text == f"{MASK} abc {MASK}"


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_secret_across_two_pieces_is_masked(size: int) -> None:
    """A secret may begin in one piece and end in the next."""
    text = b"a,token-77,b\n" * 50
    written: list[bytes] = []
    writer = MaskingWriter(written.append, ("token-77",))
    for place in range(0, len(text), size):
        writer.write(text[place : place + size])
    writer.end()
    assert b"".join(written) == text.replace(b"token-77", MASK.encode())
    assert writer.size == len(b"".join(written))


def test_empty_secret_changes_nothing() -> None:
    """An empty password does not mask the space between letters."""
    assert redact("text", ("",)) == "text"


def test_bare_url() -> None:
    """Only scheme, host and path of a URL are shown."""
    assert bare_url("https://me:pw@host:8443/a/b?token=1#t") == "https://host:8443/a/b"


@pytest.mark.parametrize("end", ["", " token"])
def test_long_texts_are_masked_fast(end: str) -> None:
    """A record may contain an image as text; masking it takes a time that grows with its length only."""
    texts = ["x" * length + end for length in (100_000, 1_000_000)]
    assert [redact(text) for text in texts] == texts
    short, long = (shortest(partial(redact, text)) for text in texts)
    assert long < 40 * short
