#!/usr/bin/env bash
# Pin every dependency again: constraints.txt (versions), requirements.lock and deploy/requirements.lock (with hashes).
set -euo pipefail
cd "$(dirname "$0")/.."
options=(pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml)
uv "${options[@]}" --all-extras --group ci --group frameworks --output-file constraints.txt
uv "${options[@]}" --extra all --generate-hashes --constraint constraints.txt --output-file requirements.lock
# For the container, which installs it without looking for dependencies: what only builds the site, and what Litestar
# needs for commands and examples of its own, is 40 MB that no request loads.
unused=(faker markdown-it-py mdurl polyfactory pygments rich rich-click)
uv "${options[@]}" --extra server --extra postgres "${unused[@]/#/--no-emit-package=}" --generate-hashes --constraint constraints.txt --output-file deploy/requirements.lock
