#!/usr/bin/env bash
# Unpacks ns-3 from Debian's source package into FOLDER, in the version of the installed libns3-dev if there is one.
# Prints the tree's path. Does nothing else if the tree is there already.
# Usage: scripts/fetch-ns3.sh [FOLDER]      default: build-ns3 in this repository
set -euo pipefail
source "$(dirname "$0")/help.sh"
root=$(cd "$(dirname "$0")/.." && pwd)

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
    echo "usage: scripts/fetch-ns3.sh [FOLDER]" >&2
    exit 2
fi
folder=${1:-$root/build-ns3}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# The package holds ns-3 in a folder of its own, beside other programs.
tree_in() { find "$1" -mindepth 1 -maxdepth 3 -path '*/ns-3.*/test.py' -printf '%h\n' -quit; }
tree=$(tree_in "$folder")
if [ -n "$tree" ]; then
    echo "$tree"
    exit 0
fi

for command in apt-get dpkg-source; do
    if ! command -v "$command" >/dev/null; then
        echo "error: $command not found; run scripts/install.sh --with-ns3-source, or unpack ns-3 by hand and" \
            "name its folder to test/in-tree.sh" >&2
        exit 1
    fi
done
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$work/log

package=ns3
installed=$(dpkg-query -W -f='${db:Status-Status} ${source:Version}' libns3-dev 2>/dev/null || true)
if [[ $installed == "installed "* ]]; then
    package+=${installed/installed /=}
fi

# The machine's own archives, asked for sources as well: in a configuration of their own, /etc/apt stays as it is.
own_sources() {
    mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial}
    local file name
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        name=$work/apt/parts/$(basename "$file")
        case "$file" in
        *.sources) sed -E '/^Types:/I s/:.*/: deb-src/' "$file" >"$name" ;;
        *) sed -nE 's/^[[:blank:]]*deb(-src)?[[:blank:]]/deb-src /p' "$file" | sort -u >"${name%.list}.list" ;;
        esac
    done
    apt_options+=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
        -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache")
    # An archive without sources is no error here: what counts is whether the package is found.
    apt-get "${apt_options[@]}" update -q >>"$log" 2>&1 || true
}

apt_options=(-o APT::Sandbox::User=root -o Acquire::Retries=3)
available() { apt-get "${apt_options[@]}" source --print-uris "$package" >>"$log" 2>&1; }
available || own_sources
if ! available; then
    cat "$log" >&2
    echo "error: apt finds no source package $package; add deb-src to the Types of Debian's archive in /etc/apt and run" \
        "apt-get update, or unpack ns-3 by hand and name its folder to test/in-tree.sh" >&2
    exit 1
fi

mkdir "$work/package"
if ! (cd "$work/package" && apt-get "${apt_options[@]}" source -q "$package" >>"$log" 2>&1); then
    cat "$log" >&2
    echo "error: the source package $package could not be fetched or unpacked; see above" >&2
    exit 1
fi
tree=$(tree_in "$work/package")
if [ -z "$tree" ]; then
    echo "error: the source package $package holds no ns-3.*/test.py" >&2
    exit 1
fi
mv "$tree" "$folder/"
echo "$folder/$(basename "$tree")"
