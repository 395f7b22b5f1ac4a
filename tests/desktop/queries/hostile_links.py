"""Links that nobody should write."""

import random
from collections.abc import Iterator

GOOD = (
    "cdb://events?profile=Museum&server=https://db.example.org&type=EXPORT_FAILED&user=7&pollable=no"
    "&-key=info.reason=%22not%20found%22&exact-text=K%C3%B6ln&from=2026-11-16T00:00:00Z&sort=timestamp,-_id&v=1"
)
_NASTY = (
    *("%00", "%0d%0a", "%", "%%", "%u0041", "%c0%af", "%ed%a0%80", "%E2%80%AE", "\u202e", "\x00", "\ud800"),
    *("../../etc/passwd", "file:///etc/passwd", "https://evil.example/", "user:password@evil.example", "//"),
    *(
        "&server=https://evil.example",
        "&token=abc",
        "--server",
        '" --demo "',
        "'; DROP",
        "javascript:alert(1)",
    ),
    *(
        "@",
        "#",
        "?",
        "&",
        "=",
        "&&",
        "&v=1",
        "&key==",
        "&-exact-key=a=b",
        "&text=%2F",
        "\n",
        "\t",
        "\\",
        "cdb://",
    ),
    *("[" * 50, '{"a":' * 50, "=" * 200, " = " * 100, '"' * 99, "*" * 300, "x" * 2000, "(" * 300, "9" * 400),
    *("-1", "1e999", "0x10", "NaN", "(a+)+$", "a{1000}{1000}", "&regex=%28a%7Ca%29*b", "🏛", "%F0%9F%8F%9B"),
    *("&from=9999-12-31T23:59:59-23:59", "&to=0001-01-01T00:00:00%2B23:59", "&sort=" + "_id," * 40),
    *("&user=" + "8" * 19, "<img src=http://evil.example>"),
)


def hostile_links(number: int, seed: int = 18) -> Iterator[str]:
    """Links that are changed at random: pieces inserted, removed, repeated and exchanged, by a seed."""
    source = random.Random(seed)
    seeds = (GOOD, "cdb://events/19908?profile=Museum&v=1", "cdb://events?profile=Museum&regex=a.%2Ab&v=1")
    for _ in range(number):
        text = source.choice(seeds)
        for _ in range(source.randint(1, 4)):
            place, other = sorted((source.randint(0, len(text)), source.randint(0, len(text))))
            text = source.choice(
                (
                    text[:place] + source.choice(_NASTY) + text[place:],
                    text[:place] + source.choice(_NASTY) + text[other:],
                    text[:place] + text[other:],
                    text[:place] + text[place:other] * 2 + text[other:],
                    text[:place] + chr(source.randint(0, 255)) + text[place:],
                    text[:place] + chr(source.randint(0, 0x10FFFF)) + text[place:],
                    text[:-4] + source.choice(_NASTY) + "&v=1",
                )
            )  # fmt: skip
        yield text
