"""Tests the reports of scripts/gpu-check, with fake programs in place of the driver's, of the CUDA
Toolkit's and of the build: nothing is built here.

  python3 tests/scripts/gpu_check_test.py
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "gpu-check"

gpu = "echo 'Made-up GPU, 9.0, 580.1, 143771, 4, 345, 1980, 3201, 3201, 700.00, 30'"
cuda_unknown = """echo "warpath: no back end 'cuda'; there are auto, reference, cpu"; exit 2"""
# Replaces a gtest program: writes a result for each given name, in gtest's format.
gtest = """for a in "$@"; do case $a in --gtest_output=json:*) out=${a#*json:};; esac; done
cat >"$out" <<'EOF'
{"testsuites": [{"name": "Cuda", "testsuite": [TESTS]}]}
EOF
exit CODE"""
passed = '{"name": "A", "result": "COMPLETED"}'
skipped = '{"name": "B", "result": "SKIPPED"}'
wrong = '{"name": "C", "result": "COMPLETED", "failures": [{}]}'
ctest = """for a in "$@"; do case $last in --output-junit) out=$a;; esac; last=$a; done
cat >"$out" <<'EOF'
<testsuite tests="7" failures="FAILURES" skipped="2">
<testcase name="Sum" status="STATUS"/></testsuite>
EOF
exit CODE"""
benchmark = """for a in "$@"; do case $a in --benchmark_out=*) out=${a#*=};; esac; done
cat >"$out" <<'EOF'
{"benchmarks": [{"name": "cpu/dtw", "real_time": 2.5, "time_unit": "ms"},
 {"name": "cuda/dtw", "real_time": 0.5, "time_unit": "ms", "items_per_second": 1e9}]}
EOF"""


def tests(*results, code=0):
    return gtest.replace("TESTS", ", ".join(results)).replace("CODE", str(code))


def suite(failures=0):
    text = ctest.replace("STATUS", "fail" if failures else "run")
    return text.replace("FAILURES", str(failures)).replace("CODE", "8" if failures else "0")


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build, self.out = self.folder / "build", self.folder / "out"
        for tool in ["sh", "cat", "sleep", "python3", "env"]:
            (self.folder / "bin").mkdir(exist_ok=True)
            found = sys.executable if tool == "python3" else f"/bin/{tool}"
            (self.folder / "bin" / tool).symlink_to(
                found if os.path.exists(found) else f"/usr/bin/{tool}")

    def program(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + text + "\n")
        file.chmod(0o755)

    def good_machine(self):
        """Everything is present and correct."""
        self.program("bin/nvidia-smi", gpu)
        for tool in ["cmake", "ninja", "nvcc"]:
            self.program(f"bin/{tool}", f"echo {tool} \"$@\"")
        self.program("bin/ctest", suite())
        self.program("bin/compute-sanitizer", 'while [ "${1#--}" != "$1" ]; do shift; shift; done\n'
                     'echo "========= ERROR SUMMARY: 0 errors"; exec "$@"')
        self.program("build/tests/warpath_tests", tests(passed, skipped))
        self.program("build/bench/warpath_bench", benchmark)
        self.program("build/warpath", 'case $1 in\n'
                     'selftest) printf "DTW 108 ok\\nED 3 ok\\nPASS, back end cuda, seed 1\\n";;\n'
                     'bench) echo "pairs/s; back end cuda"; echo "R2R-like 6x6 DTW 41.4 M";;\n'
                     'esac')

    def run_check(self, *args, expect):
        done = subprocess.run([sys.executable, script, "--out", self.out, "--build", self.build,
                               *args], capture_output=True, text=True,
                              env={"PATH": str(self.folder / "bin")})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.text = done.stdout
        self.report = json.loads((self.out / "gpu-check.json").read_text())
        self.markdown = (self.out / "gpu-check.md").read_text()
        return {step["name"]: step for step in self.report["steps"]}

    def parts(self, step):
        return {part["name"]: part for part in step["parts"]}

    def test_a_good_machine(self):
        self.good_machine()
        steps = self.run_check(expect=0)
        self.assertEqual(" ".join(steps), "device build tests selftest sanitizer bench")
        self.assertTrue(self.report["ok"])
        self.assertEqual({step["state"] for step in steps.values()}, {"passed"})
        self.assertEqual(self.report["device"]["name"], "Made-up GPU")
        self.assertEqual(self.report["device"]["sm_max_mhz"], 1980)
        tests = self.parts(steps["tests"])
        self.assertEqual(tests["of the GPU"]["numbers"], {"tests": 2, "failed": 0, "skipped": 1})
        self.assertEqual(tests["whole suite"]["numbers"], {"tests": 7, "failed": 0, "skipped": 2})
        self.assertEqual(self.parts(steps["selftest"])["selftest"]["numbers"]["checks"], 2)
        sanitizer = self.parts(steps["sanitizer"])
        self.assertEqual(len(sanitizer), 6)
        self.assertEqual(sanitizer["racecheck of selftest"]["numbers"]["checks"], 2)
        self.assertEqual(sanitizer["synccheck of tests"]["numbers"]["tests"], 2)
        self.assertIn("| cuda/dtw | 0.5 ms | 1e+09 |", self.markdown)
        self.assertIn("R2R-like 6x6 DTW 41.4 M", self.markdown)
        self.assertIn("_ARCHITECTURES=90-real", (self.out / "gpu-check.log").read_text())
        names = sorted(file.name for file in self.out.iterdir())
        self.assertEqual(" ".join(names),
                         "benchmark.json gpu-check.json gpu-check.log gpu-check.md")

    def test_without_a_device(self):
        self.good_machine()
        (self.folder / "bin/nvidia-smi").unlink()
        steps = self.run_check(expect=1)
        self.assertIn("nvidia-smi is not on PATH", self.text)
        self.assertEqual([steps[name]["state"] for name in ["device", "build", "tests"]],
                         ["failed", "failed", "not run"])
        self.assertEqual(self.run_check("--step", "build", "--arch", "90", expect=0)["build"]["ok"],
                         True)
        tests = self.run_check("--step", "tests", expect=0)["tests"]
        self.assertEqual([part["state"] for part in tests["parts"]], ["not available", "passed"])
        self.run_check("--step", "selftest", expect=1)
        self.assertIn("no device", self.text)

    def test_a_driver_that_is_not_loaded(self):
        self.program("bin/nvidia-smi", "echo 'No devices were found'; exit 6")
        self.run_check("--step", "device", expect=1)
        self.assertIn("finds no GPU (No devices were found)", self.text)
        self.assertIsNone(self.report["device"])

    def test_a_back_end_that_the_build_lacks_has_not_passed(self):
        self.good_machine()
        self.program("build/warpath", cuda_unknown)
        steps = self.run_check("--step", "selftest", "--step", "bench", expect=0)
        self.assertEqual(steps["selftest"]["state"], "not available")
        self.assertIsNone(steps["selftest"]["ok"])
        self.assertIn("| selftest | not available |", self.markdown)
        self.assertEqual(self.parts(steps["bench"])["benchmarks"]["state"], "passed")

    def test_a_selftest_of_another_back_end_has_failed(self):
        self.good_machine()
        self.program("build/warpath", "echo 'PASS, back end cpu, seed 1'")
        self.assertEqual(self.run_check("--step", "selftest", expect=1)["selftest"]["ok"], False)

    def test_a_failed_build_is_said_and_nothing_old_is_tested(self):
        self.good_machine()
        self.program("bin/ninja", "echo 'a.cu(1): error: no'; exit 1")
        steps = self.run_check(expect=1)
        self.assertIn("a.cu(1): error: no", self.text)
        self.assertEqual([step["state"] for step in steps.values()],
                         ["passed", "failed", "not run", "not run", "not run", "not run"])
        self.assertIn("| sanitizer | not run | 0.0 | all of it not run: the build failed |",
                      self.markdown)

    def test_failed_tests_are_named(self):
        self.good_machine()
        self.program("build/tests/warpath_tests", tests(passed, wrong, code=1))
        self.program("bin/ctest", suite(failures=1))
        steps = self.run_check("--step", "tests", "--step", "bench", expect=1)
        self.assertIn("Cuda.C", self.text)
        self.assertIn("1 of 7 tests failed: Sum\n", self.text)
        self.assertEqual(steps["bench"]["state"], "passed")

    def test_what_skips_itself_has_not_passed(self):
        self.good_machine()
        self.program("build/tests/warpath_tests", tests(skipped))
        steps = self.run_check("--step", "tests", "--step", "sanitizer", expect=0)
        self.assertEqual(self.parts(steps["tests"])["of the GPU"]["state"], "not available")
        self.assertEqual(self.parts(steps["sanitizer"])["memcheck of tests"]["state"],
                         "not available")

    def test_the_sanitizers_finding(self):
        self.good_machine()
        self.program("bin/compute-sanitizer", 'while [ "${1#--}" != "$1" ]; do shift; shift; done\n'
                     '"$@"; echo "========= ERROR SUMMARY: 2 errors"; exit 9')
        steps = self.run_check("--step", "sanitizer", expect=1)
        self.assertEqual([part["state"] for part in steps["sanitizer"]["parts"]], ["failed"] * 6)
        self.assertIn("ERROR SUMMARY: 2 errors", self.text)

    def test_a_device_that_the_sanitizer_refuses(self):
        self.good_machine()
        self.program("bin/compute-sanitizer", "echo 'Error: Device not supported'; exit 1")
        self.assertEqual(self.run_check("--step", "sanitizer", expect=0)["sanitizer"]["state"],
                         "not available")

    def test_a_step_over_its_limit_is_ended(self):
        self.good_machine()
        self.program("build/warpath", "sleep 60")
        steps = self.run_check("--step", "selftest", "--limit", "selftest=1", "--step", "device",
                               expect=1)
        self.assertLess(steps["selftest"]["seconds"], 10)
        self.assertIn("its time limit", self.text)

    def test_without_a_build(self):
        self.program("bin/nvidia-smi", gpu)
        self.assertEqual(self.run_check("--step", "bench", expect=1)["bench"]["state"], "not run")
        self.assertIn("run --step build first", self.text)

    def test_dependencies_that_are_not_there(self):
        self.good_machine()
        self.run_check("--step", "build", "--deps", self.folder / "nowhere", expect=1)
        self.assertIn("scripts/gather-deps makes such a folder", self.text)


class OfflineDependencies(unittest.TestCase):
    def test_every_package_that_is_looked_for_is_gathered(self):
        root = script.parent.parent
        lists = [root / folder / "CMakeLists.txt" for folder in [".", "tests", "bench"]]
        wanted = {name for file in lists
                  for name in re.findall(r"find_package\((\w+)[^)]* REQUIRED", file.read_text())}
        offline = (root / "cmake" / "offline_dependencies.cmake").read_text()
        known = re.search(r'MATCHES "\^\(([\w|]+)\)\$"', offline)[1].split("|")
        self.assertEqual(wanted, set(known))


if __name__ == "__main__":
    unittest.main()
