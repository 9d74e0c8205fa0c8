#!/usr/bin/env python3
"""Runs golden tests: one file a test, with its command, its input files and what it must print.

usage: golden.py [--bin FOLDER] [--data FOLDER] [--update] TEST...

tests/golden/README.md describes the format. `--update` writes what the command printed into the test.
Exit code: 0 passed, 1 failed, 77 skipped (a `# NEEDS:` program is not installed).
"""
import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77
SECTION = re.compile(r"^--- (stdout|stderr|file (\S+))$")


class Test:
    """A parsed test file: `head` (comments and directives), `files`, and the expected `stdout` and `stderr`."""

    def __init__(self, path):
        self.path = path
        self.head, self.files, self.expected = [], {}, {"stdout": "", "stderr": ""}
        self.runs, self.needs, self.exit = [], [], 0
        lines = self.head
        sections = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                match = SECTION.match(line.rstrip("\n"))
                if match:
                    lines = sections.setdefault(match[1], [])
                else:
                    lines.append(line)
        for name, lines in sections.items():
            if name.startswith("file "):
                self.files[name.removeprefix("file ")] = "".join(lines)
            else:
                self.expected[name] = "".join(lines)
        for line in self.head:
            directive = re.match(r"# (RUN|EXIT|NEEDS): (.*)", line)
            if not directive and line.strip() and not line.startswith("#"):
                raise SystemExit(f"{path}: '{line.strip()}' is neither a comment nor inside a section")
            if directive and directive[1] == "RUN":
                self.runs.append(directive[2])
            elif directive and directive[1] == "EXIT":
                self.exit = int(directive[2])
            elif directive:
                self.needs += directive[2].split()
        if not self.runs:
            raise SystemExit(f"{path}: no '# RUN:' line")

    def write(self, code, printed):
        head = [line for line in self.head if not line.startswith("# EXIT:")]
        if code:
            last = max(i for i, line in enumerate(head) if line.startswith("# RUN:"))
            head.insert(last + 1, f"# EXIT: {code}\n")
        text = "".join(head)
        for name, content in self.files.items():
            text += f"--- file {name}\n{content}"
        for name in ("stdout", "stderr"):
            if printed[name]:
                text += f"--- {name}\n{printed[name]}"
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)


def run_all(test, binaries, data):
    """The exit code and the output of the test's commands, run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        for name, content in test.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        env = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "120"}
        printed, code = {"stdout": "", "stderr": ""}, 0
        for index, line in enumerate(test.runs):
            command = shlex.split(line.replace("{data}", data).replace("{tmp}", folder))
            try:
                done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=300)
            except FileNotFoundError:
                raise SystemExit(f"{test.path}: no program '{command[0]}'")
            code = done.returncode
            for name in printed:
                text = getattr(done, name).decode("utf-8", errors="replace")
                printed[name] += text.replace(folder, "{tmp}").replace(data, "{data}").replace(binaries, "{bin}")
            if code != 0 and index + 1 < len(test.runs):
                printed["stderr"] += f"[golden.py: '{line}' ended with {code}]\n"
                break
        for name, text in printed.items():
            if text and not text.endswith("\n"):
                printed[name] = text + "\n[no newline at the end]\n"
        return code, printed


def matches(expected, printed):
    """`{*}` stands for anything in a line, a line `...` for any number of lines."""
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.split("{*}"))) + r"\n"
    return re.fullmatch(pattern, printed) is not None


def problems(test, code, printed):
    """What is wrong, a text a problem."""
    found = []
    if os.path.basename(test.path).startswith("bad-"):
        if code not in (2, 3):
            found.append(f"a bad- test must end with exit code 2 or 3, not {code}")
        if not printed["stderr"].strip():
            found.append("a bad- test must say what is wrong on standard error")
    elif code != test.exit:
        found.append(f"exit code {code}, expected {test.exit}")
    for name, text in test.expected.items():
        if not matches(text, printed[name]):
            found.append("".join(difflib.unified_diff(text.splitlines(True), printed[name].splitlines(True),
                                                      f"expected {name}", f"printed {name}")))
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs golden tests; see tests/golden/README.md.")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"), help="where lanescope is")
    parser.add_argument("--data", default=os.path.join(ROOT, "tests/data"), help="what {data} stands for")
    parser.add_argument("--update", action="store_true", help="rewrite the tests with what was printed")
    parser.add_argument("tests", nargs="+", metavar="TEST")
    options = parser.parse_args()
    binaries, data = os.path.abspath(options.bin), os.path.abspath(options.data)

    failed = skipped = 0
    for path in options.tests:
        test = Test(path)
        missing = [name for name in test.needs if not shutil.which(name)]
        if missing:
            print(f"{path}: skipped, no {missing[0]}")
            skipped += 1
            continue
        code, printed = run_all(test, binaries, data)
        found = problems(test, code, printed)
        if found and options.update:
            test.write(code, printed)
            print(f"{path}: rewritten")
            found = [text for text in problems(Test(path), code, printed)]
        for text in found:
            print(f"{path}: {text}")
        failed += bool(found)
    return 1 if failed else SKIPPED if skipped == len(options.tests) else 0


if __name__ == "__main__":
    sys.exit(main())
