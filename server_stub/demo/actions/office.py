"""What happens around the objects: work folders, messages, mail, accounts, settings, rights (wire §3)."""

from __future__ import annotations

from server_stub.demo.actions.scene import Scene
from server_stub.events import EventDraft

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
