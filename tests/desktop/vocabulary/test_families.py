"""Tests of the families of event types."""

from __future__ import annotations

import pytest

from cdb_desktop.vocabulary.families import Family, family_of

FAMILIES = {
    Family.READING: "SEARCH DETAIL_VIEW",
    Family.WRITING: "OBJECT_INSERT OBJECT_UPDATE MAPPING_UPDATE SCHEMA_COMMIT USER_CREATED",
    Family.DELETING: "OBJECT_DELETE MAPPING_DELETE",
    Family.FAILURE: "WEBHOOK_ERROR LOGIN_FAILED EXPORT_FAILED RESOURCE_NOT_AVAILABLE FRONTEND_ERROR",
    Family.SESSION: "USER_LOGIN USER_LOGOUT",
    Family.EXPORT: "EXPORT_INSERT EXPORT_FINISH ASSET_DOWNLOAD ASSET_EXPORT_TRANSPORT DOWNLOAD_EXPORT",
    Family.SYSTEM: "OBJECT_INDEX SERVER_START API_CALL EMAIL_SENT WEBHOOK_OK SOMETHING_NEW lower",
}


@pytest.mark.parametrize(
    ("event_type", "family"),
    [(name, family) for family, names in FAMILIES.items() for name in names.split()],
)
def test_every_known_type_has_its_family(event_type: str, family: Family) -> None:
    """The types of wire §3 are sorted as they are drawn, and what nobody knows is the system's."""
    assert family_of(event_type) is family
