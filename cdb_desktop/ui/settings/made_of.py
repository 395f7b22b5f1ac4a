"""What the program is made of: its version and the libraries under it with their licences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

_OWN = "cdb-desktop"
_NAME = re.compile(r"[\w.-]+")
_LICENSE = "License :: "
_LONGEST = 60  # some packages put the whole text where its name belongs


@dataclass(frozen=True, slots=True)
class Library:
    """One library as it is installed; ``license`` is empty where it does not name one."""

    name: str
    version: str
    license: str


def own_version() -> str:
    """The version of this program, empty where it was not installed."""
    try:
        return metadata.version(_OWN)
    except metadata.PackageNotFoundError:
        return ""


def libraries() -> tuple[Library, ...]:
    """The libraries that this program asks for, as far as they are here."""
    try:
        asked = metadata.requires(_OWN) or []
    except metadata.PackageNotFoundError:
        return ()
    needed = (line for line in asked if "extra ==" not in line)
    names = dict.fromkeys(found.group() for line in needed if (found := _NAME.match(line)))
    return tuple(library for name in names if (library := _library(name)))


def _library(name: str) -> Library | None:
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    return Library(found["Name"], found["Version"], _license(found))


def _license(found: metadata.PackageMetadata) -> str:
    told = next((found[name] for name in ("License-Expression", "License") if name in found), "")
    if told and len(told) <= _LONGEST:
        return told
    classified = (line for line in found.get_all("Classifier") or () if line.startswith(_LICENSE))
    return next((line.rpartition(" :: ")[2] for line in classified), "")
