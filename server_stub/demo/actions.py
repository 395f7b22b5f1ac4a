"""What people and machines do in the demo, action by action, and how often each role does it (wire §3)."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from uuid import UUID

import msgspec

from server_stub.demo.people import DATA, Role, VisitContext, WeightedChoice
from server_stub.events import EventDraft

TERMS: list[str] = DATA["terms"]
VALUES: list[str] = DATA["values"]
SORTS: list[str] = DATA["sorts"]
MASKS: list[str] = DATA["masks"]
BROWSERS: list[str] = DATA["browsers"]
_LIMITS = (20, 50, 100, 100, 100, 250)
_CLASSES = (("image", "tif", 48_000_000), ("image", "jpg", 4_200_000), ("image", "jpg", 900_000))
_SIZES = ("original", "full", "preview", "small")


def search(context: VisitContext) -> None:
    """Somebody searches, and may turn pages of the result."""
    rng = context.rng
    random = rng.random
    table = context.tables.pick(rng)
    term = TERMS[int(random() * random() * len(TERMS))]
    narrowed = _filter(context) if random() < 0.35 else ""
    hits = int(3000 * random() ** 4)
    page = 0 if random() < 0.85 else 100 * (1 + int(random() * 4))
    context.write(
        "SEARCH",
        f'{{"search":[{{"type":"match","mode":"fulltext","string":"{term}","phrase":false,"bool":"must"}}'
        f'{narrowed}],"objecttypes":["{table}"],"limit":{_LIMITS[int(random() * 6)]},"offset":{page},'
        f'"sort":[{{"field":"{SORTS[int(random() * 5)]}","order":"DESC"}}],"format":"long",'
        f'"language":"{"de-DE" if random() < 0.7 else "en-US"}","count":{hits},"took_ms":{9 + hits // 20}}}',
    )
    context.pause(4, 50)


def _filter(context: VisitContext) -> str:
    random = context.rng.random
    field = VALUES[int(random() * len(VALUES))]
    if field == "work.dating":
        year = 1500 + 10 * int(random() * 45)
        return f',{{"type":"range","field":"{field}","from":"{year}","to":"{year + 40}","bool":"must"}}'
    listed = ",".join(str(1 + int(random() * 40)) for _ in range(1 + int(random() * 3)))
    sense = "must" if random() < 0.9 else "must_not"
    return f',{{"type":"in","fields":["{field}"],"in":[{listed}],"bool":"{sense}"}}'


def view(context: VisitContext) -> None:
    """Somebody opens an object."""
    rng = context.rng
    table = context.tables.pick(rng)
    object_id = context.stock.pick(table, rng)
    mask = MASKS[int(rng.random() * 4)]
    context.write_object(
        "DETAIL_VIEW",
        table,
        object_id,
        context.stock.version(table, object_id),
        f'{{"search":[{{"type":"in","bool":"must","fields":["_system_object_id"],"in":[{object_id}]}}],'
        f'"objecttypes":["{table}"],"format":"full","mask":"{table}__{mask}","limit":1}}',
        pollable=False,
    )
    context.pause(5, 70)


def download(context: VisitContext) -> None:
    """Somebody downloads an object's file."""
    rng = context.rng
    name, extension, size = _CLASSES[int(rng.random() * 3)]
    asset = 1000 + int(rng.random() * 900)
    context.write_base(
        "ASSET_DOWNLOAD",
        "asset",
        asset,
        f'{{"version":"{_SIZES[int(rng.random() * 4)]}","class":"{name}","extension":"{extension}",'
        f'"filesize":{int(size * (0.5 + rng.random()))},"original_filename":"MK_{asset:06d}.{extension}"}}',
    )
    context.pause(3, 30)


def meet_frontend_error(context: VisitContext) -> None:
    """Somebody's browser meets an error."""
    browser = BROWSERS[int(context.rng.random() * len(BROWSERS))]
    context.write(
        "FRONTEND_ERROR",
        '{"message":"TypeError: Failed to fetch","stack":"TypeError: Failed to fetch\\n'
        "    at Session.request (base.js:1:88213)\\n    at Search.load (search.js:1:20417)\\n"
        f'    at async Result.show (result.js:1:5120)","url":"/search","browser":"{browser}"}}',
    )
    context.pause(1, 10)


