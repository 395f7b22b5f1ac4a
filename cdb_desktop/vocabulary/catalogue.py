"""The catalogue of the service's error codes: what each means, in both languages, and how to find one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from cdb_desktop.foundation.resources import resource

Language = Literal["en", "de"]

_WORD = re.compile(r"\S+")


class Explanation(msgspec.Struct, frozen=True):
    """A code in words; ``{name}`` stands where a parameter of this name belongs."""

    title: str
    text: str
    remedy: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One code of the contract (§7); ``also`` are other spellings of it (wire §8)."""

    code: str
    realm: str
    status: int
    section: str
    parameters: tuple[str, ...]
    words: Mapping[str, Explanation]
    also: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.code)


class _Written(msgspec.Struct):
    realm: str
    status: int
    section: str
    parameters: tuple[str, ...]
    en: Explanation
    de: Explanation


class _File(msgspec.Struct):
    aliases: dict[str, str]
    errors: dict[str, _Written]


@lru_cache(maxsize=1)
def catalogue() -> Mapping[str, Entry]:
    """Every code of the contract with what is known about it, in the contract's order."""
    file = msgspec.json.decode(resource("errors.json").read_bytes(), type=_File)
    also: dict[str, tuple[str, ...]] = {}
    for spelling, code in file.aliases.items():
        also[code] = (*also.get(code, ()), spelling)
    return {
        code: Entry(
            code=code,
            realm=found.realm,
            status=found.status,
            section=found.section,
            parameters=found.parameters,
            words={"en": found.en, "de": found.de},
            also=also.get(code, ()),
        )
        for code, found in file.errors.items()
    }


def entry_of(code: str) -> Entry | None:
    """What is known about a code in any of its spellings, with or without ``error.``; None if nothing."""
    spelled = code.strip().casefold()
    known = catalogue()
    return next((known[name] for name in (spelled, f"error.{spelled}") if name in known), _aliased(spelled))


def found_entries(wanted: str, language: Language) -> tuple[Entry, ...]:
    """The entries in which every word of ``wanted`` stands, those with it in code or title first."""
    words = _WORD.findall(wanted.casefold())
    ranked = [
        (0 if _stand(words, _heading(entry, language)) else 1, entry)
        for entry in catalogue().values()
        if _stand(words, _everything(entry, language))
    ]
    return tuple(entry for _rank, entry in sorted(ranked, key=lambda one: one[0]))


def _aliased(spelled: str) -> Entry | None:
    return next((entry for entry in catalogue().values() if spelled in entry.also), None)


def _stand(words: list[str], text: str) -> bool:
    return all(word in text for word in words)


def _heading(entry: Entry, language: Language) -> str:
    return " ".join((entry.code, *entry.also, entry.words[language].title)).casefold()


def _everything(entry: Entry, language: Language) -> str:
    said = entry.words[language]
    told = (said.text, said.remedy, str(entry.status), *entry.parameters)
    return " ".join((_heading(entry, language), *told)).casefold()
