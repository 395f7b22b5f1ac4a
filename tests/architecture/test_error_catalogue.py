"""`resources/errors.json` agrees with §7 of the contract, which is transcribed here by hand."""

from pathlib import Path
from string import Formatter
from typing import Literal

import msgspec
import pytest

CATALOGUE = Path(__file__).parents[2] / "resources" / "errors.json"
FAULTS = CATALOGUE.with_name("faults.json")

# Section of the interface, realm, names in the order of the contract's table.
SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("7.2", "api", (
        "generic", "invalid_request_method", "invalid_content", "invalid_api", "attribute_expected",
        "type_mismatch", "invalid_value", "positional_parameter_expected", "attribute_not_accepted",
        "invalid_maskset", "assetsvc", "suggest_lock_taken",
    )),
    ("7.3", "server", ("generic", "database", "searchengine", "assetsvc", "internal_file_error")),
    ("7.4", "user", (
        "not_authenticated", "authentication_method_not_allowed", "tasks_not_confirmed",
        "insufficient_rights", "insufficient_rights_after_transition", "right_revoked",
        "change_owner_on_creation", "invalid_owner_on_creation", "no_system_right", "no_grantable_right",
        "upload_limit_exceeded", "upload_type_not_allowed",
    )),
    ("7.5", "user", (
        "version_mismatch", "integrity_constraint_violation", "foreign_key_constraint_violation",
        "check_constraint_violation", "not_null_violation", "object_not_found", "instance_not_found",
    )),
    ("7.6", "user", (
        "user_not_found", "group_not_found", "bad_password", "same_password", "invalid_password",
        "authentication_token_expired", "authentication_token_used", "forgotten_password_process_disabled",
        "user_has_no_email", "primary_check_number", "primary_check_active",
        "intended_primary_check_number", "intended_primary_check_requested",
        "email_confirmation_not_required", "email_already_confirmed", "email_not_found",
        "email_confirmation_failed", "user_update_system_group", "update_system_user",
        "delete_system_user", "invalid_user_type_change", "user_auto_disable", "email_already_exists",
        "delete_system_group", "register_user_login_or_email_required", "custom_type_required",
        "group_required", "login_change_not_allowed_for_email_user",
    )),
    ("7.7", "user", (
        "invalid_table_name", "invalid_column_name", "invalid_mask_name", "no_preferred_mask",
        "more_than_one_preferred_masks",
    )),
    ("7.8", "user", (
        "object_owner_null", "old_mask_missing", "old_schema_missing", "no_mask_defined_for_collection",
        "no_pool_defined_for_collection", "bad_objecttype_for_collection", "bad_mask_for_collection",
        "bad_pool_for_collection", "collection_is_not_under_user_collection", "transition_reject",
        "bad_confirm_code", "bad_mask_for_update", "link_root_pool",
    )),
    ("7.9", "user", (
        "pool_not_found", "pool_requires_parent", "system_pool_update_parent", "system_pool_delete",
        "collection_not_found", "collection_does_not_allow_children", "collection_requires_parent",
        "system_collection_update", "system_collection_delete", "collection_user_secret_already_exists",
        "collection_sharing_inactive", "collection_sharing_too_soon", "collection_sharing_too_late",
        "collection_name_repeated", "export_already_running", "export_name_required",
        "search_no_mask_found", "session_not_found", "session_invalid", "username_or_password_empty",
        "login_failed", "login_disabled", "login_disabled_from", "login_disabled_to", "tag_not_found",
        "right_not_found", "message_not_found", "objecttype_not_found", "mask_not_found",
        "event_not_found", "error_not_found", "language_not_found", "asset_not_found", "wrong_value",
        "right_preset_not_found", "no_masks_for_create", "event_type_disabled", "invalid_value",
        "objects_not_allowed",
    )),
)  # fmt: skip

# Parameters of the user errors (wire §4); all others have none, the *_not_found not named here have {id}.
PARAMETERS = {
    "authentication_method_not_allowed": "method",
    "insufficient_rights": "operation type ids right",
    "insufficient_rights_after_transition": "operation type ids right",
    "right_revoked": "operation type ids right",
    "no_system_right": "right",
    "no_grantable_right": "right collection objecttype object_id",
    "upload_limit_exceeded": "filename class limit",
    "upload_type_not_allowed": "filename class extension",
    "version_mismatch": "provided expected",
    "integrity_constraint_violation": "constraint",
    "foreign_key_constraint_violation": "constraint",
    "check_constraint_violation": "constraint",
    "not_null_violation": "column",
    "object_not_found": "objecttype id",
    "bad_password": "hint",
    "user_update_system_group": "user_id group_id",
    "update_system_user": "user_id attribute",
    "delete_system_user": "user_id",
    "invalid_user_type_change": "user_id",
    "email_already_exists": "address",
    "delete_system_group": "group_id",
    "invalid_table_name": "name",
    "invalid_column_name": "name",
    "invalid_mask_name": "name",
    "no_preferred_mask": "objecttype",
    "more_than_one_preferred_masks": "objecttype",
    "old_mask_missing": "mask_name mask_id schema_version",
    "old_schema_missing": "objecttype id object_version",
    "no_mask_defined_for_collection": "collection_id",
    "no_pool_defined_for_collection": "collection_id",
    "bad_objecttype_for_collection": "collection_id expected_objecttype_id",
    "bad_mask_for_collection": "collection_id expected_mask_id",
    "bad_pool_for_collection": "collection_id expected_pool_id",
    "transition_reject": "message",
    "bad_mask_for_update": "mask",
    "link_root_pool": "object_id",
    "system_pool_update_parent": "id",
    "system_pool_delete": "id",
    "collection_does_not_allow_children": "id",
    "system_collection_update": "id",
    "system_collection_delete": "id",
    "collection_user_secret_already_exists": "secret",
    "collection_sharing_too_soon": "timestamp",
    "collection_sharing_too_late": "timestamp",
    "search_no_mask_found": "objecttype",
    "login_disabled_from": "from",
    "login_disabled_to": "to",
    "wrong_value": "variable value hint",
    "no_masks_for_create": "objecttype pool",
    "event_type_disabled": "event_type",
    "invalid_value": "attribute value expected_format",
}


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of an error in one language."""

    title: str
    text: str
    remedy: str


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One error of the catalogue."""

    realm: str
    status: int
    section: str
    parameters: list[str]
    en: Words
    de: Words


class LaterEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error without a realm in its code, of generation 6 or of OAuth 2.0; ``kind`` is who has to act."""

    realm: str
    kind: Literal["api", "server", "user"]
    status: int
    parameters: list[str]
    en: Words
    de: Words


class SignInEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error of OAuth 2.0; ``fault`` is the entry of faults.json that explains it in place of own texts."""

    realm: str
    kind: Literal["api", "server", "user"]
    status: int
    parameters: list[str]
    en: Words | None = None
    de: Words | None = None
    fault: str = ""


class Realm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The properties of all errors of a realm (§7.1)."""

    status: int
    prefix: str


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    realms: dict[str, Realm]
    aliases: dict[str, str]
    errors: dict[str, Entry]
    origins: dict[str, dict[str, str]]
    codes: dict[str, LaterEntry]
    oauth2: dict[str, SignInEntry]

    @property
    def all(self) -> dict[str, Entry | LaterEntry | SignInEntry]:
        """All errors by code."""
        return {**self.errors, **self.codes, **self.oauth2}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return msgspec.json.decode(CATALOGUE.read_bytes(), type=Catalogue)


# Codes of generation 6 in its description, with their parameters.
CODES = {
    "UserRequired": "",
    "InvalidToken": "",
    "SystemRightRequired": "rights",
    "ObjectInsufficientRights": "objecttype right rightdisplayname systemobjectid",
    "EventNotFound": "event",
    "EventTypeNotAllowed": "type",
    "DatamodelVersionNotFound": "version",
    "TypeChangeUnsupported": "column current head",
    "ObjecttypeNotEmpty": "stats",
    "UnknownObjecttype": "objecttype",
    "ReadOnlyMode": "",
    "UnknownEndpointMethod": "",
    "ServerGeneric": "msg",
}
# RFC 6749, sections 4.1.2.1 and 5.2.
OAUTH = {
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "unsupported_response_type", "invalid_scope", "access_denied", "server_error", "temporarily_unavailable",
}  # fmt: skip


def contract_parameters(realm: str, name: str) -> list[str]:
    """The parameters of an error in the order of wire §4; only user errors have any (§7.1)."""
    if realm != "user":
        return []
    return PARAMETERS.get(name, "id" if name.endswith("_not_found") else "").split()


def placeholders(text: str) -> set[str]:
    """The names between braces; a stray brace raises ValueError."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_errors_are_those_of_the_contract(catalogue: Catalogue) -> None:
    """The codes of §7.2 to §7.9 in its order, with section, realm, status (§7.1) and parameters (wire §4)."""
    statuses = {"api": 400, "server": 500, "user": 400}
    assert catalogue.realms == {realm: Realm(status, f"error.{realm}.") for realm, status in statuses.items()}
    found = [
        (code, one.section, one.realm, one.status, one.parameters) for code, one in catalogue.errors.items()
    ]
    assert found == [
        (f"error.{realm}.{name}", section, realm, statuses[realm], contract_parameters(realm, name))
        for section, realm, names in SECTIONS
        for name in names
    ]


def test_errors_of_generation_6_and_of_signing_in(catalogue: Catalogue) -> None:
    """All codes of the description are there; no code is written in two ways."""
    found = {code: " ".join(catalogue.codes[code].parameters) for code in CODES}
    assert found == CODES
    assert catalogue.oauth2.keys() == OAUTH
    assert all(one.keys() == {"en", "de"} for one in catalogue.origins.values())
    number = len(catalogue.errors) + len(catalogue.codes) + len(catalogue.oauth2)
    assert len({code.casefold() for code in catalogue.all}) == number


def test_texts_are_complete_in_both_languages(catalogue: Catalogue) -> None:
    """Short titles without a full stop; texts with all parameters, and remedies without any, end with one."""
    faults = msgspec.json.decode(FAULTS.read_bytes(), type=dict[str, dict[str, dict[str, str]]])
    for code, entry in catalogue.all.items():
        if isinstance(entry, SignInEntry) and entry.fault:
            for text in faults[entry.fault].values():
                assert placeholders(text["text"]) <= {*entry.parameters, "code"}, code
            continue
        for words in (entry.en, entry.de):
            assert words is not None, code
            for sentence in (words.title, words.text, words.remedy):
                assert sentence == sentence.strip(), code
                assert "!" not in sentence, code
            assert 2 <= len(words.title.split()) <= 5, code
            assert [one.endswith(".") for one in (words.title, words.text, words.remedy)] == [
                False,
                True,
                True,
            ]
            assert placeholders(words.text) == set(entry.parameters), code
            assert not placeholders(words.title + words.remedy), code


def test_aliases_are_the_vendor_spellings(catalogue: Catalogue) -> None:
    """Aliases of wire §8 refer to existing codes and are not codes themselves."""
    assert catalogue.aliases == {
        "error.api.eas": "error.api.assetsvc",
        "error.server.eas": "error.server.assetsvc",
        "error.server.elasticsearch": "error.server.searchengine",
    }
    assert set(catalogue.aliases.values()) <= set(catalogue.errors)
    assert not set(catalogue.aliases) & set(catalogue.errors)
