"""Tests scripts/run-tests and scripts/report-times with fake programs and build folders.

  python3 tests/scripts/run_tests_test.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

root = pathlib.Path(__file__).resolve().parents[2]

# Runs the cases of --gtest_filter as BEHAVIOUR says, and writes a line for each process.
program = r'''
import os, signal, subprocess, sys, time
behaviour = BEHAVIOUR
words = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
names = words["--gtest_filter"].split(":")
with open("processes", "a") as file:
    print(*names, file=file)
code = 0
for name in names:
    what = behaviour.get(name, "pass")
    if what == "unknown":
        continue
    if what == "no start":
        os.abort()
    print(f"[ RUN      ] {name}", flush=True)
    print(f"output of {name}")
    end = "      OK"
    if what == "crash":
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "exit":
        sys.exit(0)
    elif what == "hang":
        sys.stdout.flush()
        time.sleep(60)
    elif what == "orphan":  # a process that holds the output
        subprocess.Popen(["sleep", "60"])
    elif what == "leak":
        code = 23
    elif what == "skip":
        print("a_test.cpp:3: Skipped\nno real data\n")
        end = " SKIPPED"
    elif what == "fail" or (what == "fail in company" and len(names) > 1):
        end, code = " FAILED ", 1
    elif what == "unfinished line":
        print("half a line", end="")
    elif what == "variable" and os.environ.get("COLOUR") != "blue":
        end, code = " FAILED ", 1
    print(f"[{end.rjust(8).ljust(10)}] {name} (0 ms)", flush=True)
sys.exit(code)
'''


def gtest(name, **properties):
    return name, [sys.executable, "program.py", f"--gtest_filter={name}"], properties


def shell(name, command, **properties):
    return name, ["sh", "-c", command], properties


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build = self.folder / "build"
        self.build.mkdir()
        self.alone = self.folder / "alone.txt"
        self.alone.write_text("# pattern  reason\n")
        self.together = self.folder / "together.txt"
        self.together.write_text("")
        self.night = self.folder / "night.txt"
        self.night.write_text("")

    def write_tests(self, tests, behaviour):
        names = {f"S.{name}": what.replace("_", " ") for name, what in behaviour.items()}
        (self.folder / "program.py").write_text(program.replace("BEHAVIOUR", repr(names)))
        lines = []
        for name, command, properties in tests:
            properties = {"WORKING_DIRECTORY": self.folder, **properties}
            lines.append(f"add_test({name} " + " ".join(f"[==[{word}]==]" for word in command) + ")")
            lines.append(f"set_tests_properties({name} PROPERTIES " +
                         " ".join(f"{key} [==[{value}]==]" for key, value in properties.items()) + ")")
        (self.build / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        (self.folder / "processes").unlink(missing_ok=True)

    def command(self, *options):
        return [sys.executable, root / "scripts/run-tests", self.build, "--jobs", "2", "--alone", self.alone,
                "--together", self.together, "--night", self.night, *options]

    def run_tests(self, tests, *options, **behaviour):
        """Runs tests in a fake build folder; `behaviour` says what cases do, by name behind 'S.'."""
        self.write_tests(tests, behaviour)
        return subprocess.run(self.command(*options), capture_output=True, text=True, timeout=60)

    def processes(self):
        return [line.split() for line in (self.folder / "processes").read_text().splitlines()]

    def assert_counts(self, done, counts, code):
        self.assertIn(f"cases: {counts};", done.stdout, done.stderr)
        self.assertEqual(done.returncode, code, done.stdout)

    def test_cases_share_processes(self):
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(300)])
        self.assert_counts(done, "300 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        processes = self.processes()
        self.assertLess(len(processes), 60)
        self.assertEqual(sorted(sum(processes, [])), sorted(f"S.Case{i}" for i in range(300)))

    def test_a_failing_case_is_printed_with_its_output_and_how_to_run_it(self):
        done = self.run_tests([gtest("S.A"), gtest("S.B"), gtest("S.C")], B="fail")
        self.assert_counts(done, "2 passed, 0 skipped, 0 disabled, 1 failed, 0 did not report", 1)
        self.assertIn("FAILED  S.B: failed\n  output of S.B\n  alone: cd ", done.stdout)
        self.assertIn("--gtest_filter=S.B\n", done.stdout)
        self.assertNotIn("output of S.A", done.stdout)

    def test_a_case_that_fails_in_company_is_printed_with_its_company(self):
        tests = [gtest(f"S.{name}") for name in "ABC"]
        self.alone.write_text("")
        (self.build / "Testing").mkdir()  # times for which all share a process
        (self.build / "Testing/run-tests.json").write_text(json.dumps({"S.A": 0.0, "S.B": 0.0, "S.C": 1.0}))
        done = self.run_tests(tests, C="fail_in_company")
        self.assertEqual(self.processes(), [["S.A", "S.B", "S.C"]])
        self.assertIn("after the 2 cases that ran before it in this process: cd ", done.stdout)
        self.assertIn("--gtest_filter=S.A:S.B:S.C\n", done.stdout)

    def test_a_crash_loses_no_case(self):
        tests = [gtest(f"S.Case{i}") for i in range(100)]
        done = self.run_tests(tests, Case0="crash", Case1="crash", Case30="exit")
        self.assert_counts(done, "97 passed, 0 skipped, 0 disabled, 3 failed, 0 did not report", 1)
        self.assertIn("FAILED  S.Case1: crashed (SIGSEGV)\n  output of S.Case1\n", done.stdout)
        self.assertIn("FAILED  S.Case30: ended its process with exit code 0\n", done.stdout)

    def test_a_case_that_hangs_loses_no_case(self):
        tests = [gtest(f"S.Case{i}", TIMEOUT=0.5) for i in range(20)]
        done = self.run_tests(tests, Case0="hang")
        self.assert_counts(done, "19 passed, 0 skipped, 0 disabled, 1 failed, 0 did not report", 1)
        self.assertIn("FAILED  S.Case0: took longer than 0.5 s\n  output of S.Case0\n", done.stdout)

    def test_a_program_that_crashes_before_a_case_is_that_cases_failure(self):
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(20)], Case5="no_start")
        self.assertIn(": before the case began, the program crashed (SIGABRT)\n", done.stdout)
        self.assert_counts(done, "19 passed, 0 skipped, 0 disabled, 1 failed, 0 did not report", 1)

    def test_a_program_that_fails_at_its_end_names_the_case(self):
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(20)], Case3="leak")
        self.assert_counts(done, "19 passed, 0 skipped, 0 disabled, 1 failed, 0 did not report", 1)
        self.assertIn("FAILED  S.Case3: after the case, the program ended its process with exit code 23\n", done.stdout)

    def test_a_case_that_the_program_lacks_did_not_report(self):
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(20)], Case3="unknown")
        self.assert_counts(done, "19 passed, 0 skipped, 0 disabled, 0 failed, 1 did not report", 1)
        self.assertIn("did not report: S.Case3\n", done.stdout)

    def test_reasons_of_skipped_cases_are_counted(self):
        done = self.run_tests([gtest("S.A"), gtest("S.B"), gtest("S.C"), gtest("S.D", DISABLED="ON")],
                              A="skip", B="skip")
        self.assert_counts(done, "1 passed, 2 skipped, 1 disabled, 0 failed, 0 did not report", 0)
        self.assertIn("skipped 2: no real data\n", done.stdout)

    def test_a_process_left_behind_does_not_hold_up_the_run(self):
        done = self.run_tests([gtest("S.A")], A="orphan")
        self.assert_counts(done, "1 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)

    def test_a_case_may_end_within_a_line(self):
        self.assert_counts(self.run_tests([gtest("S.A")], A="unfinished_line"),
                           "1 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)

    def test_cases_of_the_list_run_alone(self):
        self.alone.write_text("# pattern  reason\nS.Case1*  sets limits\n")
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(20)])
        self.assertEqual(done.returncode, 0)
        alone = [names for names in self.processes() if any(name.startswith("S.Case1") for name in names)]
        self.assertEqual([len(names) for names in alone], [1] * 11)

    def test_cases_of_a_line_run_together_and_first(self):
        self.together.write_text("S.Case1*  a table\nS.Case2*  a file\n")
        (self.build / "Testing").mkdir()
        times = {f"S.Case{i}": 9.0 for i in range(20)}
        (self.build / "Testing/run-tests.json").write_text(json.dumps(times))
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(30)], "--jobs", "1")
        self.assert_counts(done, "30 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        first, second, *others = self.processes()
        self.assertEqual(first, ["S.Case1", *(f"S.Case1{i}" for i in range(10))])
        self.assertEqual(second, ["S.Case2", *(f"S.Case2{i}" for i in range(10))])
        self.assertEqual([len(names) for names in others], [1] * 8, "long cases")

    def test_cases_of_the_night_are_left_out_by_day(self):
        self.night.write_text("# build  pattern  reason\nbuild  S.Case1*  takes long\nbuild  S.Absent  gone\n"
                              "build-sanitize  S.Case2  another build\n")
        tests = [gtest(f"S.Case{i}") for i in range(20)] + [shell("Day", 'test "$WARPATH_BY_DAY" = 1')]
        done = self.run_tests(tests, "--by-day")
        self.assert_counts(done, "10 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        self.assertIn("11 cases are left to the night (night.txt)", done.stdout)
        self.assertRegex(done.stdout, "build has no case S.Absent\n")
        ran = {name for names in self.processes() for name in names}
        self.assertEqual(ran, {"S.Case0", *(f"S.Case{i}" for i in range(2, 10))})
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(20)])
        self.assert_counts(done, "20 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)

    def test_a_run_that_leaves_all_cases_to_the_night_fails(self):
        self.night.write_text("build  S.A  takes long\n")
        done = self.run_tests([gtest("S.A"), gtest("S.B")], "--by-day", "--filter", "S.A")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--by-day leaves out all of these cases", done.stderr)

    def test_what_other_tests_leave_to_the_night_is_printed(self):
        done = self.run_tests([shell("Python.1", "echo 1 passed; echo by day: 3 cases are left")], "--by-day")
        self.assert_counts(done, "1 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        self.assertIn("run-tests: Python.1: by day: 3 cases are left\n", done.stdout)

    def test_cases_with_another_environment_run_in_another_process(self):
        done = self.run_tests([gtest("S.A"), gtest("S.B", ENVIRONMENT="COLOUR=blue")], B="variable")
        self.assert_counts(done, "2 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)

    def test_mixed_cases_all_run(self):
        done = self.run_tests([gtest(f"S.Case{i}") for i in range(50)], "--shuffle", "7")
        self.assert_counts(done, "50 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        self.assertNotEqual(self.processes()[0][0], "S.Case0")

    def test_long_cases_of_the_last_run_come_first(self):
        tests = [gtest(f"S.Case{i}") for i in range(20)]
        self.run_tests(tests)
        file = self.build / "Testing/run-tests.json"
        times = json.loads(file.read_text())
        self.assertEqual(len(times), 20)
        file.write_text(json.dumps({**times, "S.Case17": 40.0}))
        self.run_tests(tests, "--jobs", "1")
        self.assertEqual(self.processes()[0], ["S.Case17"])

    def test_other_tests_keep_the_rules_of_ctest(self):
        done = self.run_tests([
            shell("Passes", "true"), shell("Fails", "echo no; exit 3"), shell("Sleeps", "sleep 60", TIMEOUT=0.3),
            shell("Skips", "echo no kernels; exit 77", SKIP_RETURN_CODE=77),
            shell("SkipsByText", "echo skipped: no Python", SKIP_REGULAR_EXPRESSION="^skipped"),
            shell("PrintsIt", "echo mean 0.5; exit 1", PASS_REGULAR_EXPRESSION="mean 0\\.[0-9]"),
            shell("PrintsAnother", "echo mean 1.5", PASS_REGULAR_EXPRESSION="mean 0\\.[0-9]"),
            shell("HasToFail", "false", WILL_FAIL="ON")])
        self.assert_counts(done, "3 passed, 2 skipped, 0 disabled, 3 failed, 0 did not report", 1)
        self.assertIn("FAILED  Fails: ended its process with exit code 3\n  no\n", done.stdout)
        self.assertIn("FAILED  Sleeps: took longer than 0.3 s\n", done.stdout)
        self.assertIn("FAILED  PrintsAnother: did not print what it has to\n  mean 1.5\n", done.stdout)
        self.assertIn("skipped 1: no kernels\n", done.stdout)
        self.assertIn("skipped 1: skipped: no Python\n", done.stdout)

    def test_a_test_runs_after_the_one_that_it_depends_on(self):
        done = self.run_tests([shell("Reads", "cat made", FIXTURES_REQUIRED="files"),
                               shell("Makes", "sleep 0.3; touch made", FIXTURES_SETUP="files")])
        self.assert_counts(done, "2 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)

    def test_a_program_that_is_not_there_fails_its_cases(self):
        done = self.run_tests([("S.A", ["./absent", "--gtest_filter=S.A"], {}), gtest("S.B")])
        self.assert_counts(done, "1 passed, 0 skipped, 0 disabled, 1 failed, 0 did not report", 1)
        self.assertIn("FAILED  S.A: its program is not built\n", done.stdout)

    def test_a_property_that_is_not_known_is_refused(self):
        done = self.run_tests([shell("A", "true", RUN_SERIAL="ON")])
        self.assertEqual(done.returncode, 1)
        self.assertIn("A has the property RUN_SERIAL, which scripts/run-tests does not know", done.stderr)

    def test_an_interrupted_run_ends_its_processes(self):
        self.write_tests([gtest("S.A"), gtest("S.B")], {"A": "hang"})
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True) as run:
            while not (self.folder / "processes").exists():
                time.sleep(0.01)
            run.terminate()
            text, _ = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 143)
        self.assertNotIn("FAILED", text)

    def test_a_filter_chooses_and_may_not_choose_nothing(self):
        tests = [shell("A", "true"), shell("B", "false")]
        self.assert_counts(self.run_tests(tests, "--filter", "^A$"),
                           "1 passed, 0 skipped, 0 disabled, 0 failed, 0 did not report", 0)
        self.assertIn("no test of", self.run_tests(tests, "--filter", "^C$").stderr)


class ReportTimes(unittest.TestCase):
    def test_prints_parts_units_and_cases_of_this_run_only(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            build = folder / "build"
            (build / "Testing").mkdir(parents=True)
            (build / "Testing/run-tests.json").write_text(json.dumps({"S.Short": 0.5, "S.Long": 2.5}))
            units = {"tests/a_test.o": 30000, "CMakeFiles/warpath.dir/host/files/io/b.o": 7000,
                     "CMakeFiles/warpath.dir/host/core/cpu/c.o": 2000, "warpath": 1000, "old.o": 90000}
            log = "# ninja log v5\n"
            for number, (output, duration) in enumerate(units.items()):
                (build / output).parent.mkdir(parents=True, exist_ok=True)
                (build / output).touch()
                log += f"100\t{100 + duration}\t0\t{output}\t{number:x}\n"
            log += "100\t30100\t0\ttests/another_output\t0\n"  # of the first command
            (build / "tests/another_output").touch()
            (build / ".ninja_log").write_text(log)
            os.utime(build / "old.o", (1000, 1000))
            now = time.time() - 100
            (folder / "marks").write_text(f"{now:.6f} 0m1.000s 0m0.500s setup\n"
                                          f"{now + 10:.6f} 0m3.000s 0m1.000s release: build\n"
                                          f"{now + 80.5:.6f} 1m3.000s 0m1.250s\n")
            done = subprocess.run([root / "scripts/report-times", folder / "marks", build, folder / "absent"],
                                  capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in ["setup 10.0 2.5", "release: build 70.5 60.2", "all 80.5 62.8", "build: tests 1 units 30.0 s",
                     "build: library 1 units 7.0 s", "build: kernels 1 units 2.0 s", "build: program 1 units 1.0 s"]:
            self.assertIn(line, lines)
        slowest = lines[lines.index("slowest test cases, s") + 1:]
        self.assertEqual(slowest, ["2.5 build: S.Long", "0.5 build: S.Short"])
        self.assertNotIn("old.o", done.stdout)


if __name__ == "__main__":
    unittest.main()
