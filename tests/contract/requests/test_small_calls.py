"""wire §6: settings, base configuration, masks, plugins and localised names, which real clients touch."""

from typing import Any

from server_stub.http.services import Services
from tests.contract.caller import Caller, Clock

SETTINGS = {
    "name",
    "api",
    "server_version",
    "easydb_version",
    "version",
    "database_version",
    "user-schema",
    "solution",
    "db-name",
    "startup_time",
    "server_time",
}
NAMES: dict[str, Any] = {
    "schema.work.name": {"de-DE": "Werk", "en-US": "Work"},
    "schema.work.column.title": {"de-DE": "Titel"},
}


def test_settings(caller: Caller, clock: Clock, services: Services) -> None:
    """Versions and times are returned with and without a session."""
    answer = caller.get("settings")
    assert answer.status_code == 200
    settings = answer.json()
    assert settings.keys() == SETTINGS
    assert caller.signed_in("viewer").get("settings").json() == settings
    assert settings["database_version"] == services.database.version
    assert settings["startup_time"] == settings["server_time"] == "2025-06-15T15:06:40+00:00"
    clock.second += 60
    later = caller.get("settings").json()
    assert later == settings | {"server_time": "2025-06-15T15:07:40+00:00"}


def test_localised_names(caller: Caller) -> None:
    """Localised names are a flat map of keys, replaced by POST, and stay with their committed version."""
    root = caller.signed_in("root")
    root.post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []})
    assert root.get("l10n/user/HEAD").json() == {}
    assert root.post("l10n/user/HEAD", NAMES).status_code == 200
    assert root.get("l10n/user/HEAD").json() == NAMES
    assert root.post("l10n/user/HEAD", {"schema.work.name": {"en-US": "Work"}}).status_code == 200
    assert root.get("l10n/user/HEAD").json() == {"schema.work.name": {"en-US": "Work"}}
    root.post("schema/commit")
    for version in ("CURRENT", "1"):
        assert root.get(f"l10n/user/{version}").json() == {"schema.work.name": {"en-US": "Work"}}
