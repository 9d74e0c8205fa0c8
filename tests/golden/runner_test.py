#!/usr/bin/env python3
"""The golden runner must fail when a test's expectation is not met."""
import os
import subprocess
import sys
import tempfile
import unittest

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/golden.py")


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_test(self, text, *options, name="one.test"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([sys.executable, RUNNER, *options, path], capture_output=True, text=True)
        with open(path, encoding="utf-8") as file:
            self.rewritten = file.read()
        return done.returncode

    def test_equal_output_passes(self):
        self.assertEqual(self.run_test("# RUN: cat in\n--- file in\na\nb\n--- stdout\na\nb\n"), 0)

    def test_other_output_fails(self):
        self.assertEqual(self.run_test("# RUN: cat in\n--- file in\na\n--- stdout\nb\n"), 1)

    def test_unexpected_output_fails(self):
        self.assertEqual(self.run_test("# RUN: echo more\n"), 1)

    def test_missing_line_fails(self):
        self.assertEqual(self.run_test("# RUN: echo a\n--- stdout\na\nb\n"), 1)

    def test_exit_code_counts(self):
        self.assertEqual(self.run_test("# RUN: false\n"), 1)
        self.assertEqual(self.run_test("# RUN: false\n# EXIT: 1\n"), 0)

    def test_earlier_command_must_succeed(self):
        self.assertEqual(self.run_test("# RUN: false\n# RUN: true\n"), 1)

    def test_wildcards(self):
        self.assertEqual(self.run_test("# RUN: echo took 3.1 ms\n--- stdout\ntook {*} ms\n"), 0)
        self.assertEqual(self.run_test("# RUN: echo took 3.1 s\n--- stdout\ntook {*} ms\n"), 1)
        self.assertEqual(self.run_test("# RUN: printf 'a\\nb\\nc\\nd\\n'\n--- stdout\na\n...\nd\n"), 0)
        self.assertEqual(self.run_test("# RUN: printf 'a\\nb\\n'\n--- stdout\n...\na\n"), 1)

    def test_bad_must_be_refused_with_a_reason(self):
        refused = "# RUN: sh -c 'echo no such file >&2; exit 3'\n--- stderr\nno such file\n"
        self.assertEqual(self.run_test(refused, name="bad-file.test"), 0)
        self.assertEqual(self.run_test("# RUN: true\n", name="bad-file.test"), 1)
        self.assertEqual(self.run_test("# RUN: sh -c 'exit 3'\n", name="bad-file.test"), 1)
        self.assertEqual(self.run_test(refused.replace("exit 3", "exit 1"), name="bad-file.test"), 1)

    def test_update_rewrites(self):
        self.assertEqual(self.run_test("# why\n# RUN: sh -c 'echo a; exit 4'\n--- stdout\nb\n", "--update"), 0)
        self.assertEqual(self.rewritten, "# why\n# RUN: sh -c 'echo a; exit 4'\n# EXIT: 4\n--- stdout\na\n")

    def test_update_leaves_a_matching_test_alone(self):
        text = "# RUN: echo 1 2\n--- stdout\n1 {*}\n"
        self.assertEqual(self.run_test(text, "--update"), 0)
        self.assertEqual(self.rewritten, text)

    def test_needs_skips(self):
        self.assertEqual(self.run_test("# NEEDS: no-such-program\n# RUN: false\n"), 77)


if __name__ == "__main__":
    unittest.main()
