"""Merges model files: the document by ids, then masks and localized names as they belong to the result."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.json_merge import ABSENT, JsonMerge
from cdb_desktop.schema.files.model_files import ModelFile, ModelFormat, decode_model
from cdb_desktop.schema.files.renamed_elements import RenamedElements
from cdb_desktop.schema.merge.conflict import Choices, Conflict, Side, side_of
from cdb_desktop.schema.merge.matching import Versions
from cdb_desktop.schema.merge.merge import Merge, merge
from cdb_desktop.schema.validation.problem import Problem

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
