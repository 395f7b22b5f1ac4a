"""All calls in one table, from which the application routes and the interface is described."""

from __future__ import annotations

from server_stub.api import errors, events, schema, session, settings

ROUTES = (*session.ROUTES, *events.ROUTES, *schema.ROUTES, *errors.ROUTES, *settings.ROUTES)
