# packages.sh - what a build needs, and the build; for tests/run and bench/run
#
# To be sourced by bash.  Both functions are quiet while all goes well.
# shellcheck shell=bash

# need_packages NAME... installs the Debian packages that are not there.
# Where it cannot, it says in one line which are needed and ends the script.  Of
# several at a time, one installs and the others wait.
need_packages() {
    local script=$0 name missing=() as_root=() log lock

    if ! command -v apt-get >/dev/null; then
        echo "$script: no apt-get here; install what Debian calls: $*" >&2
        exit 1
    fi
    for name in "$@"; do
        # One word an architecture; "not-installed" is another word.
        [[ " $(dpkg-query -W -f '${db:Status-Status} ' "$name" 2>/dev/null)" == \
            *' installed '* ]] || missing+=("$name")
    done
    ((${#missing[@]})) || return 0

    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "$script: neither root nor sudo; install: ${missing[*]}" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "$script: installing ${missing[*]}" >&2
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get
        -o DPkg::Lock::Timeout=300)
    exec {lock}<"${BASH_SOURCE[0]}"
    flock "$lock"
    log=$(mktemp)
    # A list that cannot be fetched may still hold what is missing.
    "${as_root[@]}" update >"$log" 2>&1 || true
    if ! "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" \
        >>"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "$script: apt-get could not install: ${missing[*]}" >&2
        exit 1
    fi
    rm -f "$log"
    exec {lock}<&-
}

# build_preset ROOT PRESET [OPTION...] builds a preset of ROOT/CMakePresets.json
# in ROOT/build/PRESET, what changed only; the options are cmake --build's.  The
# log is ROOT/build/PRESET.log.  A build that fails shows it and ends the script.
build_preset() {
    local root=$1 preset=$2 log=$1/build/$2.log
    shift 2

    mkdir -p "$root/build"
    if ! (cd "$root" && cmake --preset "$preset" &&
        cmake --build --preset "$preset" --parallel "$(nproc)" "$@") \
        >"$log" 2>&1; then
        cat "$log" >&2
        echo "$0: the build failed; its log is $log" >&2
        exit 1
    fi
}