def follow_dead_link(context: VisitContext) -> None:
    """Somebody follows a link to an object that does not exist or that they may not see."""
    table = context.tables.pick(context.rng)
    reason = "not found" if context.rng.random() < 0.4 else "no right"
    missing = 90_000 + int(context.rng.random() * 900)
    context.write(
        "RESOURCE_NOT_AVAILABLE",
        f'{{"schema":"USER","type":"{table}","id":{missing},"reason":"{reason}"}}',
    )
    context.pause(1, 20)


def update(context: VisitContext) -> None:
    """Somebody saves a change."""
    _update(context, context.tables.pick(context.rng))
    context.pause(25, 240)


def update_many(context: VisitContext) -> None:
    """A user changes a field of many objects at once: one transaction, then the index runs."""
    table = context.tables.pick(context.rng)
    info = batch_info(context)
    touched = [_changed(context, table, info) for _ in range(3 + int(context.rng.random() * 12))]
    context.pause(1, 3)
    for object_id, version in touched:
        context.index(table, object_id, version)
    context.pause(20, 90)


def add(context: VisitContext) -> None:
    """Somebody adds an object, or changes one if no more may be added yet."""
    table = context.tables.pick(context.rng)
    object_id = context.stock.add(table)
    if object_id is None:
        _update(context, table)
    else:
        context.write_object("OBJECT_INSERT", table, object_id, 1, "{}", pollable=True)
        context.pause(1, 3)
        context.index(table, object_id, 1)
    context.pause(40, 300)


def delete(context: VisitContext) -> None:
    """Somebody deletes an object."""
    table = context.tables.pick(context.rng)
    object_id = context.stock.delete(table)
    if object_id is not None:
        context.write_object("OBJECT_DELETE", table, object_id, 2, batch_info(context), pollable=True)
    context.pause(10, 60)


def batch_info(context: VisitContext) -> str:
    """The `info` of all events of one batch."""
    return f'{{"batch_id":"{UUID(int=context.rng.getrandbits(128), version=4)}"}}'


def _update(context: VisitContext, table: str) -> None:
    object_id, version = _changed(context, table, "{}")
    context.pause(1, 3)
    context.index(table, object_id, version)


def _changed(context: VisitContext, table: str, info: str) -> tuple[int, int]:
    object_id = context.stock.pick(table, context.rng)
    version = context.stock.change(table, object_id)
    context.write_object("OBJECT_UPDATE", table, object_id, version, info, pollable=True)
    return object_id, version


_FORMATS = ("csv", "json", "xml", "lido", "zip")


def export(context: VisitContext) -> None:
    """Somebody exports search results and fetches the file."""
    number = next(context.simulation.numbers)
    form = _FORMATS[int(context.rng.random() * 5)]
    details = f'"export":{{"_id":{number},"name":"Export {number} ({form})","format":"{form}"}}'
    context.write_base("EXPORT_INSERT", "export", number, f'{{"state":"created",{details}}}')
    context.pause(1, 4)
    context.write_base("EXPORT_START", "export", number, f'{{"state":"processing",{details}}}')
    objects = _progress(context)
    context.pause(2, 20)
    if context.rng.random() < 0.07:
        context.write_base("EXPORT_STOPPED", "export", number, f'{{"state":"stopped",{details}}}')
        context.pause(15, 90)
        return
    context.write_base(
        "EXPORT_FINISH",
        "export",
        number,
        f'{{"state":"done","objects":{objects},"protocol":[],{details}}}',
    )
    _download_export(context, number, form, objects, details)


def _progress(context: VisitContext) -> int:
    """Writes the progress of an export; returns the number of objects."""
    objects = 20 + int(context.rng.random() ** 2 * 900)
    uuid = UUID(int=context.rng.getrandbits(128), version=4)
    for step in range(1, 4):
        context.pause(2, 15)
        done = objects * step // 3
        status = "done" if done == objects else "running"
        context.write(
            "API_PROGRESS",
            f'{{"uuid":"{uuid}","status":"{status}","progress_info":{{"done":{done},"total":{objects}}}}}',
            pollable=True,
        )
    return objects


def _download_export(context: VisitContext, number: int, form: str, objects: int, details: str) -> None:
    for _ in range(int(context.rng.random() * 4)):
        context.write_base(
            "EXPORT_ASSET", "export", number, f'{{"version":"full","state":"copied",{details}}}'
        )
    context.pause(5, 120)
    size = objects * (1_800 + int(context.rng.random() * 4_000))
    context.write_base(
        "DOWNLOAD_EXPORT",
        "export",
        number,
        f'{{"asset_id":{40_000 + number},"bytes_total":{size},'
        f'"url":"/api/v1/export/{number}/file/export.{form}",{details}}}',
    )
    context.pause(15, 90)


