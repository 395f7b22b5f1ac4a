"""Exports from their making to their download, with what the system says on the way (wire §3)."""

from __future__ import annotations

from uuid import UUID

from server_stub.demo.actions.scene import Scene

_FORMATS = ("csv", "json", "xml", "lido", "zip")


def export(scene: Scene) -> None:
    """Somebody exports search results and fetches the file."""
    number = next(scene.world.numbers)
    form = _FORMATS[int(scene.rng.random() * 5)]
    told = f'"export":{{"_id":{number},"name":"Export {number} ({form})","format":"{form}"}}'
    scene.write_base("EXPORT_INSERT", "export", number, f'{{"state":"created",{told}}}')
    scene.pause(1, 4)
    scene.write_base("EXPORT_START", "export", number, f'{{"state":"processing",{told}}}')
    objects = _progress(scene)
    scene.pause(2, 20)
    if scene.rng.random() < 0.07:
        scene.write_base("EXPORT_STOPPED", "export", number, f'{{"state":"stopped",{told}}}')
        scene.pause(15, 90)
        return
    scene.write_base(
        "EXPORT_FINISH", "export", number, f'{{"state":"done","objects":{objects},"protocol":[],{told}}}'
    )
    _fetch(scene, number, form, objects, told)


def _progress(scene: Scene) -> int:
    """What the frontend is told while it waits; answers how many objects there were."""
    objects = 20 + int(scene.rng.random() ** 2 * 900)
    uuid = UUID(int=scene.rng.getrandbits(128), version=4)
    for step in range(1, 4):
        scene.pause(2, 15)
        done = objects * step // 3
        status = "done" if done == objects else "running"
        scene.write(
            "API_PROGRESS",
            f'{{"uuid":"{uuid}","status":"{status}","progress_info":{{"done":{done},"total":{objects}}}}}',
            pollable=True,
        )
    return objects


def _fetch(scene: Scene, number: int, form: str, objects: int, told: str) -> None:
    for _ in range(int(scene.rng.random() * 4)):
        scene.write_base("EXPORT_ASSET", "export", number, f'{{"version":"full","state":"copied",{told}}}')
    scene.pause(5, 120)
    size = objects * (1_800 + int(scene.rng.random() * 4_000))
    scene.write_base(
        "DOWNLOAD_EXPORT",
        "export",
        number,
        f'{{"asset_id":{40_000 + number},"bytes_total":{size},'
        f'"url":"/api/v1/export/{number}/file/export.{form}",{told}}}',
    )
    scene.pause(15, 90)
