# shellcheck shell=bash disable=SC2154
# What comes from the system and not from pip, and how it gets there; sourced by setup.sh and build, which set $log, and
# the latter $targets.

# Need, Debian package, what has to be there: an interpreter, a shared library or a command.
# Vital is what Qt's offscreen platform takes. The rest shows windows under X11 and Wayland; without libcups the program
# prints to PDF files only, and without `dot` the Graphviz inside the pygraphviz wheel takes over.
readonly REQUIREMENTS="\
vital    python3-venv         python
vital    libglib2.0-0         libglib-2.0.so.0
vital    libgl1               libGL.so.1
vital    libegl1              libEGL.so.1
vital    libxkbcommon0        libxkbcommon.so.0
vital    libdbus-1-3          libdbus-1.so.3
vital    libfontconfig1       libfontconfig.so.1
vital    libbrotli1           libbrotlidec.so.1
optional libxcb-cursor0       libxcb-cursor.so.0
optional libxkbcommon-x11-0   libxkbcommon-x11.so.0
optional libxcb-icccm4        libxcb-icccm.so.4
optional libxcb-image0        libxcb-image.so.0
optional libxcb-keysyms1      libxcb-keysyms.so.1
optional libxcb-render-util0  libxcb-render-util.so.0
optional libxcb-shape0        libxcb-shape.so.0
optional libxcb-xkb1          libxcb-xkb.so.1
optional libwayland-cursor0   libwayland-cursor.so.0
optional libcups2             libcups.so.2
optional graphviz             dot"
# What only tests take: a real pointer, a PostgreSQL server, and programs that they compare ours with.
readonly TEST_REQUIREMENTS="\
optional git                  git
optional curl                 curl
optional binutils             readelf
optional rpm                  rpmbuild
optional shellcheck           shellcheck
optional xz-utils             xz
optional postgresql           /usr/lib/postgresql
optional pgbouncer            /usr/sbin/pgbouncer
optional xvfb                 xvfb-run
optional xauth                xauth
optional xdotool              xdotool
optional openbox              openbox
optional fonts-dejavu-core    /usr/share/fonts/truetype/dejavu
optional hunspell             hunspell
optional hunspell-en-us       /usr/share/hunspell/en_US.dic
optional hunspell-de-de       /usr/share/hunspell/de_DE.dic"

# The versions of Python that the pinned libraries support and the tests run on; the classifiers in pyproject.toml
# name them too.
readonly OLDEST_PYTHON=3.11 NEWEST_PYTHON=3.14

say() {
    printf 'set-up: %s\n' "$*" >&2
}

# Run a command and show what it printed only when it fails.
quietly() {
    local output status=0
    output=$("$@" 2>&1 </dev/null) || status=$?
    ((status == 0)) || printf '%s\n' "$output" >&2
    return "$status"
}

# Run a command and append what it prints to the file $log, from which `fail` makes one sentence.
logged() {
    "$@" >>"$log" 2>&1 </dev/null
}

# Say what is wrong and what helps, and stop. The file with all output stays if there is any.
fail() {
    if [[ -s $log ]]; then
        trap - EXIT
        set -- "$* (all output: $log)"
    fi
    say "$*"
    exit 1
}

# Whether the output of apt or pip says that a server could not be reached.
is_offline() {
    grep -qE 'Temporary failure (in name resolution|resolving)|Name or service not known|NameResolutionError|'\
'NewConnectionError|Network is unreachable|No route to host|Connection (refused|timed out|reset)|'\
'(Connect|Read)TimeoutError|Read timed out|ProxyError|Could not (connect|resolve)|Unable to connect|'\
'from versions: none' "$log"
}

# Whether a Python is of these versions or between them, and can make a virtual environment.
suits() {
    "$1" -c 'import ensurepip, sys, venv
oldest, newest = ([int(part) for part in version.split(".")] for version in sys.argv[1:])
sys.exit(not oldest <= list(sys.version_info[:2]) <= newest)' "$2" "$3" >/dev/null 2>&1
}

