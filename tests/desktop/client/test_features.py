"""Tests of what a version can do."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Features
from cdb_desktop.client.features import features_of


@pytest.mark.parametrize(
    ("version", "features"),
    [
        ("5.140.0", Features(full_list=True, skip_count=True)),
        ("v5.139-rc2", Features(full_list=False, skip_count=True)),
        ("5.138.99", Features(full_list=False, skip_count=False)),
        ("4.999", Features(full_list=False, skip_count=False)),
        ("6.0", Features(full_list=True, skip_count=True)),
        ("", Features(full_list=True, skip_count=True)),
        ("nightly", Features(full_list=True, skip_count=True)),
    ],
)
def test_features(version: str, features: Features) -> None:
    """json_full since 5.140, skip_count since 5.139, everything where the version tells nothing (§9)."""
    assert features_of(version) == features


def test_the_reference_server_checks_with_re2() -> None:
    """Of other services only that a pattern must compile is known (wire §5)."""
    assert features_of("5.140.0", "reference").re2_only
    assert features_of("", "reference").re2_only
    assert not features_of("5.140.0", "museum").re2_only
