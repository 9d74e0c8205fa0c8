#!/usr/bin/env python3
"""Runs a program under lanescope and compares every instruction of every launch with a truth file.

    compare.py [--leave-out KERNELS] LANESCOPE TRUTH.jsonl PROGRAM [ARGUMENTS...]

The truth file holds one launch a line, in launch order, as tools/from_ncu.py writes them. Compared: the instruction's
text, its executions, threads, predicated-on threads, divergent branches, wavefronts and their ideal (Nsight Compute's
rule), sectors and their ideal, tags; and of the launch the registers, shared memory and the occupancy limits that do not
depend on the driver's carve-out. `--leave-out a,b` names kernels whose counts depend on timing: of them only the
executions of instructions outside loops could agree, so they are not compared at all, and the output says so.
`--known FILE` names rows that are known to differ, "kernel offset" a line, # comments: others fail the test, and so does
a known one that has become equal.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

COLUMNS = {
    "Instructions Executed": "executed",
    "Thread Instructions Executed": "threads",
    "Predicated-On Thread Instructions Executed": "threads_on",
    "Divergent Branches": "divergent",
    "L1 Tag Requests Global": "tags",
    "L1 Wavefronts Shared": "wavefronts",
    "L1 Wavefronts Shared Ideal": "wavefronts_ideal",
    "L2 Theoretical Sectors Global": "sectors",
    "L2 Theoretical Sectors Global Ideal": "sectors_ideal",
}


def read_csv(path):
    """[(kernel, [row])] of a CSV in the layout of Nsight Compute's source page."""
    launches, header = [], None
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if not row:
                continue
            if row[0] == "Kernel Name":
                launches.append((row[1], []))
                header = None
            elif header is None:
                header = row
            else:
                launches[-1][1].append(dict(zip(header, row)))
    return launches


def comparable(text):
    """Without .reuse and with branch targets left out where they are addresses of that run."""
    return re.sub(r"0x7f[0-9a-f]{10}$", "TARGET", " ".join(text.replace(".reuse", "").split()))


def same_text(got, want):
    got, want = comparable(got), comparable(want)
    return got == want or (want.endswith("TARGET") and got.rsplit(" ", 1)[0] == want.rsplit(" ", 1)[0])


def differences(kernel, want, rows):
    """Yields (offset, what differs) for each instruction that differs."""
    if len(rows) < len(want):
        yield 0, f"{kernel}: {len(rows)} instructions, {len(want)} wanted"
        return
    for row, truth in zip(rows, want):
        wrong = []
        if not same_text(row["Source"], truth["text"]):
            wrong.append(f"text {row['Source']!r}")
        for column, field in COLUMNS.items():
            got = int(row[column] or 0)
            if got != truth.get(field, 0):
                wrong.append(f"{field} {got} for {truth.get(field, 0)}")
        if wrong:
            yield truth["offset"], f"{kernel} {truth['offset']:#x} {truth['text']}: {', '.join(wrong)}"


def read_known(path):
    """{(kernel, offset)} of the rows that a file names."""
    if path is None:
        return set()
    lines = (line.split("#")[0].split() for line in path.open())
    return {(words[0], int(words[1], 16)) for words in lines if words}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--leave-out", default="")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--known", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=20, help="lines of differences to print")
    parser.add_argument("lanescope")
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    left_out = {name for name in options.leave_out.split(",") if name}
    truth = [json.loads(line) for line in options.truth.open()]
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "source.csv"
        command = [options.lanescope, "run", "--quiet", "--threads", options.threads, "--csv", table, "--rules", "ncu", "--", *options.program]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit code {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
        launches = read_csv(table)
    if len(launches) != len(truth):
        sys.exit(f"{len(launches)} launches, {len(truth)} wanted")
    known, seen = read_known(options.known), set()
    compared = wrong = 0
    for (kernel, rows), want in zip(launches, truth):
        if kernel != want["kernel"]:
            sys.exit(f"kernel {kernel!r}, {want['kernel']!r} wanted")
        name = kernel.split("(")[0].split()[-1].split("<")[0]
        if name in left_out:
            print(f"not compared: {kernel}")
            continue
        compared += len(want["sass"])
        for offset, line in differences(kernel, want["sass"], rows):
            if (name, offset) in known:
                seen.add((name, offset))
                continue
            wrong += 1
            if wrong <= options.most:
                print(line)
    for name, offset in sorted(known - seen):
        print(f"{name} {offset:#x} is equal now: take it out of {options.known}")
    print(f"{compared} instructions of {len(truth)} launches compared, {wrong} differ, {len(seen)} as known")
    sys.exit(1 if wrong or not compared or known != seen else 0)


main()
