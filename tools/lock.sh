#!/usr/bin/env bash
# Pin every dependency again: constraints.txt (versions) and requirements.lock (versions and hashes).
set -euo pipefail
cd "$(dirname "$0")/.."
options=(pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml)
uv "${options[@]}" --all-extras --output-file constraints.txt
uv "${options[@]}" --extra all --generate-hashes --constraint constraints.txt --output-file requirements.lock
