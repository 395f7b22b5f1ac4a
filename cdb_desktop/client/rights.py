"""Reads a session's system rights in both of their spellings (wire §2). Knows nothing of what is shown."""

from __future__ import annotations

from collections.abc import Mapping

ROOT = "system.root"
_DATAMODEL = "system.datamodel"
_INCLUDED_IN = {
    "current": ("current", "development", "commit"),
    "development": ("development", "commit"),
    "commit": ("commit",),
}


def has_right(granted: Mapping[str, object], right: str) -> bool:
    """Whether ``granted``, a map from right to its parameters, holds the dotted ``right``.

    Root holds all. Else the dotted name (``system.datamodel.commit``) is enough, or its base name with the
    last part as level (``system.datamodel {level: commit}``); commit includes development includes current.
    """
    base, _, last = right.rpartition(".")
    levels = _INCLUDED_IN.get(last, (last,)) if base == _DATAMODEL else (last,)
    if _stands(granted, ROOT) or _stands(granted, right):
        return True
    at_base = granted.get(base)
    return any(_stands(granted, f"{base}.{level}") or _has_level(at_base, level) for level in levels)


def _stands(granted: Mapping[str, object], name: str) -> bool:
    return granted.get(name, False) not in (False, None)


def _has_level(parameters: object, level: str) -> bool:
    found = parameters.get("level") if isinstance(parameters, Mapping) else None
    return level in found if isinstance(found, list | tuple) else level == found
