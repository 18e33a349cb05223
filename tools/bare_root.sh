#!/usr/bin/env bash
# Try the README's commands in a root with Debian's Python and nothing else: tools/bare_root.sh FOLDER [SUITE] [NAME]...
# FOLDER is made by debootstrap if it is not there. Needs root, debootstrap and a mirror of Debian's packages.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:?"a folder for the root"} suite=${2:-bookworm}
shift $(($# < 2 ? $# : 2))
names=("${@:-first}")
[ -x "$root/usr/bin/python3" ] || debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates,curl "$suite" "$root"
for file in /etc/resolv.conf /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do # how this machine reaches its package index
  [ ! -e "$file" ] || cp -L "$file" "$root$file"
done
rm -rf "$root/waypost"
mkdir -p "$root/waypost"
git ls-files -z | xargs -0 cp --parents -t "$root/waypost" # what a clone holds
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
chroot "$root" python3 /waypost/tools/try_readme.py "${names[@]}"
