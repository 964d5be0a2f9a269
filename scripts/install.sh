#!/usr/bin/env bash
# Installs the Debian packages that the build, the tests and the plots need. Does nothing if all are there.
# Usage: scripts/install.sh [--with-slurm] [--with-ns3-source] [--with-mpi] [--with-chromium]
#   --with-slurm        for the test of campaigns on a cluster
#   --with-ns3-source   for test/in-tree.sh without a tree of one's own
#   --with-mpi          for scripts/build-ns3.sh
#   --with-chromium     for the test of pages in a browser
set -euo pipefail
source "$(dirname "$0")/help.sh"

packages=(
    libns3-dev ns3 libboost-dev nlohmann-json3-dev libssl-dev zlib1g-dev libisal-dev libgtest-dev
    g++ clang libclang-rt-dev cmake ninja-build ccache
    libopenmpi-dev openmpi-bin
    python3 python3-matplotlib python3-sphinx
    tshark
    python3-pandas python3-yaml python3-jsonschema python3-scipy python3-jinja2 python3-pytest
)

for option in "$@"; do
    case "$option" in
    --with-slurm) packages+=(slurm-wlm munge) ;;
    --with-ns3-source) packages+=(dpkg-dev) ;;
    --with-mpi) packages+=(dpkg-dev) ;;
    --with-chromium) packages+=(chromium) ;;
    *)
        echo "error: unknown option $option; usage: scripts/install.sh [--with-slurm] [--with-ns3-source] [--with-mpi]" \
            "[--with-chromium]" >&2
        exit 2
        ;;
    esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "error: this script knows Debian 12 and its relatives only (no apt-get here)." >&2
    echo "Install the equivalents of: ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: neither root nor sudo; ask an administrator for: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
