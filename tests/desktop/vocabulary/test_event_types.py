"""Tests of the families of event types."""

from typing import get_args

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.event_types import (
    EventFamily,
    committed_version,
    event_types,
    family_of,
    group_of,
    group_text,
    known_types,
    object_text,
    user_text,
)

FAMILIES = {
    EventFamily.READING: "SEARCH DETAIL_VIEW",
    EventFamily.WRITING: "OBJECT_INSERT SCHEMA_COMMIT USER_CREATED OBJECT_UNDELETE FILE_UPLOAD NEW_UPLOAD",
    EventFamily.DELETING: "OBJECT_DELETE MAPPING_DELETE OBJECT_PURGE NEW_PURGE",
    EventFamily.FAILURE: "WEBHOOK_ERROR LOGIN_FAILED EXPORT_FAILED RESOURCE_NOT_AVAILABLE FRONTEND_ERROR",
    EventFamily.SESSION: "USER_LOGIN USER_LOGOUT",
    EventFamily.EXPORT: "EXPORT_INSERT ASSET_DOWNLOAD ASSET_EXPORT_TRANSPORT OBJECT_DOWNLOAD NEW_DOWNLOAD",
    EventFamily.SYSTEM: "OBJECT_INDEX SERVER_START API_CALL EMAIL_SENT WEBHOOK_OK SOMETHING_NEW lower",
}


@pytest.mark.parametrize("family", EventFamily)
def test_every_known_type_has_its_family(family: EventFamily) -> None:
    """Each type of wire §3 has a family, and unknown types belong to the system."""
    for name in FAMILIES[family].split():
        assert family_of(name) is family, name


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event(id=1, objecttype="work", object_id=1042, object_version=3), "work 1042 v3"),
        (Event(id=1, basetype="user", object_id=0), "user 0"),
        (Event(id=1, objecttype="work"), "work"),
        (Event(id=1), ""),
    ],
)
def test_an_object_is_named_by_its_known_parts(event: Event, text: str) -> None:
    """Type, id and version are in this order, and missing parts leave no gap."""
    assert object_text(event) == text


def test_types_of_both_generations_are_known() -> None:
    """A service is offered its own types: 97 of groups, or those of the contract."""
    in_groups = set(known_types(in_groups=True))
    assert len(in_groups) == 97
    assert {"OBJECT_PURGE", "DATAMODEL_COMMIT", "OBJECT_INSERT"} <= in_groups
    assert {"SCHEMA_COMMIT", "OBJECT_INSERT"} <= set(known_types())
    assert not {"SCHEMA_COMMIT", "LOGIN_FAILED"} & in_groups
    assert "OBJECT_PURGE" not in known_types()


@pytest.mark.parametrize("language", get_args(Language))
def test_types_and_groups_have_words_in_both_languages(language: Language) -> None:
    """An unknown type or group is shown as it is."""
    for name, known in event_types().items():
        assert known.words[language], name
        assert len(set(known.words[language])) == len(known.words[language]), name
        assert not known.group or group_text(known.group, language) != known.group, name
    assert group_text("NEW", language) == "NEW"
    assert group_of("SOMETHING_NEW") == group_of("SCHEMA_COMMIT") == ""


def test_a_user_has_a_name_or_a_number() -> None:
    """The name is preferred to the id, and the system has no user."""
    assert user_text(Event(id=1, user_id=7, user_displayname="Anna Weber")) == "Anna Weber"
    assert user_text(Event(id=1, user_id=7)) == "#7"
    assert user_text(Event(id=1)) == ""
    assert user_text(Event(id=1, group_id=3, user_displayname="Editors")) == "Group Editors"


@pytest.mark.parametrize(
    ("info", "version"),
    [
        (b'{"schema":3}', 3),
        (b'{"schema":"3"}', None),
        (b'{"schema":0}', None),
        (b'{"schema":true}', None),
        (b"[3]", None),
        (None, None),
    ],
)
def test_a_commit_has_its_version_if_it_is_readable(info: bytes | None, version: int | None) -> None:
    """Rows have no info, and another service may use another form (wire §3)."""
    raw = None if info is None else msgspec.Raw(info)
    assert committed_version(Event(id=1, type="SCHEMA_COMMIT", info=raw)) == version
    other = None if info is None else msgspec.Raw(info.replace(b"schema", b"version"))
    assert committed_version(Event(id=1, type="DATAMODEL_COMMIT", info=other)) == version
    assert committed_version(Event(id=1, type="MAPPING_UPDATE", info=raw)) is None
