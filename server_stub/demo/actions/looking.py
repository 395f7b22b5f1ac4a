"""Actions that only read: searching, viewing, downloading; their `info` as requests (wire §3)."""

from __future__ import annotations

from server_stub.demo.actions.scene import Scene
from server_stub.demo.actions.words import BROWSERS, MASKS, SORTS, TERMS, VALUES

_LIMITS = (20, 50, 100, 100, 100, 250)
_CLASSES = (("image", "tif", 48_000_000), ("image", "jpg", 4_200_000), ("image", "jpg", 900_000))
_SIZES = ("original", "full", "preview", "small")


def search(scene: Scene) -> None:
    """Somebody searches, and perhaps leafs through the hits."""
    rng = scene.rng
    random = rng.random
    table = scene.tables.pick(rng)
    term = TERMS[int(random() * random() * len(TERMS))]
    narrowed = _filter(scene) if random() < 0.35 else ""
    hits = int(3000 * random() ** 4)
    page = 0 if random() < 0.85 else 100 * (1 + int(random() * 4))
    scene.write(
        "SEARCH",
        f'{{"search":[{{"type":"match","mode":"fulltext","string":"{term}","phrase":false,"bool":"must"}}'
        f'{narrowed}],"objecttypes":["{table}"],"limit":{_LIMITS[int(random() * 6)]},"offset":{page},'
        f'"sort":[{{"field":"{SORTS[int(random() * 5)]}","order":"DESC"}}],"format":"long",'
        f'"language":"{"de-DE" if random() < 0.7 else "en-US"}","count":{hits},"took_ms":{9 + hits // 20}}}',
    )
    scene.pause(4, 50)


def _filter(scene: Scene) -> str:
    random = scene.rng.random
    field = VALUES[int(random() * len(VALUES))]
    if field == "work.dating":
        year = 1500 + 10 * int(random() * 45)
        return f',{{"type":"range","field":"{field}","from":"{year}","to":"{year + 40}","bool":"must"}}'
    listed = ",".join(str(1 + int(random() * 40)) for _ in range(1 + int(random() * 3)))
    sense = "must" if random() < 0.9 else "must_not"
    return f',{{"type":"in","fields":["{field}"],"in":[{listed}],"bool":"{sense}"}}'


def view(scene: Scene) -> None:
    """Somebody opens an object."""
    rng = scene.rng
    table = scene.tables.pick(rng)
    object_id = scene.stock.some(table, rng)
    mask = MASKS[int(rng.random() * 4)]
    scene.write_object(
        "DETAIL_VIEW",
        table,
        object_id,
        scene.stock.version(table, object_id),
        f'{{"search":[{{"type":"in","bool":"must","fields":["_system_object_id"],"in":[{object_id}]}}],'
        f'"objecttypes":["{table}"],"format":"full","mask":"{table}__{mask}","limit":1}}',
        pollable=False,
    )
    scene.pause(5, 70)


def download(scene: Scene) -> None:
    """Somebody downloads an object's file."""
    rng = scene.rng
    name, extension, size = _CLASSES[int(rng.random() * 3)]
    asset = 1000 + int(rng.random() * 900)
    scene.write_base(
        "ASSET_DOWNLOAD",
        "asset",
        asset,
        f'{{"version":"{_SIZES[int(rng.random() * 4)]}","class":"{name}","extension":"{extension}",'
        f'"filesize":{int(size * (0.5 + rng.random()))},"original_filename":"MK_{asset:06d}.{extension}"}}',
    )
    scene.pause(3, 30)


def stumble(scene: Scene) -> None:
    """Somebody's browser meets an error."""
    browser = BROWSERS[int(scene.rng.random() * len(BROWSERS))]
    scene.write(
        "FRONTEND_ERROR",
        '{"message":"TypeError: Failed to fetch","stack":"TypeError: Failed to fetch\\n'
        "    at Session.request (base.js:1:88213)\\n    at Search.load (search.js:1:20417)\\n"
        f'    at async Result.show (result.js:1:5120)","url":"/search","browser":"{browser}"}}',
    )
    scene.pause(1, 10)


def miss(scene: Scene) -> None:
    """Somebody follows a link to an object that is not there or not theirs to see."""
    table = scene.tables.pick(scene.rng)
    reason = "not found" if scene.rng.random() < 0.4 else "no right"
    missing = 90_000 + int(scene.rng.random() * 900)
    scene.write(
        "RESOURCE_NOT_AVAILABLE",
        f'{{"schema":"USER","type":"{table}","id":{missing},"reason":"{reason}"}}',
    )
    scene.pause(1, 20)
