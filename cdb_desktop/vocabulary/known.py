"""The event types and base types that are known from the interface; both sets are open (wire §3)."""

from __future__ import annotations

KNOWN_TYPES = (
    "API_CALL",
    "API_PROGRESS",
    "ASSET_DOWNLOAD",
    "BASE_CONFIG_UPDATE",
    "COLLECTION_OWNER_RIGHTS_ERROR",
    "DETAIL_VIEW",
    "DOWNLOAD_EXPORT",
    "EMAIL_SENT",
    "EXPORT_ASSET",
    "EXPORT_FAILED",
    "EXPORT_FINISH",
    "EXPORT_INSERT",
    "EXPORT_OBJECT",
    "EXPORT_START",
    "EXPORT_STOPPED",
    "EXPORT_UPDATE",
    "FRONTEND_ERROR",
    "LOGIN_FAILED",
    "MAPPING_DELETE",
    "MAPPING_INSERT",
    "MAPPING_UPDATE",
    "OBJECT_DELETE",
    "OBJECT_INDEX",
    "OBJECT_INSERT",
    "OBJECT_UPDATE",
    "RESOURCE_NOT_AVAILABLE",
    "SCHEMA_COMMIT",
    "SEARCH",
    "SERVER_SHUTDOWN",
    "SERVER_START",
    "USER_ACCEPTED_MESSAGE",
    "USER_CREATED",
    "USER_LOGIN",
    "USER_LOGOUT",
    "WEBHOOK_ERROR",
    "WEBHOOK_OK",
)
KNOWN_USER_TYPES = ("easydb", "email")
KNOWN_BASE_TYPES = ("asset", "collection", "export", "group", "message", "pool", "user")
