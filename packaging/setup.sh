#!/usr/bin/env bash
# Make .venv ready, for `run` or for `test` (the argument). Does nothing when it is; what it does it says on stderr,
# a line a step, because stdout belongs to the program.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
venv=$root/.venv
# Written last, so that an interrupted set-up begins anew.
stamp=$venv/.set-up
kind=${1:?usage: setup.sh run|test}

# shellcheck source=packaging/system.sh
source "$root/packaging/system.sh"

# What both programs load, so that it is compiled at the first start already.
loaded="import cdb_desktop.app.application, httpx, keyring, server_stub.__main__"

# Everything that the content of .venv follows from; the root, because scripts in .venv hold it.
fingerprint() {
    {
        cat "$root/pyproject.toml" "$root/packaging/"{constraints.txt,setup.sh,system.sh}
        printf '%s\n' "$root"
        "$venv/bin/python" -I -S -c 'import sys; print(sys.implementation.cache_tag)'
    } 2>/dev/null | sha256sum | cut -d' ' -f1
}

# Whether .venv was made completely from the files as they are now, for one of these kinds.
made_for() {
    local stamped="" stamped_kind=""
    [[ -f $stamp ]] && read -r stamped stamped_kind <"$stamp"
    [[ " $* " == *" ${stamped_kind:-none} "* && $stamped == "$(fingerprint)" ]]
}

# A set-up for tests serves the program too.
ready() {
    made_for test "$kind"
}

# One set-up at a time; the lock ends with this process.
take_turn() {
    command -v flock >/dev/null || return 0
    exec 9<"$root/packaging"
    flock -n 9 && return
    say "waiting for another set-up to end"
    flock 9
}

make_environment() {
    local python
    python=$(find_python)
    say "making .venv with $("$python" --version)"
    quietly "$python" -m venv --clear "$venv"
}

install_project() {
    local what=. compiling=--compile
    # Compiling what only tests need takes as long as a tenth of the tests; they do it for what they import.
    [[ $kind == run ]] || what=".[test]" compiling=--no-compile
    say "installing the project and its libraries with pip"
    cd "$root"
    quietly "$venv/bin/python" -m pip install --disable-pip-version-check --no-input "$compiling" \
        -c packaging/constraints.txt -e "$what"
    # Where PYTHONDONTWRITEBYTECODE is set nobody would ever compile the project, nor what it loads.
    quietly "$venv/bin/python" -m compileall -q cdb_desktop server_stub
    quietly env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c "$loaded"
}

set_up() {
    local keep=false
    if made_for run; then keep=true; fi
    rm -f "$stamp"
    ensure_system
    if [[ $keep == false ]]; then make_environment; fi
    install_project
    printf '%s %s\n' "$(fingerprint)" "$kind" >"$stamp"
    say "ready"
}

if ready; then exit; fi
take_turn
if ready; then exit; fi
set_up
