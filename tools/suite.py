#!/usr/bin/env python3
"""The whole test suite, a line a stage with its time; what a failing stage printed is shown whole.

usage: suite.py [STAGE...]     all stages but those BY_NAME, or those named, in the order given
The last line is "N passed, N failed": every CTest test counts once, and so does every other stage.
"""
import glob
import os
import subprocess
import sys
import textwrap
import time
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = str(os.cpu_count() or 1)
FUZZ_SECONDS = 60  # over all targets together
TIDY_FOLDERS = ("src/isa", "src/loader", "src/sass", "src/memory_model", "src/observe", "src/report")


class Failure(Exception):
    """A stage failed; the text is what the user needs to see."""


def sh(*command, env=None):
    """Runs a command in the repository's root; its output when it fails is the stage's."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise Failure(f"{done.stdout}\n{textwrap.shorten(' '.join(command), 200)}: exit code {done.returncode}")
    return done.stdout


def sources(folders, *suffixes):
    """The files with these suffixes in some folders, relative to the root."""
    found = (path for folder in folders for path in glob.glob(f"{folder}/**/*", root_dir=ROOT, recursive=True))
    return sorted(path for path in found if path.endswith(suffixes))


def build(preset, *targets, options=()):
    sh("cmake", "--preset", preset, *options)
    sh("cmake", "--build", f"build/{preset}", "-j", JOBS, *(("--target", *targets) if targets else ()))


def ctest(preset, *options, env=None):
    """Runs a build's tests; returns (passed, failed)."""
    results = os.path.join(ROOT, "build", preset, "ctest.xml")
    if os.path.exists(results):
        os.remove(results)
    try:
        output = sh("ctest", "--test-dir", f"build/{preset}", "--output-on-failure", "--no-tests=error", "-j", JOBS,
                    "--timeout", "600", "--output-junit", results, *options, env=env)
    except Failure as failure:
        output = str(failure)
        if not os.path.exists(results):
            raise
    suite = xml.parse(results).getroot()
    total, failed = int(suite.get("tests")), int(suite.get("failures"))
    if failed:
        print(output)
    skipped = [case.get("name") for case in suite.iter("testcase") if case.get("status") == "notrun"]
    if skipped:
        print(f"        skipped: {', '.join(skipped)}")
    return total - failed - len(skipped), failed


# ---- stages: each raises Failure, or returns None or (passed, failed) of tests in it

def stage_format():
    """clang-format on all C++ sources"""
    # Recorded counters name the lines of the tests' kernels: those keep their layout.
    files = sources(("src", "include", "tests", "bench", "examples"), ".h", ".hpp", ".cpp")
    sh("clang-format", "--dry-run", "-Werror", *files, *sources(("bench", "examples"), ".cu"))


def stage_build():
    """release build, warnings are errors"""
    build("release", options=("-DLANESCOPE_TESTS=ON", "-DLANESCOPE_BENCH=ON"))


def stage_tests():
    """unit, property, golden, truth and install tests"""
    return ctest("release")


# What reads foreign bytes, counts, or computes addresses.
CORE_TESTS = ("loader_test", "words_test", "memory_model_test", "memory_model_property_test", "memory_model_truth_test",
              "counters_property_test", "report_test")


def stage_asan():
    """the core's tests, under AddressSanitizer and UndefinedBehaviorSanitizer"""
    build("asan-ubsan", *CORE_TESTS)
    return ctest("asan-ubsan", "-E", "NOT_BUILT|cli_reference|install/", "-LE", "golden|program", env={"UBSAN_OPTIONS": "print_stacktrace=1"})


def stage_tsan():
    """tests of the engine's threads under ThreadSanitizer"""
    build("tsan")
    return ctest("tsan", "-L", "threads", env={"TSAN_OPTIONS": f"suppressions={ROOT}/tests/tsan.supp"})


def stage_fuzz():
    """libFuzzer on what reads foreign bytes, a minute in all"""
    build("fuzz", "fuzzers")
    targets = sorted(glob.glob(os.path.join(ROOT, "build/fuzz/bin/fuzz_*")))
    if not targets:
        raise Failure("no fuzz targets in build/fuzz/bin")
    for target in targets:
        name = os.path.basename(target).removeprefix("fuzz_")
        found = os.path.join(ROOT, "build/fuzz/corpus", name)  # new inputs go here, the first folder
        os.makedirs(found, exist_ok=True)
        seeds = glob.glob(os.path.join(ROOT, "tests/fuzz/*/corpus", name))
        sh(target, f"-max_total_time={FUZZ_SECONDS // len(targets)}", "-timeout=10", "-rss_limit_mb=4096",
           f"-artifact_prefix={ROOT}/build/fuzz/", found, *seeds)


def stage_tidy():
    """clang-tidy on the core"""
    sh("run-clang-tidy", "-quiet", "-p", "build/release", "-j", JOBS, "-extra-arg=-Wno-unknown-warning-option",
       *(f"^{ROOT}/{path}$" for path in sources(TIDY_FOLDERS, ".cpp")))


# Run by name only: no test is labelled "threads" yet, and clang-tidy has not been gone through on all files.
BY_NAME = ("tsan", "tidy")
STAGES = {name.removeprefix("stage_"): run for name, run in list(globals().items()) if name.startswith("stage_")}


def main(names):
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        sys.exit(f"suite.py: no stage {unknown[0]}; there are {', '.join(STAGES)}")
    passed = failed = 0
    for name in names or [name for name in STAGES if name not in BY_NAME]:
        start = time.monotonic()
        tests, problem = None, None
        try:
            tests = STAGES[name]()
        except Failure as failure:
            problem = str(failure)
        seconds = time.monotonic() - start
        passed += tests[0] if tests else problem is None
        failed += tests[1] if tests else problem is not None
        if problem:
            print(problem)
        verdict = f"{tests[0]} passed, {tests[1]} failed" if tests else "FAILED" if problem else "ok"
        print(f"{seconds:6.0f} s  {name:10} {STAGES[name].__doc__}: {verdict}", flush=True)
        if problem and name == "build":
            break  # nothing after it can succeed
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