# Settings that this server does not have, so that the events do not contradict its configuration.
_SETTINGS = (
    '"export.keep_days":{0}',
    '"frontend.result.page_size":{0}0',
    '"email.digest_hour":{0}',
)


def save_folder(context: VisitContext) -> None:
    """A user creates or changes a work folder."""
    if context.rng.random() < 0.3:
        context.write_base(
            "OBJECT_INSERT", "collection", 200 + next(context.simulation.numbers), pollable=True
        )
    else:
        context.write_base("OBJECT_UPDATE", "collection", 12 + int(context.rng.random() * 180), pollable=True)
    context.pause(10, 60)


def share_folder(context: VisitContext) -> None:
    """A user shares a folder whose owner may not share all that lies in it."""
    folder = 12 + int(context.rng.random() * 180)
    ids = (
        [context.stock.pick("work", context.rng) for _ in range(2)] if "work" in context.stock.tables else []
    )
    items = ",".join(f'{{"objecttype":"work","_id":{object_id},"right":"link"}}' for object_id in ids)
    context.write_base(
        "COLLECTION_OWNER_RIGHTS_ERROR",
        "collection",
        folder,
        f'{{"collection_id":{folder},"owner_id":{context.person.id},"items":[{items}]}}',
    )
    context.pause(10, 60)


def receive_mail(context: VisitContext) -> None:
    """The system sends somebody a mail."""
    kind, subject, message = DATA["mails"][int(context.rng.random() * len(DATA["mails"]))]
    name = context.person.login.partition("@")[0]
    context.drafts.append(
        EventDraft(
            "EMAIL_SENT",
            context.now,
            info=f'{{"type":"{kind}","recipients":["{name}@museum.example"],"subject":"{subject}",'
            f'"message":"{message}"}}',
        )
    )
    context.pause(1, 30)


def accept_message(context: VisitContext) -> None:
    """Somebody confirms that a message was read."""
    number = 1 + int(context.rng.random() * 6)
    context.write_base("USER_ACCEPTED_MESSAGE", "message", number, f'{{"message_id":{number}}}')
    context.pause(2, 15)


def change_account(context: VisitContext) -> None:
    """Somebody changes an account, the own one or, as administrator, one of a group."""
    context.write_base("OBJECT_UPDATE", "user", context.person.id, pollable=True)
    context.pause(10, 90)


def change_group(context: VisitContext) -> None:
    """An administrator changes a group or a pool."""
    base_type = "group" if context.rng.random() < 0.5 else "pool"
    context.write_base("OBJECT_UPDATE", base_type, 1 + int(context.rng.random() * 9), pollable=True)
    context.pause(10, 90)


def change_setting(context: VisitContext) -> None:
    """An administrator changes the base configuration."""
    setting = _SETTINGS[int(context.rng.random() * len(_SETTINGS))].format(2 + int(context.rng.random() * 20))
    context.write("BASE_CONFIG_UPDATE", f'{{"changed":{{{setting}}}}}')
    context.pause(20, 120)


_HOOKS = ("website-cache", "newsletter", "linked-data")


def call_api(context: VisitContext) -> None:
    """Another program calls the interface."""
    rng = context.rng
    table = context.tables.pick(rng)
    object_id = context.stock.pick(table, rng)
    if rng.random() < 0.6:
        info = f'{{"method":"GET","url":"/api/v1/db/{table}/{table}__short/{object_id}","payload":null}}'
    else:
        offset = 100 * int(rng.random() * 12)
        info = (
            '{"method":"POST","url":"/api/v1/search","payload":'
            f'{{"objecttypes":["{table}"],"limit":100,"offset":{offset},"format":"short"}}}}'
        )
    context.write("API_CALL", info)
    context.pause(2, 40)


def send_webhook(context: VisitContext) -> None:
    """The system notifies the website of a changed object."""
    hook = _HOOKS[int(context.rng.random() * 3)]
    took = 40 + int(context.rng.random() ** 3 * 3000)
    context.write("WEBHOOK_OK", webhook_info(hook, 200, took))
    context.pause(1, 20)


def webhook_info(hook: str, status: int, took: int, response: str = "ok") -> str:
    """The `info` of a webhook's event."""
    return (
        f'{{"webhook":"{hook}","url":"https://museum.example/hooks/{hook}","event":"OBJECT_UPDATE",'
        f'"status":{status},"took_ms":{took},"response":"{response}"}}'
    )


