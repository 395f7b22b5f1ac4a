"""The man pages of all commands: what they print with ``--help``, and the topic of the manual about them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from cdb_desktop.foundation.i18n import use_language
from cdb_desktop.ui.shell.manual.markup import MarkerNames
from cdb_desktop.vocabulary.manual import MARKER, topic_text

# The package that runs each command, and its topic.
COMMANDS = {
    "cdb-desktop": ("cdb_desktop", "commands"),
    "cdb-desktop check": ("cdb_desktop", "policies"),
    "cdb-desktop dictionary": ("cdb_desktop", "data-dictionary"),
    "cdb-desktop merge": ("cdb_desktop", "merge"),
    "cdb-desktop watch": ("cdb_desktop", "watch"),
    "cdb-server": ("server_stub", "run-a-server"),
    "cdb-server backup": ("server_stub", "backup-and-failover"),
    "cdb-server conform": ("server_stub", "commands"),
    "cdb-server import-events": ("server_stub", "log-files"),
    "cdb-server migrate": ("server_stub", "databases"),
    "cdb-server restore": ("server_stub", "backup-and-failover"),
    "cdb-server retain": ("server_stub", "old-events"),
    "cdb-server snapshot": ("server_stub", "backup-and-failover"),
    "cdb-server user": ("server_stub", "run-a-server"),
}


def pages(version: str, day: str) -> dict[str, str]:
    """All pages by name, such as ``cdb-desktop-check``; ``day`` is their date."""
    use_language("en", lambda value, decimals: f"{value:.{decimals}f}")
    return {
        command.replace(" ", "-"): page(command, help_text(command), topic_text(topic, "en"), version, day)
        for command, (_, topic) in COMMANDS.items()
    }


@cache
def help_text(command: str) -> str:
    """What the installed command prints with ``--help``; all packages have the same pages."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["COLUMNS"] = "80"
    package, _ = COMMANDS[command]
    return subprocess.run(
        [sys.executable, "-P", "-m", package, *command.split()[1:], "--help"],
        check=True, capture_output=True, text=True, env=environment, cwd="/",
    ).stdout  # fmt: skip


def page(command: str, text: str, topic: str, version: str, day: str) -> str:
    """A page for section 1.

    ``text`` is the help: usage, description, groups of arguments, closing words; ``topic`` is Markdown.
    """
    usage, description, *others = text.strip().split("\n\n")
    name = command.replace(" ", "-")
    purpose = " ".join(description.split()).partition(". ")[0].rstrip(".")
    lines = [
        f'.TH {name.upper()} 1 "{day}" "CDB Desktop {version}" "User Commands"',
        ".SH NAME",
        rf"{_roff(name)} \- {_roff(purpose[0].lower() + purpose[1:])}",
        ".SH SYNOPSIS",
        rf".B {_roff(command)}",
        _roff(" ".join(usage.removeprefix("usage:").split()).removeprefix(command)).strip(),
        ".SH DESCRIPTION",
        _roff(" ".join(description.split())),
    ]
    for block in others:
        lines += _help_section(block)
    lines += _topic_sections(topic)
    related = [one.replace(" ", "-") for one in COMMANDS if one != command]
    lines += [".SH SEE ALSO", ",\n".join(rf".BR {_roff(one)} (1)" for one in related)]
    return "\n".join(lines) + "\n"


def _help_section(block: str) -> Iterator[str]:
    head, _, rest = block.partition("\n")
    if not rest.startswith("  "):
        yield from (".SH NOTES", _roff(" ".join(block.split())))
        return
    yield f".SH {_roff(head.rstrip(':').upper())}"
    for line in rest.splitlines():
        entry = re.match(r"  (\S.*?)(?:\s{2,}(.*))?$", line)
        if entry and not line.startswith("   "):
            yield from (".TP", rf".B {_roff(entry[1])}", *([_roff(entry[2])] if entry[2] else []))
        else:
            yield _roff(line.strip())


_SHOW = re.compile(r" *\[[^\]]*\]\(show:[^)]*\)")


def _topic_sections(markdown: str) -> Iterator[str]:
    """The headings, paragraphs, lists, tables and blocks of code of a topic."""
    names = MarkerNames()
    text = MARKER.sub(lambda found: f"**{names.text(found[1], found[2])}**", _SHOW.sub("", markdown))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    number = 0
    for before, token in zip((None, *tokens), tokens, strict=False):
        match token.type:
            case "ordered_list_open":
                number = 1
            case "bullet_list_open":
                number = 0
            case "list_item_open":
                yield f".IP {number}. 4" if number else r".IP \(bu 2"
                number += bool(number)
            case "tr_open":
                yield ".TP"
            case "paragraph_open" if before is None or before.type != "list_item_open":
                yield ".PP"
            case "inline" if before is not None and before.type == "heading_open":
                yield f".SH {_roff(token.content.upper())}"
            case "inline":
                yield _inline(token.children or ())
            case "fence":
                yield from (".PP", ".nf", *map(_roff, token.content.splitlines()), ".fi")


_FONTS = {"strong_open": r"\fB", "strong_close": r"\fR", "em_open": r"\fI", "em_close": r"\fR"}


def _inline(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "code_inline":
            parts.append(rf"\fB{_escaped(token.content)}\fR")
        elif token.type != "image":
            parts.append(_FONTS.get(token.type) or _escaped(token.content))
    return _guarded("".join(parts))


def _roff(text: str) -> str:
    return _guarded(_escaped(text))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def _guarded(line: str) -> str:
    """Text at whose beginning no request is recognized."""
    return f"\\&{line}" if line.startswith((".", "'")) else line
