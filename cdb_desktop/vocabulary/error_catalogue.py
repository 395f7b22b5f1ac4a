"""The catalogue of the service's error codes (§7), and pasted error objects (§2.3, wire §4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from cdb_desktop.client import ServiceError
from cdb_desktop.client.redaction import redact
from cdb_desktop.foundation.i18n import Language, language
from cdb_desktop.foundation.resources import resource

_WORD = re.compile(r"\S+")

_PREFIX = "error."


class Explanation(msgspec.Struct, frozen=True):
    """The texts for a code, with placeholders ``{name}`` for its parameters."""

    title: str
    text: str
    remedy: str


class CatalogueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A code of the contract (§7); ``also`` are its other spellings (wire §8)."""

    code: str
    realm: str
    status: int
    section: str
    parameters: tuple[str, ...]
    explanations: Mapping[Language, Explanation]
    also: tuple[str, ...] = ()

    @property
    def explanation(self) -> Explanation:
        """The explanation in the language in use."""
        return self.explanations[language()]

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
def catalogue() -> Mapping[str, CatalogueEntry]:
    """All codes of the contract, in its order."""
    file = msgspec.json.decode(resource("errors.json").read_bytes(), type=_File)
    also: dict[str, tuple[str, ...]] = {}
    for spelling, code in file.aliases.items():
        also[code] = (*also.get(code, ()), spelling)
    return {
        code: CatalogueEntry(
            code=code,
            realm=found.realm,
            status=found.status,
            section=found.section,
            parameters=found.parameters,
            explanations={"en": found.en, "de": found.de},
            also=also.get(code, ()),
        )
        for code, found in file.errors.items()
    }


def find_entry(code: str) -> CatalogueEntry | None:
    """The entry of a code in any spelling, with or without ``error.``, or None."""
    spelled = code.strip().casefold()
    known = catalogue()
    return next((known[name] for name in (spelled, f"error.{spelled}") if name in known), _aliased(spelled))


def search_entries(wanted: str) -> tuple[CatalogueEntry, ...]:
    """The entries that contain every word of ``wanted``; matches in code or title come first."""
    words = _WORD.findall(wanted.casefold())
    ranked = [
        (0 if _contains(_heading(entry), words) else 1, entry)
        for entry in catalogue().values()
        if _contains(_everything(entry), words)
    ]
    return tuple(entry for _rank, entry in sorted(ranked, key=lambda one: one[0]))


def _aliased(spelled: str) -> CatalogueEntry | None:
    return next((entry for entry in catalogue().values() if spelled in entry.also), None)


def _contains(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _heading(entry: CatalogueEntry) -> str:
    return " ".join((entry.code, *entry.also, entry.explanation.title)).casefold()


def _everything(entry: CatalogueEntry) -> str:
    texts = (entry.explanation.text, entry.explanation.remedy, str(entry.status), *entry.parameters)
    return " ".join((_heading(entry), *texts)).casefold()


def parse_pasted_error(text: str) -> ServiceError | None:
    """The error object in ``text``, at the top level or under ``error``, or None."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = msgspec.json.decode(text[start : end + 1].encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return _error(found) if isinstance(found, dict) else None


def _error(found: Mapping[str, object]) -> ServiceError | None:
    nested = found.get("error")
    if isinstance(nested, dict):
        found = {**found, **nested}
    code = _text(found.get("code")) or _text(nested)
    known = find_entry(code)
    if known is None and not code.startswith(_PREFIX):
        return None
    realm = _text(found.get("realm")) or (known.realm if known else "")
    description, uuid = redact(_text(found.get("description"))), _text(found.get("uuid"))
    code = known.code if known else code
    return ServiceError(realm, code, _parameters(found), description, uuid, _status(found))


def _parameters(found: Mapping[str, object]) -> dict[str, str]:
    parameters = found.get("parameters")
    if not isinstance(parameters, dict):
        return {}
    return {str(name): redact(_spelled(value)) for name, value in parameters.items()}


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _status(found: Mapping[str, object]) -> int:
    value = found.get("statuscode")
    return value if isinstance(value, int) else 0


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
