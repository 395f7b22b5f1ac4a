"""Merges model files: the document by ids, then masks and localized names as they belong to the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.checks.validation import Problem
from cdb_desktop.schema.diff.apply import merged_order
from cdb_desktop.schema.document.element_ref import DOCUMENT
from cdb_desktop.schema.document.json_values import ABSENT, Json, shown_value
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.model_files import ModelFile, ModelFormat, decode_model
from cdb_desktop.schema.files.renamed_elements import RenamedElements
from cdb_desktop.schema.merge.conflict import (
    Choices,
    Conflict,
    Side,
    Text,
    only_changed_by,
    side_of,
    value_conflict,
)
from cdb_desktop.schema.merge.matching import Versions
from cdb_desktop.schema.merge.merge import Merge, merge

_NEW_ID = re.compile(r"^(?:other_|owned_by_)?(?P<kind>table|column)_id$")
_FIELD_ID = re.compile(
    r"(?P<prefix>mask\.[^.]*\.[^.]+\.)(?P<table>\d+)(?P<middle>\.?(?:mask_\d+\.+)*[a-z-]+\.)(?P<id>\d+)(?=\.)"
)
_REVERSE_ID = re.compile(r"(?P<prefix>^schema\.[^.]+\.column\.reverse:.+\.)(?P<id>\d+)$")


@dataclass(frozen=True, slots=True)
class MergedFile:
    """The merged file in the format of mine, and all conflicts, those of masks and names last."""

    file: ModelFile
    merge: Merge
    conflicts: tuple[Conflict, ...]

    @property
    def new_problems(self) -> tuple[Problem, ...]:
        """Errors of the result that neither side has."""
        return self.merge.new_problems


def decode_version(content: bytes) -> ModelFile:
    """The model in the bytes of a version; no bytes are a model without tables. Raises DocumentError.

    Git passes an empty file as the common version of a file that both sides have added.
    """
    if content.strip():
        return decode_model(content)
    return ModelFile(ModelFormat.BARE, Document({}, ()))


def merge_files(
    base: ModelFile, theirs: ModelFile, mine: ModelFile, choices: Choices | None = None
) -> MergedFile:
    """Merges the changes of two files since ``base``; without a choice mine is taken."""
    chosen: Choices = choices or {}
    found = merge(base.document, theirs.document, mine.document, chosen)
    conflicts = {conflict.id: conflict for conflict in found.conflicts}

    def choose(conflict: Conflict) -> Side:
        conflicts[conflict.id] = conflict
        return side_of(chosen.get(conflict.id, "mine"))

    parts = [
        _followed(file, document, found.document)
        for file, document in (
            (base, found.versions.base),
            (theirs, found.versions.theirs),
            (_with_new_ids(mine, found.versions), found.versions.mine),
        )
    ]
    merged = JsonMerge(choose)
    masks = _merged_masks(merged, [masks for masks, _ in parts])
    names = merged.merged(str(message("Localized names")), [names for _, names in parts])
    # A copy of the document, since the masks and names are those of the result already.
    file = replace(
        mine,
        document=found.document,
        base=replace(found.document),
        masks=masks if isinstance(masks, Mapping) else {},
        names=names if isinstance(names, Mapping) else {},
    )
    return MergedFile(file, found, tuple(conflicts.values()))


def _followed(file: ModelFile, document: Document, result: Document) -> tuple[Json, Json]:
    """The masks and names of one version, with the names of elements in the result."""
    elements = RenamedElements(document, result)
    return elements.masks(file.masks), elements.names(file.names)


def _with_new_ids(file: ModelFile, versions: Versions) -> ModelFile:
    """My file with the new ids of elements in masks and in keys of names."""
    if not versions.tables and not versions.columns:
        return file

    def in_values(value: object) -> object:
        if isinstance(value, Mapping):
            return {name: new_id(name, each) for name, each in value.items()}
        return [in_values(each) for each in value] if isinstance(value, list) else value

    def new_id(name: str, value: object) -> object:
        match = _NEW_ID.match(name)
        if match is None or not isinstance(value, int):
            return in_values(value)
        return (versions.tables if match["kind"] == "table" else versions.columns).get(value, value)

    def in_key(key: str) -> str:
        key = _REVERSE_ID.sub(lambda found: f"{found['prefix']}{column(found['id'])}", key)
        return _FIELD_ID.sub(field, key)

    def field(found: re.Match[str]) -> str:
        table = versions.tables.get(int(found["table"]), found["table"])
        is_nested = "linked-table" in found["middle"]
        number = versions.tables.get(int(found["id"]), found["id"]) if is_nested else column(found["id"])
        return f"{found['prefix']}{table}{found['middle']}{number}"

    def column(number: str) -> object:
        return versions.columns.get(int(number), number)

    masks = in_values(file.masks)
    names = {in_key(key): texts for key, texts in file.names.items()}
    return replace(file, masks=masks if isinstance(masks, Mapping) else {}, names=names)


def _merged_masks(merged: JsonMerge, versions: list[Json]) -> object:
    """The masks by their names, and the rest of the part attribute by attribute."""
    rest = [{name: value for name, value in each.items() if name != "masks"} for each in versions]
    found = merged.merged(str(message("Masks")), rest)
    by_name = [_masks_by_name(each) for each in versions]
    if not isinstance(found, dict) or not any("masks" in each for each in versions):
        return found
    base, theirs, mine = by_name
    masks: list[object] = []
    for name in dict.fromkeys((*mine, *theirs)):
        element = str(message("Mask {name}", name=name))
        mask = merged.merged(element, [each.get(name, ABSENT) for each in (base, theirs, mine)])
        if mask is not ABSENT:
            masks.append(mask)
    order = dict.fromkeys(name for each in (versions[2], versions[1]) for name in each)
    whole = {**found, "masks": _with_different_ids(masks, base.keys())}
    return {name: whole[name] for name in order if name in whole}


def _with_different_ids(masks: list[object], known: Collection[str]) -> list[object]:
    """The masks with other ids for new ones that have the id of another mask."""
    ids = [mask.get("mask_id") for mask in masks if isinstance(mask, Mapping)]
    unused = max((id_ for id_ in ids if isinstance(id_, int)), default=0) + 1
    found: list[object] = []
    seen: set[object] = {
        mask.get("mask_id") for mask in masks if isinstance(mask, Mapping) and mask.get("name") in known
    }
    for mask in masks:
        if not isinstance(mask, Mapping) or mask.get("name") in known or mask.get("mask_id") is None:
            found.append(mask)
        elif mask["mask_id"] in seen:
            found.append({**mask, "mask_id": unused})
            unused += 1
        else:
            seen.add(mask["mask_id"])
            found.append(mask)
    return found


def _masks_by_name(part: Json) -> dict[str, object]:
    masks = part.get("masks")
    found = [mask for mask in masks if isinstance(mask, Mapping)] if isinstance(masks, list) else []
    return {str(mask.get("name")): mask for mask in found}


_LONGEST = 60  # characters of a value
_IDENTITY = ("kind", "column_id", "other_table_id", "other_column_id", "column_name_hint", "table_id")

_GROWING = frozenset({"version", "max_mask_id"})


@dataclass(frozen=True, slots=True)
class JsonMerge:
    """Merges values; ``choose`` is asked about each that both sides have changed in different ways."""

    choose: Callable[[Conflict], Side]

    def merged(self, element: str, versions: Sequence[object], path: str = "") -> object:
        """The merged value of base, theirs and mine, or ABSENT.

        ``element`` names the value and ``path`` the place in it.
        """
        base, theirs, mine = versions
        changed = only_changed_by(base, theirs, mine)
        if changed is not None:
            return theirs if changed == "theirs" else mine
        if isinstance(theirs, Mapping) and isinstance(mine, Mapping):
            return self._objects(element, base if isinstance(base, Mapping) else {}, theirs, mine, path)
        if isinstance(theirs, list) and isinstance(mine, list):
            found = self._lists(element, base if isinstance(base, list) else [], theirs, mine, path)
            if found is not None:
                return found
        if isinstance(theirs, int) and isinstance(mine, int) and path in _GROWING:
            return max(theirs, mine)
        values: tuple[Text, ...] = tuple(_shown(each) for each in (base, mine, theirs))
        aspect = f"{element} {path}".rstrip()
        side = self.choose(value_conflict(DOCUMENT, aspect, element, path or message("Content"), values))
        return mine if side == "mine" else theirs

    def _objects(
        self,
        element: str,
        base: Mapping[str, object],
        theirs: Mapping[str, object],
        mine: Mapping[str, object],
        path: str,
    ) -> dict[str, object]:
        found: dict[str, object] = {}
        for name in dict.fromkeys((*theirs, *mine)):
            where = f"{path}.{name}" if path else name
            versions = [each.get(name, ABSENT) for each in (base, theirs, mine)]
            value = self.merged(element, versions, where)
            if value is not ABSENT:
                found[name] = value
        return found

    def _lists(
        self, element: str, base: list[object], theirs: list[object], mine: list[object], path: str
    ) -> list[object] | None:
        """The merged list, None if its items cannot be told apart."""
        versions = [_by_identity(each) for each in (base, theirs, mine)]
        was, their, my = versions
        if was is None or their is None or my is None:
            return None
        found = {}
        for id_ in dict.fromkeys((*their, *my)):
            where = f"{path}[{' '.join(filter(None, map(str, id_)))}]"
            value = self.merged(element, [each.get(id_, ABSENT) for each in (was, their, my)], where)
            if value is not ABSENT:
                found[id_] = value
        order = merged_order(list(was), list(their), list(my), found, prefer_mine=True)
        return [found[id_] for id_ in order]


def _by_identity(items: list[object]) -> dict[tuple[Hashable, ...], object] | None:
    """The items by what identifies them; None for values that repeat and for objects that do not tell."""
    found: dict[tuple[Hashable, ...], object] = {}
    for item in items:
        id_: tuple[Hashable, ...]
        if isinstance(item, Mapping):
            id_ = tuple(str(item[name]) if name in item else "" for name in _IDENTITY)
            if not any(id_):
                return None
        elif isinstance(item, str | int):
            id_ = (item,)
        else:
            return None
        if id_ in found:
            return None
        found[id_] = item
    return found


def _shown(value: object) -> str:
    if value is ABSENT or value is None:
        return ""
    text = shown_value(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
