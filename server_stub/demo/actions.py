"""What people and machines do in the demo, action by action, and how often each role does it (wire §3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from uuid import UUID

import msgspec

from server_stub.demo.people import Role
from server_stub.demo.simulation import Choice, Scene
from server_stub.events import EventDraft

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


TERMS = (
    "stillleben", "portrait", "aquarell", "landschaft", "harbour", "kirche", "silber", "self-portrait",
    "skizze", "winter", "sommer", "vase", "textile", "fragment", "madonna", "apostle", "boat", "garten",
    "mühle", "bridge", "kostüm", "lithograph", "holzschnitt", "photograph", "glas", "ivory", "medaille",
    "map", "karte", "atlas", "chair", "stuhl", "leuchter", "clock", "uhr", "tapestry", "gobelin",
    "relief", "büste", "terracotta", "porzellan", "teapot", "teekanne", "violin", "geige", "toy",
    "puppe", "mask", "maske", "dragon", "drache", "schenkung 1931", "ankauf", "provenienz unklar",
    "signed", "signiert", "um 1800", "1890-1910", "rückseite", "unpublished", "ohne bild", "leihgabe",
    "restauriert", "neg*", "brandenburg", "rotterdam", "wien", "prague",
)  # fmt: skip

VALUES = (
    "work.dating", "work.technique", "work.artist", "work.storage", "work.place_of_origin", "_pool",
    "_tags._id",
)  # fmt: skip

SORTS = ("_system_object_id", "_standard.1.text", "_last_modified", "work.inventory_number", "_score")

MASKS = ("standard", "full", "editor", "short")

BROWSERS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/128.0",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0.0.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) Safari/605.1.15",
    "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) Safari/604.1",
)


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


_MAILS = (
    ("export_finished", "Ihr Export ist fertig", "Der Export steht zum Herunterladen bereit."),
    ("collection_shared", "A folder was shared with you", "Open the folder in the database."),
    ("password_reset", "Neues Passwort", "Der Link gilt 24 Stunden."),
    ("workflow", "Works await your approval", "Three works were passed to you for approval."),
)
# Settings that this server itself does not have: what the log tells of them contradicts nothing.
_SETTINGS = (
    '"export.keep_days":{0}',
    '"frontend.result.page_size":{0}0',
    '"email.digest_hour":{0}',
)


def keep_folder(scene: Scene) -> None:
    """Somebody makes or changes a work folder."""
    if scene.rng.random() < 0.3:
        scene.write_base("OBJECT_INSERT", "collection", 200 + next(scene.world.numbers), pollable=True)
    else:
        scene.write_base("OBJECT_UPDATE", "collection", 12 + int(scene.rng.random() * 180), pollable=True)
    scene.pause(10, 60)


def share_folder(scene: Scene) -> None:
    """Somebody shares a folder whose owner may not share all that lies in it."""
    folder = 12 + int(scene.rng.random() * 180)
    ids = [scene.stock.some("work", scene.rng) for _ in range(2)] if "work" in scene.stock.tables else []
    items = ",".join(f'{{"objecttype":"work","_id":{object_id},"right":"link"}}' for object_id in ids)
    scene.write_base(
        "COLLECTION_OWNER_RIGHTS_ERROR",
        "collection",
        folder,
        f'{{"collection_id":{folder},"owner_id":{scene.person.id},"items":[{items}]}}',
    )
    scene.pause(10, 60)


def get_mail(scene: Scene) -> None:
    """The system sends somebody a mail."""
    kind, subject, message = _MAILS[int(scene.rng.random() * len(_MAILS))]
    name = scene.person.login.partition("@")[0]
    scene.drafts.append(
        EventDraft(
            "EMAIL_SENT",
            scene.now,
            info=f'{{"type":"{kind}","recipients":["{name}@museum.example"],"subject":"{subject}",'
            f'"message":"{message}"}}',
        )
    )
    scene.pause(1, 30)


def accept_message(scene: Scene) -> None:
    """Somebody confirms that a message was read."""
    number = 1 + int(scene.rng.random() * 6)
    scene.write_base("USER_ACCEPTED_MESSAGE", "message", number, f'{{"message_id":{number}}}')
    scene.pause(2, 15)


def change_account(scene: Scene) -> None:
    """Somebody changes an account, the own one or, as administrator, one of a group."""
    scene.write_base("OBJECT_UPDATE", "user", scene.person.id, pollable=True)
    scene.pause(10, 90)


def change_group(scene: Scene) -> None:
    """An administrator changes a group or a pool."""
    base_type = "group" if scene.rng.random() < 0.5 else "pool"
    scene.write_base("OBJECT_UPDATE", base_type, 1 + int(scene.rng.random() * 9), pollable=True)
    scene.pause(10, 90)


def change_setting(scene: Scene) -> None:
    """An administrator changes the base configuration."""
    setting = _SETTINGS[int(scene.rng.random() * len(_SETTINGS))].format(2 + int(scene.rng.random() * 20))
    scene.write("BASE_CONFIG_UPDATE", f'{{"changed":{{{setting}}}}}')
    scene.pause(20, 120)


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
    scene.write("API_PROGRESS", _import_progress(info, 0, total), pollable=True)
    brought = [_bring(scene, table, info) for _ in range(total)]
    scene.pause(1, 4)
    for object_id, version in brought:
        scene.index(table, object_id, version)
    scene.write("API_PROGRESS", _import_progress(info, total, total), pollable=True)
    scene.pause(5, 60)


def _bring(scene: Scene, table: str, info: str) -> tuple[int, int]:
    made = scene.stock.add(table) if scene.rng.random() < 0.3 else None
    object_id = made or scene.stock.some(table, scene.rng)
    version = 1 if made else scene.stock.change(table, object_id)
    kind = "OBJECT_INSERT" if made else "OBJECT_UPDATE"
    scene.write_object(kind, table, object_id, version, info, pollable=True)
    return object_id, version


def _import_progress(batch: str, done: int, total: int) -> str:
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


Action = Callable[[Scene], None]

_READING: tuple[tuple[Action, float], ...] = (
    (search, 34),
    (view, 36),
    (download, 4),
    (stumble, 0.3),
    (miss, 0.5),
    (accept_message, 0.5),
)
_WORKING: tuple[tuple[Action, float], ...] = (
    *_READING,
    (update, 8),
    (keep_folder, 1.2),
    (share_folder, 0.15),
    (get_mail, 1),
    (change_account, 0.15),
    (export, 0.5),
)
_ACTIONS: Mapping[Role, tuple[tuple[Action, float], ...]] = MappingProxyType(
    {
        Role.ADMINISTRATOR: (
            *_READING,
            (change_account, 3),
            (change_group, 2),
            (change_setting, 0.4),
            (map_fields, 4),
            (export, 1),
        ),
        Role.CURATOR: (*_WORKING, (add, 1.5), (notify, 0.6), (delete, 0.1)),
        Role.CONSERVATOR: (*_WORKING, (update, 5), (add, 4)),
        Role.PHOTOGRAPHER: (*_WORKING, (add, 9), (update_many, 1.2), (delete, 0.4)),
        Role.REGISTRAR: (*_WORKING, (update, 4), (add, 1.5), (export, 0.8)),
        Role.LIBRARIAN: (*_WORKING, (add, 4), (delete, 0.2)),
        Role.INTERN: (*_WORKING, (update, 6), (update_many, 0.5), (miss, 0.8)),
        Role.GUEST: (*_READING, (keep_folder, 0.8), (search, 10)),
        Role.IMPORTER: ((import_batch, 8), (call, 3), (notify, 1)),
        Role.INTERFACE: ((call, 12), (search, 2), (notify, 2)),
    }
)
_TABLES: Mapping[Role, Mapping[str, float]] = MappingProxyType(
    {
        Role.ADMINISTRATOR: {"work": 5, "image": 3, "keyword": 1, "place": 1},
        Role.CURATOR: {
            "work": 50,
            "artist": 12,
            "image": 12,
            "exhibition": 8,
            "keyword": 4,
            "place": 4,
            "bibliography": 5,
            "tour": 4,
            "loan": 2,
        },
        Role.CONSERVATOR: {"condition_report": 45, "work": 35, "image": 8, "material": 6, "technique": 4},
        Role.PHOTOGRAPHER: {"image": 75, "work": 25},
        Role.REGISTRAR: {"loan": 35, "work": 30, "institution": 12, "storage_location": 12, "exhibition": 8},
        Role.LIBRARIAN: {"bibliography": 60, "artist": 20, "work": 15, "keyword": 5},
        Role.INTERN: {"work": 40, "image": 25, "keyword": 10, "artist": 10, "bibliography": 10, "place": 5},
        Role.GUEST: {"work": 60, "image": 20, "artist": 10, "exhibition": 8, "tour": 4},
        Role.IMPORTER: {"image": 40, "work": 30, "bibliography": 10, "artist": 8, "place": 6},
        Role.INTERFACE: {"work": 55, "image": 30, "artist": 8, "exhibition": 5, "tour": 4},
    }
)
_STEPS: Mapping[Role, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(Role, (3, 22)) | {Role.IMPORTER: (1, 3), Role.INTERFACE: (6, 24), Role.GUEST: (2, 16)}
)
# What can be done where there is no object yet.
_WITHOUT_OBJECTS = (get_mail, accept_message, keep_folder, change_account)


class Habit(msgspec.Struct, frozen=True):
    """What a role does: actions, objecttypes, and how many steps a visit has at least and on top of that."""

    actions: Choice[Action]
    tables: Choice[str]
    steps: tuple[int, int]


def habits(tables: Collection[str]) -> Mapping[Role, Habit]:
    """The habits of each role where objects of these objecttypes exist."""
    return {role: _habit(role, tables) for role in Role}


def _habit(role: Role, tables: Collection[str]) -> Habit:
    known = {name: weight for name, weight in _TABLES[role].items() if name in tables}
    chosen = Choice((known or dict.fromkeys(sorted(tables), 1.0)).items())
    actions = _ACTIONS[role] if chosen else [(action, 1.0) for action in _WITHOUT_OBJECTS]
    return Habit(Choice(actions), chosen, _STEPS[role])