def import_batch(context: VisitContext) -> None:
    """The robot imports many objects in one transaction and writes its progress."""
    table = context.tables.pick(context.rng)
    info = batch_info(context)
    total = 6 + int(context.rng.random() * 20)
    context.write("API_PROGRESS", _import_progress(info, 0, total), pollable=True)
    imported = [_import_object(context, table, info) for _ in range(total)]
    context.pause(1, 4)
    for object_id, version in imported:
        context.index(table, object_id, version)
    context.write("API_PROGRESS", _import_progress(info, total, total), pollable=True)
    context.pause(5, 60)


def _import_object(context: VisitContext, table: str, info: str) -> tuple[int, int]:
    made = context.stock.add(table) if context.rng.random() < 0.3 else None
    object_id = made or context.stock.pick(table, context.rng)
    version = 1 if made else context.stock.change(table, object_id)
    kind = "OBJECT_INSERT" if made else "OBJECT_UPDATE"
    context.write_object(kind, table, object_id, version, info, pollable=True)
    return object_id, version


def _import_progress(batch: str, done: int, total: int) -> str:
    status = "done" if done == total else "running"
    uuid = batch.replace("batch_id", "uuid").removesuffix("}")
    return f'{uuid},"status":"{status}","progress_info":{{"done":{done},"total":{total}}}}}'


def edit_mapping(context: VisitContext) -> None:
    """Somebody works on the mapping of an import."""
    number = 3 + int(context.rng.random() * 9)
    kind = ("MAPPING_INSERT", "MAPPING_UPDATE", "MAPPING_UPDATE", "MAPPING_DELETE")[
        int(context.rng.random() * 4)
    ]
    info = f'{{"mapping_id":{number},"mapping_file":"iptc-{number}.json","displayname":"IPTC ({number})"}}'
    context.write(kind, info, pollable=True)
    context.pause(30, 200)


Action = Callable[[VisitContext], None]

_READING: tuple[tuple[Action, float], ...] = (
    (search, 34),
    (view, 36),
    (download, 4),
    (meet_frontend_error, 0.3),
    (follow_dead_link, 0.5),
    (accept_message, 0.5),
)
_WORKING: tuple[tuple[Action, float], ...] = (
    *_READING,
    (update, 8),
    (save_folder, 1.2),
    (share_folder, 0.15),
    (receive_mail, 1),
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
            (edit_mapping, 4),
            (export, 1),
        ),
        Role.CURATOR: (*_WORKING, (add, 1.5), (send_webhook, 0.6), (delete, 0.1)),
        Role.CONSERVATOR: (*_WORKING, (update, 5), (add, 4)),
        Role.PHOTOGRAPHER: (*_WORKING, (add, 9), (update_many, 1.2), (delete, 0.4)),
        Role.REGISTRAR: (*_WORKING, (update, 4), (add, 1.5), (export, 0.8)),
        Role.LIBRARIAN: (*_WORKING, (add, 4), (delete, 0.2)),
        Role.INTERN: (*_WORKING, (update, 6), (update_many, 0.5), (follow_dead_link, 0.8)),
        Role.GUEST: (*_READING, (save_folder, 0.8), (search, 10)),
        Role.IMPORTER: ((import_batch, 8), (call_api, 3), (send_webhook, 1)),
        Role.INTERFACE: ((call_api, 12), (search, 2), (send_webhook, 2)),
    }
)
_STEPS: Mapping[Role, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(Role, (3, 22)) | {Role.IMPORTER: (1, 3), Role.INTERFACE: (6, 24), Role.GUEST: (2, 16)}
)
# Actions that are possible without any object.
_WITHOUT_OBJECTS = (receive_mail, accept_message, save_folder, change_account)


class RoleProfile(msgspec.Struct, frozen=True):
    """Weights of actions and objecttypes of a role, and the steps of a visit: minimum and spread."""

    actions: WeightedChoice[Action]
    tables: WeightedChoice[str]
    steps: tuple[int, int]


def role_profiles(tables: Collection[str]) -> Mapping[Role, RoleProfile]:
    """The profile of each role, restricted to the objecttypes that have objects."""
    return {role: _profile(role, tables) for role in Role}


def _profile(role: Role, tables: Collection[str]) -> RoleProfile:
    known = {name: weight for name, weight in DATA["tables"][role.value].items() if name in tables}
    chosen = WeightedChoice((known or dict.fromkeys(sorted(tables), 1.0)).items())
    actions = _ACTIONS[role] if chosen else [(action, 1.0) for action in _WITHOUT_OBJECTS]
    return RoleProfile(WeightedChoice(actions), chosen, _STEPS[role])
