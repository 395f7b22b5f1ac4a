"""Tells from what a service says of itself which calls and patterns it takes (§9 rule 2)."""

from __future__ import annotations

import re

from cdb_desktop.client.records import Features

_FULL_LIST = (5, 140)
_SKIP_COUNT = (5, 139)
_REFERENCE = "reference"  # the solution of the server that comes with this program


def features_of(server_version: str, solution: str = "") -> Features:
    """What a service of this version can do; one of an unknown version is taken to be recent."""
    re2_only = solution == _REFERENCE
    found = re.search(r"(\d+)\.(\d+)", server_version)
    if found is None:
        return Features(re2_only=re2_only)
    version = (int(found[1]), int(found[2]))
    return Features(version >= _FULL_LIST, version >= _SKIP_COUNT, re2_only)
