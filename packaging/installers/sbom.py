"""The software bill of materials of the bundle, in CycloneDX 1.6."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import notices
import unused_files


def bill_of_materials(
    epoch: int,
    bundled: Iterable[metadata.Distribution] | None = None,
    python: str | None = None,
    bundle: Path | None = None,
) -> str:
    """The project, its libraries, what their wheels contain of others, and the Python, as JSON.

    The libraries are those of this environment that a bundle takes, or all that are ``bundled`` for
    another system, with the version of its ``python``; and those of this system in the folder ``bundle``.
    """
    own = metadata.distribution(notices.OWN)
    found = [each for each in notices.closure().values() if _is_used(each)] if bundled is None else bundled
    libraries = [each for each in found if each.metadata["Name"] != notices.OWN]
    python = python or ".".join(map(str, sys.version_info[:3]))
    root = _component(own, "application")
    inside = {str(each["bom-ref"]): each for library in libraries for each in _inside(library)}
    inside |= {str(each["bom-ref"]): each for each in (_component(one, "library") for one in libraries)}
    if bundle is not None:
        inside |= {str(each["bom-ref"]): each for each in _of_debian(bundle)}
    components = [component for _, component in sorted(inside.items())]
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


def _is_used(distribution: metadata.Distribution) -> bool:
    """Whether a bundle takes more of a library than its metadata."""
    names = (str(file) for file in distribution.files or ())
    modules = (name for name in names if ".dist-info/" not in name and not name.startswith(".."))
    return any(map(unused_files.is_used_of_wheel, modules))


def _inside(distribution: metadata.Distribution) -> Iterator[dict[str, object]]:
    """What a wheel contains of other projects, which its own bill of materials lists."""
    name = notices.canonicalize_name(distribution.metadata["Name"])
    folder = f"{name.replace('-', '_')}-{distribution.version}.dist-info"
    for bill in sorted(Path(str(distribution.locate_file(folder))).glob("sboms/*.json")):
        for each in json.loads(bill.read_text(encoding="utf-8")).get("components", ()):
            # Files and addresses of the machine that built the wheel follow the question mark.
            reference = each.get("purl", "").partition("?")[0]
            if reference and not reference.startswith("pkg:pypi/"):
                kept = {key: each[key] for key in ("name", "version", "licenses") if key in each}
                yield {"type": "library", **kept, "bom-ref": reference, "purl": reference}


def _of_debian(bundle: Path) -> Iterator[dict[str, object]]:
    """The source packages of the libraries that PyInstaller copied from this system, a Debian."""
    if shutil.which("dpkg-query") is None:
        return
    copied = (path for path in (bundle / "_internal").glob("lib*.so*") if not path.is_symlink())
    found = _dpkg_query("--search", *(f"*-linux-gnu/{path.name}" for path in copied))
    packages = {name for line in found for name in line.rpartition(": ")[0].split(", ")}
    form = "--showformat=${source:Package} ${source:Version}\n"
    # Without a name it shows all packages.
    for line in _dpkg_query("--show", form, *packages) if packages else ():
        name, version = line.split()
        reference = f"pkg:deb/debian/{name}@{quote(version)}"
        yield {"type": "library", "name": name, "version": version, "bom-ref": reference, "purl": reference}


def _dpkg_query(*arguments: str) -> list[str]:
    # It exits with 1 if it does not know one of several files.
    ran = subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False)
    return ran.stdout.splitlines()


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
