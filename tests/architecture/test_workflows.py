"""Workflows of GitHub run what exists, with few rights and in a limited time."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]

from tests.architecture.sources import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
# That of the system, or the one that the set-up for tests installs.
ACTIONLINT = shutil.which("actionlint") or shutil.which("actionlint", path=str(Path(sys.executable).parent))
# Only the job that makes a release writes anything.
WRITING = {("release.yml", "release"): {"contents", "id-token", "attestations"}}


def _content(path: Path) -> dict[Any, Any]:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def _jobs(path: Path) -> dict[str, dict[str, Any]]:
    jobs = _content(path)["jobs"]
    assert isinstance(jobs, dict)
    return jobs


def _steps(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for job in _jobs(path).values():
        for step in job.get("steps", ()):
            yield job, step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_few_rights(path: Path) -> None:
    """They read the repository; a token stays in no checkout."""
    assert _content(path)["permissions"] == {"contents": "read"}
    for name, job in _jobs(path).items():
        assert set(job.get("permissions", ())) == WRITING.get((path.name, name), set())
    for _, step in _steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_jobs_end(path: Path) -> None:
    """Each action is one commit, as tags move; no job runs for hours but that of the full counts."""
    longest = 350 if path.stem == "long-tests" else 90
    for job in _jobs(path).values():
        called = job.get("uses", "")
        assert (ROOT / called).is_file() if called else 0 < job["timeout-minutes"] <= longest
    used = {step["uses"] for each in WORKFLOWS for _, step in _steps(each) if "uses" in step}
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", each) for each in used)
    assert len({each.partition("@")[0] for each in used}) == len(used)
    # Dependabot writes the version into the comment.
    written = re.findall(r"uses: (?!\./)(.*)", path.read_text(encoding="utf-8"))
    assert all(re.fullmatch(r"\S+ # v\d+\.\d+\.\d+", each) for each in written)


def test_steps_name_what_exists() -> None:
    """Files of the repository, and targets of the build."""
    runs = [step["run"] for path in WORKFLOWS for _, step in _steps(path) if "run" in step]
    named = {name for run in runs for name in re.findall(r"(?<![\w./])packaging/[\w./-]+", run)}
    assert {"packaging/test", "packaging/build"} <= named
    assert [name for name in named if not (ROOT / name).is_file()] == []
    recipes = (ROOT / "packaging/installers/build.py").read_text(encoding="utf-8")
    commands = recipes.partition("\nCOMMANDS = {\n")[2].partition("\n}\n")[0]
    targets = {target for run in runs for target in re.findall(r"packaging/build (\w+)", run)}
    assert targets - {"all", "windows"} <= set(re.findall(r'^    "(\w+)": ', commands, re.MULTILINE))


def test_each_version_of_python_is_tested() -> None:
    """From the oldest that the project allows on, on all systems."""
    jobs = _jobs(FOLDER / "tests.yml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = jobs["linux"]["strategy"]["matrix"]["python"]
    assert project["requires-python"] == f">={versions[0]}"
    assert jobs["others"]["strategy"]["matrix"]["python"] == versions
    assert {name.partition("-")[0] for name in jobs["others"]["strategy"]["matrix"]["system"]} == {
        "windows",
        "macos",
    }


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_scripts_of_steps(path: Path) -> None:
    """shellcheck finds nothing; GitHub replaces expressions before a shell sees them."""
    scripts = 0
    for job, step in _steps(path):
        shell = job.get("defaults", {}).get("run", {}).get("shell", "bash")
        if "run" in step and shell == "bash":
            scripts += 1
            script = "#!/bin/bash -e\n" + re.sub(r"\$\{\{.*?\}\}", "expression", step["run"])
            done = subprocess.run(
                ["shellcheck", "-"], input=script, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stdout) == (0, "")
    assert scripts


@pytest.mark.skipif(not ACTIONLINT, reason="needs actionlint")
def test_actionlint_finds_nothing() -> None:
    """Keys, expressions, inputs of actions and labels of runners."""
    done = subprocess.run([str(ACTIONLINT)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
