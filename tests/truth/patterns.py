#!/usr/bin/env python3
"""Runs the program of address patterns (data/patterns.cu) under lanescope and compares each pattern's counts with what
Nsight Compute showed on an H200.

    patterns.py LANESCOPE PROGRAM PATTERNS.jsonl

The program makes the same patterns from the same seed. Each is an instruction of its own, run once, so the counts of a
launch are compared as a multiset, instruction by instruction.
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

SEED, ROUNDS = "11", "2"
SHARED = {"l1_wavefronts_shared": "L1 Wavefronts Shared", "l1_wavefronts_shared_ideal": "L1 Wavefronts Shared Ideal"}
GLOBAL = {"l2_theoretical_sectors_global": "L2 Theoretical Sectors Global", "l2_theoretical_sectors_global_ideal": "L2 Theoretical Sectors Global Ideal",
          "l1_tag_requests_global": "L1 Tag Requests Global"}
INDEX_LOAD = (4, 4, 1)  # the program's load of 32 neighbouring indices, beside each pattern
# One pattern of lds_v4 with inactive lanes, off by one under the known description of Nsight Compute's rule.
KNOWN = {"lds_v4": 1}


def columns_of(pattern):
    names = SHARED if "l1_wavefronts_shared" in pattern["ncu"] else GLOBAL
    return {old: new for old, new in names.items() if old in pattern["ncu"]}


def read_launches(path):
    launches, header = [], None
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                launches.append((row[1].split("(")[0], []))
                header = None
            elif row and header is None:
                header = row
            elif row:
                launches[-1][1].append(dict(zip(header, row)))
    return launches


def mnemonic(source):
    words = source.split()
    return words[1] if words[0].startswith("@") else words[0]


def main():
    lanescope, program, truth = sys.argv[1:4]
    patterns = collections.defaultdict(list)
    for line in open(truth):
        pattern = json.loads(line)
        patterns[pattern["kind"], pattern["round"]].append(pattern)
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "source.csv"
        command = [lanescope, "run", "--quiet", "--csv", table, "--rules", "ncu", "--", program, SEED, ROUNDS, f"{folder}/patterns.txt"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"exit code {run.returncode}\n{run.stdout[-1000:]}{run.stderr[-1000:]}")
        launches = read_launches(table)
    rounds, compared, wrong = collections.Counter(), 0, 0
    for kind, rows in launches:
        want = patterns.get((kind, rounds[kind]))
        rounds[kind] += 1
        if want is None:
            continue
        columns = columns_of(want[0])
        wanted = collections.Counter(tuple(p["ncu"].get(old, 0) for old in columns) for p in want)
        got = collections.Counter(tuple(int(row[new]) for new in columns.values()) for row in rows
                                  if mnemonic(row["Source"]) == want[0]["sass"] and row["Instructions Executed"] == "1")
        missing, extra = wanted - got, got - wanted
        if kind != "sts_u32":  # its file holds one pattern a round less than the program makes
            extra.pop(INDEX_LOAD, None)
            wrong += max(0, sum(extra.values()) - KNOWN.get(kind, 0))
        compared += len(want)
        wrong += max(0, sum(missing.values()) - KNOWN.get(kind, 0))
        if missing:
            print(f"{kind}, round {rounds[kind] - 1}: not found {dict(missing)}, instead {dict(extra)}")
    print(f"{compared} patterns compared, {wrong} differ")
    sys.exit(1 if wrong or compared != sum(map(len, patterns.values())) else 0)


main()
