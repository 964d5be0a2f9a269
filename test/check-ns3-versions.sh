#!/usr/bin/env bash
# Compiles every source file of the module, its tests, examples and scratch programs against the headers of other
# versions of ns-3, with -fsyntax-only and the C++ version that each of them wants. ns-3 itself is not built.
# Prints a table; exit status 1 if a file has errors. Warnings are shown and counted.
# Usage: test/check-ns3-versions.sh [--all] [--only=REGEX] [--std=17|20|23] [--jobs=N] TREE...
#   TREE         an unpacked ns-3 source tree (holds VERSION and src/core), or a folder that holds include/ns3: an
#                installation's prefix, or an unpacked package (dpkg-deb -x libns3-dev_*.deb DIR; DIR/usr)
#   --all        the tests in test/ as well (they need GoogleTest)
#   --only       only files whose path matches
#   --std        not the C++ version that follows from the version of ns-3
# Left out is the back end of astra-sim, which needs the headers of that.
# What it cannot see: differences in behaviour, and in ns-3's CMake files. test/in-tree.sh builds and runs.
set -euo pipefail
source "$(dirname "$0")/../scripts/help.sh"
root=$(cd "$(dirname "$0")/.." && pwd)

folders=(contrib/roce scratch)
only=.
standard=
jobs=$(nproc)
trees=()
for option in "$@"; do
    case "$option" in
    --all) folders+=(test) ;;
    --only=*) only=${option#*=} ;;
    --std=17 | --std=20 | --std=23) standard=${option#*=} ;;
    --jobs=[1-9]*) jobs=${option#*=} ;;
    -*)
        echo "error: unknown option $option; see the head of test/check-ns3-versions.sh" >&2
        exit 2
        ;;
    *)
        if [ ! -f "$option/src/core/model/object.h" ] && [ ! -f "$option/include/ns3/object.h" ]; then
            echo "error: $option holds neither src/core/model/object.h nor include/ns3/object.h;" \
                "expected an ns-3 source tree or an installation" >&2
            exit 2
        fi
        trees+=("$(cd "$option" && pwd)")
        ;;
    esac
done
if [ "${#trees[@]}" -eq 0 ]; then
    echo "usage: test/check-ns3-versions.sh [--all] [--only=REGEX] [--std=17|20|23] [--jobs=N] TREE..." >&2
    exit 2
fi

cd "$root"
sources=$(find "${folders[@]}" -name '*.cc' -not -path 'contrib/roce/doc/*' -not -name 'roce-astra-sim.cc' | sort | grep -E -- "$only" || true)
if [ -z "$sources" ]; then
    echo "error: no source file matches '$only'" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The module's own headers, as "ns3/<file>".
mkdir -p "$work/own/ns3"
find "$root/contrib/roce" -name '*.h' -exec ln -s -t "$work/own/ns3" {} +

# What ns-3's build generates, in $1, from the source tree $2.
generate_headers() {
    rm -f "$1"/{core-config,config-store-config}.h
    printf '#define %s\n' 'HAVE___UINT128_T 1' INT64X64_USE_128 'HAVE_STDINT_H 1' 'HAVE_INTTYPES_H 1' \
        'HAVE_SYS_TYPES_H 1' 'HAVE_SYS_STAT_H 1' 'HAVE_DIRENT_H 1' 'HAVE_STDLIB_H 1' 'HAVE_GETENV 1' \
        'HAVE_SIGNAL_H 1' >"$1/core-config.h"
    : >"$1/config-store-config.h"
    local module header
    for module in "$2"/src/*/; do
        module=$(basename "$module")
        printf '#define %s_EXPORT\n' "$(tr a-z- A-Z_ <<<"$module")" >"$1/$module-export.h"
    done
    for module in $(grep -rhoE 'ns3/[a-z0-9-]+-module\.h' $sources | sed 's,ns3/,,; s,-module.h,,' | sort -u); do
        [ -f "$2/src/$module/CMakeLists.txt" ] || continue
        for header in $(grep -oE '(model|helper|utils)/[A-Za-z0-9_./-]+\.h' "$2/src/$module/CMakeLists.txt"); do
            header=$(basename "$header")
            [[ $header =~ ^int64x64-|win32 ]] && continue # one of several, for other machines
            [ ! -e "$1/$header" ] || echo "#include \"$header\""
        done >"$1/$module-module.h"
    done
}

# The C++ version that the headers of release $1 accept; a development snapshot is newer than any release.
standard_of() {
    local minor
    minor=$(sed -nE 's/^3\.([0-9]+).*/\1/p' <<<"$1")
    if [ -z "$minor" ] || [ "$minor" -ge 46 ]; then
        echo 23
    elif [ "$minor" -ge 41 ]; then
        echo 20
    else
        echo 17
    fi
}

status=0
table=
for tree in "${trees[@]}"; do
    include=$work/ns-3/ns3
    rm -rf "$work/ns-3" "$work/log"
    mkdir -p "$include" "$work/log"
    if [ -d "$tree/src/core" ]; then
        version=$(cat "$tree/VERSION" 2>/dev/null || echo unknown)
        find "$tree"/src/*/model "$tree"/src/*/helper "$tree"/src/*/utils -name '*.h' \
            -exec ln -sf -t "$include" {} + 2>/dev/null || true # not every module has all three
        generate_headers "$include" "$tree"
    else
        version=$(find "$tree"/lib* -maxdepth 4 -name ns3ConfigVersion.cmake -exec sed -nE 's/^set\(PACKAGE_VERSION "(.*)"\)/\1/p' {} +)
        find "$tree/include/ns3" -name '*.h' -exec ln -s -t "$include" {} +
    fi
    version=${version:-unknown}
    cxx=${standard:-$(standard_of "$version")}

    # ns-3's own headers are not what is checked: no warnings from there.
    tests=$(find "$root/test" -name '*.h' -printf '-I%h\n' | sort -u)
    export work cxx tests
    xargs -P "$jobs" -I{} bash -c '
        log=$work/log/$(tr / _ <<<"$1")
        ${CXX:-c++} "-std=c++$cxx" -fsyntax-only -Wall -Wextra -Wpedantic -I"$work/own" $tests -isystem "$work/ns-3" \
            -DROCE_SOURCE_DIR=\"\" "$1" >"$log" 2>&1 || echo "$1" >>"$work/log/failed"
    ' check {} <<<"$sources"

    files=$(wc -l <<<"$sources")
    failed=$([ -e "$work/log/failed" ] && wc -l <"$work/log/failed" || echo 0)
    warnings=$(cat "$work"/log/*.cc | grep -c ': warning: ' || true)
    cat "$work"/log/*.cc | grep -E ': (fatal )?(error|warning): ' | sort -u || true
    result="ok"
    [ "$warnings" -eq 0 ] || result="ok, $warnings warnings"
    if [ "$failed" -gt 0 ]; then
        result="ERRORS in $failed files"
        status=1
    fi
    table+="$version	C++$cxx	$files	$result	$tree"$'\n'
done

printf '%-10s %-6s %6s  %-22s %s\n' ns-3 std files result tree
while IFS=$'\t' read -r version cxx files result tree; do
    printf '%-10s %-6s %6s  %-22s %s\n' "$version" "$cxx" "$files" "$result" "$tree"
done <<<"${table%$'\n'}"
exit $status
