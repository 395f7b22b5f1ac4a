"""Tests of the families of event types."""

from __future__ import annotations

import pytest

from cdb_desktop.vocabulary.event_types import EventFamily, family_of

FAMILIES = {
    EventFamily.READING: "SEARCH DETAIL_VIEW",
    EventFamily.WRITING: "OBJECT_INSERT OBJECT_UPDATE MAPPING_UPDATE SCHEMA_COMMIT USER_CREATED",
    EventFamily.DELETING: "OBJECT_DELETE MAPPING_DELETE",
    EventFamily.FAILURE: "WEBHOOK_ERROR LOGIN_FAILED EXPORT_FAILED RESOURCE_NOT_AVAILABLE FRONTEND_ERROR",
    EventFamily.SESSION: "USER_LOGIN USER_LOGOUT",
    EventFamily.EXPORT: "EXPORT_INSERT EXPORT_FINISH ASSET_DOWNLOAD ASSET_EXPORT_TRANSPORT DOWNLOAD_EXPORT",
    EventFamily.SYSTEM: "OBJECT_INDEX SERVER_START API_CALL EMAIL_SENT WEBHOOK_OK SOMETHING_NEW lower",
}


@pytest.mark.parametrize(
    ("event_type", "family"),
    [(name, family) for family, names in FAMILIES.items() for name in names.split()],
)
def test_every_known_type_has_its_family(event_type: str, family: EventFamily) -> None:
    """Each type of wire §3 has a family, and unknown types belong to the system."""
    assert family_of(event_type) is family
