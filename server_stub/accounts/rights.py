"""The system rights of §5.2: which right includes which."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

ROOT = "system.root"
EVENT_GET = "system.api.event.get"
EVENT_DELETE = "system.api.event.delete"
# Each level of the data model includes those before it (wire §2).
LEVELS = ("current", "development", "commit")
MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT = (f"system.datamodel.{level}" for level in LEVELS)
ALL_RIGHTS = (EVENT_GET, EVENT_DELETE, MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT)


def allows(rights: AbstractSet[str], needed: str) -> bool:
    """Whether the granted rights include the required one."""
    if ROOT in rights or needed in rights:
        return True
    models = (MODEL_CURRENT, MODEL_DEVELOPMENT, MODEL_COMMIT)
    return needed in models and any(higher in rights for higher in models[models.index(needed) :])


def rights_object(rights: AbstractSet[str]) -> dict[str, dict[str, str]]:
    """`system_rights` of the session object: the contract's dotted names and the vendor's (wire §2)."""
    carried: dict[str, dict[str, str]] = {right: {} for right in ALL_RIGHTS if allows(rights, right)}
    level = next((level for level in reversed(LEVELS) if f"system.datamodel.{level}" in carried), None)
    if level is not None:
        carried["system.datamodel"] = {"level": level}
    if ROOT in rights:
        carried[ROOT] = {}
    return carried | {right: {} for right in rights if right not in carried}