# Print a Python that the project runs on: that of the system if it is suitable, or the newest suitable one. A Python
# that is newer than all that were tested is the last choice.
find_python() {
    local candidate
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if suits "$candidate" "$OLDEST_PYTHON" "$NEWEST_PYTHON"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    suits python3 "$OLDEST_PYTHON" 3.999 && printf '%s\n' python3
}

# Loading a library is the one question that every Linux answers alike, whatever its packages are called. Where there is
# no Python yet, the cache of the loader answers.
loads() {
    local python
    if python=$(find_python || command -v python3); then
        "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null
    else
        [[ $(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null) == *$'\t'"$1 ("* ]]
    fi
}

# Print what building the packages in $targets takes, with the library that belongs to the Python that is there.
build_requirements() {
    local python library
    printf '%s\n' "vital binutils strip" "optional git git"
    [[ " $targets " != *" deb "* ]] || printf 'vital dpkg dpkg-deb\n'
    [[ " $targets " != *" rpm "* ]] || printf 'vital rpm rpmbuild\n'
    [[ " $targets " != *" tar "* ]] || printf 'vital xz-utils xz\n'
    python=$(find_python) || return 0
    library=$("$python" -c 'import sys; print("libpython{}.{}".format(*sys.version_info))')
    printf 'vital %s %s.so.1.0\n' "$library" "$library"
}

present() {
    case $1 in
        python) find_python >/dev/null ;;
        *.so.*) loads "$1" ;;
        /*) [[ -e $1 ]] ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# Print "package thing" for what is not there; the pattern chooses vital, optional or both.
missing() {
    local need package thing
    while read -r need package thing; do
        # shellcheck disable=SC2053  # a pattern is meant
        [[ -n $need && $need == $1 ]] || continue
        present "$thing" || printf '%s %s\n' "$package" "$thing"
    done <<<"$REQUIREMENTS
$(case ${kind:-run} in test) printf '%s' "$TEST_REQUIREMENTS" ;; build) build_requirements ;; esac)"
}

# Install packages as root, with sudo, or not at all (status 1) where the right is missing.
install_packages() {
    local -a as_root
    if ((EUID == 0)); then
        as_root=()
    elif sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    elif [[ -t 0 && -t 2 ]] && command -v sudo >/dev/null; then
        as_root=(sudo)
    else
        return 1
    fi
    say "installing system packages with apt: $*"
    # An index that cannot be refreshed (one broken source is enough) need not stop the installation.
    # shellcheck disable=SC2016  # the inner shell expands it
    logged "${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -c \
        'apt-get -q update; apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"' apt "$@"
}

# Name what is still missing and the command that installs it.
name_missing() {
    local -a packages things
    local command
    mapfile -t packages < <(missing '*' | cut -d' ' -f1)
    mapfile -t things < <(missing '*' | cut -d' ' -f2 | sed 's/^python$/Python 3.11+ with venv and ensurepip/')
    ((${#packages[@]})) || return 0
    say "missing on this system: $(printf '%s, ' "${things[@]}" | sed 's/, $//')"
    if command -v apt-get >/dev/null; then
        command="apt-get update && apt-get install --no-install-recommends ${packages[*]}"
        say "an administrator installs them with: sudo sh -c '$command'"
    else
        say "install what provides them with the package manager of this system"
    fi
}

# Bring in what is missing; go on without what is not vital, stop without what is. Where there is no apt the table is a
# guess: there Qt itself says what it cannot load.
ensure_system() {
    local -a packages
    mapfile -t packages < <(missing '*' | cut -d' ' -f1)
    ((${#packages[@]})) || return 0
    if command -v apt-get >/dev/null; then
        if install_packages "${packages[@]}"; then
            hash -r
        elif is_offline; then
            say "apt cannot reach its servers: check the network connection"
        fi
    fi
    name_missing
    if ! find_python >/dev/null ||
        { { [[ ${kind:-run} == build ]] || command -v apt-get >/dev/null; } && [[ -n $(missing vital) ]]; }; then
        fail "cannot go on without: $(missing vital | cut -d' ' -f1 | paste -sd' ')"
    fi
}
