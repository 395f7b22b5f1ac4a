"""What the machines of the house do: calls by other programs, imports, mappings, webhooks, mail (wire §3)."""

from __future__ import annotations

from server_stub.demo.actions.editing import batch_info
from server_stub.demo.actions.scene import Scene

_HOOKS = ("website-cache", "newsletter", "linked-data")


def call(scene: Scene) -> None:
    """Another program calls the interface."""
    rng = scene.rng
    table = scene.tables.pick(rng)
    object_id = scene.stock.some(table, rng)
    if rng.random() < 0.6:
        info = f'{{"method":"GET","url":"/api/v1/db/{table}/{table}__short/{object_id}","payload":null}}'
    else:
        offset = 100 * int(rng.random() * 12)
        info = (
            '{"method":"POST","url":"/api/v1/search","payload":'
            f'{{"objecttypes":["{table}"],"limit":100,"offset":{offset},"format":"short"}}}}'
        )
    scene.write("API_CALL", info)
    scene.pause(2, 40)


def notify(scene: Scene) -> None:
    """The system tells the website that an object changed."""
    hook = _HOOKS[int(scene.rng.random() * 3)]
    took = 40 + int(scene.rng.random() ** 3 * 3000)
    scene.write("WEBHOOK_OK", webhook_info(hook, 200, took))
    scene.pause(1, 20)


def webhook_info(hook: str, status: int, took: int, response: str = "ok") -> str:
    """The `info` of a webhook's event."""
    return (
        f'{{"webhook":"{hook}","url":"https://museum.example/hooks/{hook}","event":"OBJECT_UPDATE",'
        f'"status":{status},"took_ms":{took},"response":"{response}"}}'
    )


def import_batch(scene: Scene) -> None:
    """The robot brings changes from outside, many objects in one transaction, and tells how far it is."""
    table = scene.tables.pick(scene.rng)
    info = batch_info(scene)
    total = 6 + int(scene.rng.random() * 20)
    scene.write("API_PROGRESS", _progress(info, 0, total), pollable=True)
    brought = [_bring(scene, table, info) for _ in range(total)]
    scene.pause(1, 4)
    for object_id, version in brought:
        scene.index(table, object_id, version)
    scene.write("API_PROGRESS", _progress(info, total, total), pollable=True)
    scene.pause(5, 60)


def _bring(scene: Scene, table: str, info: str) -> tuple[int, int]:
    made = scene.stock.add(table) if scene.rng.random() < 0.3 else None
    object_id = made or scene.stock.some(table, scene.rng)
    version = 1 if made else scene.stock.change(table, object_id)
    kind = "OBJECT_INSERT" if made else "OBJECT_UPDATE"
    scene.write_object(kind, table, object_id, version, info, pollable=True)
    return object_id, version


def _progress(batch: str, done: int, total: int) -> str:
    status = "done" if done == total else "running"
    uuid = batch.replace("batch_id", "uuid").removesuffix("}")
    return f'{uuid},"status":"{status}","progress_info":{{"done":{done},"total":{total}}}}}'


def map_fields(scene: Scene) -> None:
    """Somebody works on the mapping of an import."""
    number = 3 + int(scene.rng.random() * 9)
    kind = ("MAPPING_INSERT", "MAPPING_UPDATE", "MAPPING_UPDATE", "MAPPING_DELETE")[
        int(scene.rng.random() * 4)
    ]
    info = f'{{"mapping_id":{number},"mapping_file":"iptc-{number}.json","displayname":"IPTC ({number})"}}'
    scene.write(kind, info, pollable=True)
    scene.pause(30, 200)
