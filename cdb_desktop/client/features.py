"""Tells from a service's version which calls it understands (§9 rule 2)."""

from __future__ import annotations

import re

from cdb_desktop.client.records import Features

_FULL_LIST = (5, 140)
_SKIP_COUNT = (5, 139)


def features_of(server_version: str) -> Features:
    """What a service of this version can do; one of an unknown version is taken to be recent."""
    found = re.search(r"(\d+)\.(\d+)", server_version)
    if found is None:
        return Features()
    version = (int(found[1]), int(found[2]))
    return Features(full_list=version >= _FULL_LIST, skip_count=version >= _SKIP_COUNT)
