#!/usr/bin/env python3
"""README.md shows the tool's own output: each line of it, in order, is what the tool prints today.

usage: readme_test.py LANESCOPE
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(tool):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        shown = re.search(r"^    \$ lanescope run \./transpose\n((?:    .*\n|\n)+)", file.read(), re.M)
    if not shown:
        sys.exit("README.md: no '$ lanescope run ./transpose'")
    done = subprocess.run([tool, "run", "examples/prebuilt/transpose"], cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "COLUMNS": "100"}, check=True)
    printed = iter(done.stdout.splitlines())
    for line in shown[1].splitlines():
        line = line.removeprefix("    ").rstrip()
        if line not in ("", "...") and line not in (text.rstrip() for text in printed):
            sys.exit(f"README.md shows what the tool does not print there any more:\n{line}\n\n{done.stdout}")


if __name__ == "__main__":
    main(sys.argv[1])
