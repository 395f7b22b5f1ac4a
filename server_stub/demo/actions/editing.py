"""Actions that change objects: adding, updating, deleting, each followed by its index run (wire §3)."""

from __future__ import annotations

from uuid import UUID

from server_stub.demo.actions.scene import Scene


def update(scene: Scene) -> None:
    """Somebody saves a change."""
    _update(scene, scene.tables.pick(scene.rng))
    scene.pause(25, 240)


def update_many(scene: Scene) -> None:
    """Somebody changes a field of many objects at once: one transaction, then the index runs."""
    table = scene.tables.pick(scene.rng)
    info = batch_info(scene)
    touched = [_changed(scene, table, info) for _ in range(3 + int(scene.rng.random() * 12))]
    scene.pause(1, 3)
    for object_id, version in touched:
        scene.index(table, object_id, version)
    scene.pause(20, 90)


def add(scene: Scene) -> None:
    """Somebody adds an object; where the time for it has not come, an old one is changed instead."""
    table = scene.tables.pick(scene.rng)
    object_id = scene.stock.add(table)
    if object_id is None:
        _update(scene, table)
    else:
        scene.write_object("OBJECT_INSERT", table, object_id, 1, "{}", pollable=True)
        scene.pause(1, 3)
        scene.index(table, object_id, 1)
    scene.pause(40, 300)


def delete(scene: Scene) -> None:
    """Somebody deletes an object."""
    table = scene.tables.pick(scene.rng)
    object_id = scene.stock.delete(table)
    if object_id is not None:
        scene.write_object("OBJECT_DELETE", table, object_id, 2, batch_info(scene), pollable=True)
    scene.pause(10, 60)


def batch_info(scene: Scene) -> str:
    """The `info` of all events of one batch."""
    return f'{{"batch_id":"{UUID(int=scene.rng.getrandbits(128), version=4)}"}}'


def _update(scene: Scene, table: str) -> None:
    object_id, version = _changed(scene, table, "{}")
    scene.pause(1, 3)
    scene.index(table, object_id, version)


def _changed(scene: Scene, table: str, info: str) -> tuple[int, int]:
    object_id = scene.stock.some(table, scene.rng)
    version = scene.stock.change(table, object_id)
    scene.write_object("OBJECT_UPDATE", table, object_id, version, info, pollable=True)
    return object_id, version
