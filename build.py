"""Render the site: python build.py [--output public]. The same as `waypost build`."""

import sys

from waypost.cli import main

sys.exit(main(["build", *sys.argv[1:]]))
