#!/usr/bin/env python3
"""Fails when an object that was compiled for a newer processor defines a weak symbol: the linker could choose that copy
for code that runs everywhere.

    weak_symbols.py NM OBJECT...
"""
import subprocess
import sys

# The personality routine's reference is data and the same in every object.
HARMLESS = {"DW.ref.__gxx_personality_v0"}


def weak_symbols(nm, path):
    output = subprocess.run([nm, "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        if kind in "WVu" and name not in HARMLESS:
            yield name


def main():
    nm, objects = sys.argv[1], sys.argv[2:]
    found = [f"{path}: {name}" for path in objects for name in weak_symbols(nm, path)]
    print("\n".join(found) or f"{len(objects)} objects, no weak symbols")
    sys.exit(1 if found or not objects else 0)


main()
