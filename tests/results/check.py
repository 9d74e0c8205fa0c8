#!/usr/bin/env python3
"""Runs a program of kernels under lanescope and compares what they write with what they wrote on an H200, bit by bit.

    check.py [--known FILE] LANESCOPE PROGRAM RECORD.xz

`--known FILE` names outputs that are known to fail, one a line, # comments: others fail the test; of a known one that
passes it is only said. A kernel that is refused ends the program, as it would on a device; the rest is then run a kernel at a time.
"""
import argparse
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^(PASS|FAIL) ([^:]+):(.*)$")


def output_names(record):
    """The names in a record: its header lines are text, each followed by that many bytes."""
    at = record.index(b"\n") + 1
    while at < len(record):
        end = record.index(b"\n", at)
        words = record[at:end].decode().split()
        yield words[0]
        at = end + 1 + int(words[1])
        if record[at:at + 1] == b"\n":
            at += 1


def run(lanescope, program, record, *name):
    done = subprocess.run([lanescope, "run", "--quiet", "--", program, "check", record, *name], capture_output=True, text=True)
    return {m[2]: (m[1] == "PASS", m[0]) for m in map(LINE.match, done.stdout.splitlines()) if m}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--known", type=pathlib.Path)
    parser.add_argument("lanescope")
    parser.add_argument("program")
    parser.add_argument("record", type=pathlib.Path)
    options = parser.parse_args()
    known = set()
    if options.known:
        known = {line.split("#")[0].strip() for line in options.known.open()} - {""}
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record"
        record.write_bytes(lzma.open(options.record).read())
        names = list(output_names(record.read_bytes()))
        verdicts = run(options.lanescope, options.program, record)
        for name in names:
            if name not in verdicts:
                verdicts |= run(options.lanescope, options.program, record, name.split(".")[0])
    missing = set(names) - set(verdicts)
    failed = {name for name, (passed, _) in verdicts.items() if not passed}
    for name in sorted(failed - known):
        print(verdicts[name][1])
    for name in sorted(known - failed - missing):
        print(f"{name} passes now: take it out of {options.known}")
    for name in sorted(missing - known):
        print(f"{name} printed no verdict")
    print(f"{len(names)} outputs, {len(verdicts) - len(failed)} as on the H200, {len(failed & known)} known to fail")
    sys.exit(1 if failed - known or missing - known else 0)


main()
