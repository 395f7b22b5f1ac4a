"""The software bill of materials of the bundle, in CycloneDX 1.6."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import notices


def bill_of_materials(
    epoch: int, bundled: Iterable[metadata.Distribution] | None = None, python: str | None = None
) -> str:
    """The project, its libraries and the Python, as JSON.

    The libraries are those of this environment that the project requires, or all that are ``bundled`` for
    another system, with the version of its ``python``.
    """
    own = metadata.distribution(notices.OWN)
    found = list(notices.closure().values() if bundled is None else bundled)
    python = python or ".".join(map(str, sys.version_info[:3]))
    root = _component(own, "application")
    components = [_component(each, "library") for each in found if each.metadata["Name"] != notices.OWN]
    components.sort(key=lambda each: str(each["bom-ref"]))
    components.append(
        {
            "type": "platform",
            "name": "CPython",
            "version": python,
            "bom-ref": f"pkg:generic/cpython@{python}",
            "purl": f"pkg:generic/cpython@{python}",
            "licenses": [{"license": {"id": "PSF-2.0"}}],
        }
    )
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # The same for two builds of a commit.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([root, components, epoch]))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z"),
            "component": root,
        },
        "components": components,
        "dependencies": [
            {"ref": root["bom-ref"], "dependsOn": sorted(str(each["bom-ref"]) for each in components)}
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _component(distribution: metadata.Distribution, kind: str) -> dict[str, object]:
    name, version = distribution.metadata["Name"], distribution.version
    reference = f"pkg:pypi/{notices.canonicalize_name(name)}@{version}"
    result: dict[str, object] = {
        "type": kind,
        "name": name,
        "version": version,
        "bom-ref": reference,
        "purl": reference,
    }
    stated = notices.license_of(distribution)
    if stated:
        result["licenses"] = [{"license": {"name": stated}}]
    return result
