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

root = pathlib.Path(__file__).resolve().parents[2]
script = root / "scripts" / "gpu-check"
sys.dont_write_bytecode = True
sys.path.insert(0, str(script.parent))
import gpu_check_report as reports  # noqa: E402

# Answers a question about the device, or writes to the end what it does.
gpu = """case "$*" in
*-lms*) while :; do echo '1980, 3201, 512.5, 61, 5, 16, 97, 0x0000000000000004'
          echo '1200, 3201, 412.5, 60, 5, 16, [N/A], 0x0000000000000001'
          echo '345, 3201, 90.0, 40, 5, 16, 0, 0x0000000000000021'; sleep 0.05; done;;
*) echo 'Made-up GPU, 9.0, 580.1, 143771, 4, 345, 1980, 3201, 3201, 700.00, 30, 0, GPU-a1';;
esac"""
# Has two devices, and says of which it was asked.
two_gpus = """while [ $# -gt 0 ]; do case $1 in -i) id=$2;; -lms) long=1;; esac; shift; done
if [ -n "$long" ]; then
  while :; do echo "${id#GPU-b}, 1, 1, 1, 1, 1, 9, 0x0"; sleep 0.05; done
fi
echo 'First GPU, 9.0, 580.1, 143771, 4, 345, 1980, 3201, 3201, 700.00, 30, 0, GPU-a1'
echo 'Second GPU, 9.0, 580.1, 143771, 4, 345, 1980, 3201, 3201, 700.00, 30, 1, GPU-b2'"""
cuda_unknown = """case "$*" in *cuda*)
echo "warpath: no back end 'cuda'; there are auto, reference, cpu"; exit 2;;
esac
"""
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


on_gpu = {"back_end": "cuda", "bandwidth": {"up": 55.2, "read and write": 3900.0}, "rows": [
    {"group": "resident", "shape": "R4R-like 12x14", "metrics": "DTW", "pairs": 2000000,
     "cells": 168.0, "per_second": {"median": 1e10, "low": 0.9e10, "high": 1.05e10}},
    {"group": "rollouts", "shape": "B 4096, T 40", "metrics": "nDTW", "pairs": 4096, "cells": 640.0,
     "per_second": {"median": 2e8, "low": 2e8, "high": 2e8}}], "cpu": []}
on_cpu = {"back_end": "cpu", "rows": [], "cpu": [
    {"shape": "R4R-like 12x14", "metrics": "DTW", "one_thread": 2e7, "all_threads": 3e8,
     "reference": 0}]}
# Writes to the file behind --json, and prints like warpath bench. It is done at once: where clocks
# are read while it runs, it has to sleep before.
warpath_bench = """kind=cpu
for a in "$@"; do case $last in --json) out=$a;; --backend) kind=$a;; esac; last=$a; done
if [ "$kind" = cuda ]; then text='GPU'; else text='CPU'; fi
if [ -n "$out" ]; then echo "$text" >"$out"; fi
echo "pairs/s; back end $kind" """.replace("GPU", json.dumps(on_gpu)).replace(
    "CPU", json.dumps(on_cpu))
# Runs the command behind its own options, and prints the counters of a kernel.
ncu = """while [ "${1#-}" != "$1" ]; do case $1 in --csv) shift;; *) shift 2;; esac; done
"$@"
echo '==PROF== Disconnected'
cat <<'EOF'
COUNTERS
EOF""".replace("COUNTERS", "\n".join([
    '"Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","dram__bytes.sum",'
    '"l1tex__t_sector_hit_rate.pct"', '"","","","ns","Mbyte","%"',
    *('"void warpath::kernels::score_pairs<4, 4, 1, 127u, true>(GroupView)","(128, 1, 1)",' + rest
      for rest in ['"(32, 2, 1)","123,000","82","7"', '"(8, 1, 1)","5,000","3","9"',
                   '"(8, 1, 1)","6,000","3","9"'])]))


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

    def good_machine(self, bench_seconds=0):
        """Everything is present and correct."""
        self.program("bin/nvidia-smi", gpu)
        for tool in ["cmake", "ninja", "nvcc"]:
            self.program(f"bin/{tool}", f"echo {tool} \"$@\"")
        self.program("bin/ctest", suite())
        self.program("bin/compute-sanitizer", 'while [ "${1#--}" != "$1" ]; do shift; shift; done\n'
                     'echo "========= ERROR SUMMARY: 0 errors"; exec "$@"')
        self.program("build/tests/warpath_tests", tests(passed, skipped))
        self.program("build/bench/warpath_bench", benchmark)
        (self.build / "CTestTestfile.cmake").touch()
        self.program("build/warpath", 'case $1 in\n'
                     'selftest) printf "DTW 108 ok\\nED 3 ok\\nPASS, back end cuda, seed 1\\n";;\n'
                     f'bench) sleep {bench_seconds}; {warpath_bench};;\n'
                     'esac')
        self.program("bin/ncu", ncu)

    def run_check(self, *args, expect, visible=None):
        done = subprocess.run([sys.executable, script, "--out", self.out, "--build", self.build,
                               "--results", self.folder / "results", *args],
                              capture_output=True, text=True,
                              env={"PATH": str(self.folder / "bin")} |
                              ({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}))
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
        self.assertEqual(" ".join(steps), "device build selftest bench tests sanitizer")
        self.assertTrue(self.report["ok"])
        self.assertEqual({step["state"] for step in steps.values()}, {"passed"})
        self.assertEqual(self.report["device"]["name"], "Made-up GPU")
        self.assertEqual(self.report["device"]["sm_max_mhz"], 1980)
        tests = self.parts(steps["tests"])
        self.assertEqual(tests["of the GPU"]["numbers"], {"tests": 2, "failed": 0, "skipped": 1})
        self.assertEqual(tests["of warpath.torch"]["state"], "not available")
        self.assertEqual(tests["whole suite"]["numbers"], {"tests": 7, "failed": 0, "skipped": 2})
        self.assertEqual(self.parts(steps["selftest"])["selftest"]["numbers"]["checks"], 2)
        sanitizer = self.parts(steps["sanitizer"])
        self.assertEqual(len(sanitizer), 6)
        self.assertEqual(sanitizer["racecheck of selftest"]["numbers"]["checks"], 2)
        self.assertEqual(sanitizer["synccheck of tests"]["numbers"]["tests"], 2)
        log = (self.out / "gpu-check.log").read_text()
        self.assertIn("_ARCHITECTURES=90-real", log)
        self.assertIn("-DWARPATH_PTX_TESTS=OFF", log)
        names = sorted(file.name for file in self.out.iterdir())
        self.assertEqual(" ".join(names), "bench-cpu.json bench-host.json bench-kernels.json "
                         "bench-rollouts.json benchmark.json clocks-host.csv clocks-kernels.csv "
                         "clocks-rollouts.csv gpu-check.json gpu-check.log gpu-check.md")

    def test_the_numbers_of_a_good_machine(self):
        self.good_machine(bench_seconds=0.3)
        steps = self.run_check("--step", "bench", "--step", "device", expect=0)
        seen = self.parts(steps["bench"])["warpath bench, kernels"]["numbers"]["watched"]
        self.assertGreater(seen["samples"], 2)
        self.assertGreater(seen["idle samples"], 2)
        self.assertEqual(seen["columns"]["SM clock, MHz"][::2], [1200, 1980], "not idle")
        self.assertEqual(seen["throttled by"], ["power cap"])
        self.assertIn("| power, W | 412.5 | ", self.markdown)
        self.assertRegex(self.markdown, r"\d samples; \d+ of an idle device are left out")
        self.assertIn("Clocks were held back by: power cap.", self.markdown)
        self.assertIn("GB/s: 55.2 up, 3900 read and write.", self.markdown)
        self.assertRegex(self.markdown,
                         r"\| R4R-like 12x14 \| DTW \| 2 M \| 10 G \| 15 % \| 200 \| 1.68 T \| "
                         r"[\d.]+ (G pairs|T cells) \| \d+ % \|")
        self.assertIn("| B 4096, T 40 | nDTW | 4.1 k | 200 M | 0 % | 20.5 | 128 G |", self.markdown)
        self.assertIn("| R4R-like 12x14 | DTW | 20 M | 300 M |  |", self.markdown)
        self.assertIn("| bound of an H200 | share of it |", self.markdown)
        for launch, numbers in [("<<<64, 128>>>", "time, µs 123, L1 hits, % 7, DRAM, MB 82"),
                                ("<<<8, 128>>>", "time, µs 5, "),
                                ("<<<8, 128>>>, launch 2", "time, µs 6, ")]:
            self.assertIn(f"* `score_pairs<4, 4, 1, 127u, true>{launch}`: {numbers}",
                          self.markdown)
        self.assertIn("| cuda/dtw | 0.5 ms | 1e+09 |", self.markdown)
        results = list((self.folder / "results").iterdir())
        self.assertRegex(results[0].name, r"^made-up-gpu-\d{4}-\d\d-\d\d\.md$")
        self.assertEqual([file.read_text() for file in results], [self.markdown])

    def test_counters_that_may_not_be_read(self):
        self.good_machine()
        for code in [0, 1]:
            self.program("bin/ncu", ncu.split("cat <<")[0] +
                         f"echo '==ERROR== ERR_NVGPUCTRPERM'; exit {code}")
            steps = self.run_check("--step", "bench", expect=0)
            self.assertEqual(self.parts(steps["bench"])["ncu"]["state"], "not available")
        self.program("bin/ncu", "echo '==ERROR== another one'; exit 1")
        steps = self.run_check("--step", "bench", expect=1)
        self.assertEqual(self.parts(steps["bench"])["ncu"]["state"], "failed")
        (self.folder / "bin/ncu").unlink()
        steps = self.run_check("--step", "bench", expect=0)
        self.assertIn("ncu is not on PATH", self.text)

    def test_ncu_out_of_time_is_not_finished(self):
        self.good_machine()
        self.program("bin/ncu", "sleep 60")
        steps = self.run_check("--step", "bench", "--limit", "bench=3", expect=0)
        self.assertEqual(self.parts(steps["bench"])["ncu"]["state"], "not finished")
        self.assertIsNone(steps["bench"]["ok"])

    def test_a_filter_that_matches_no_row_has_failed(self):
        self.good_machine()
        no_rows = json.dumps(on_gpu | {"rows": []})
        self.program("build/warpath", warpath_bench.replace(json.dumps(on_gpu), no_rows))
        self.program("build/bench/warpath_bench", benchmark.split("EOF")[0].rsplit("cat", 1)[0])
        parts = self.parts(self.run_check("--step", "bench", expect=1)["bench"])
        for name in ["warpath bench, kernels", "warpath bench, rollouts", "benchmarks"]:
            self.assertEqual(parts[name]["state"], "failed", name)
        self.assertIn("no row of warpath bench matches ^(rollouts|whole calls)", self.text)
        self.assertIn("no benchmark matches ^stage/", self.text)
        self.assertEqual(parts["warpath bench, CPU"]["state"], "passed")

    def test_several_devices(self):
        self.good_machine()
        self.program("bin/nvidia-smi", two_gpus)
        for visible, name in [(None, "First GPU"), ("1,0", "Second GPU"), ("GPU-b", "Second GPU"),
                              ("MIG-GPU-b2/3/0", "Second GPU"), ("MIG-c3", "First GPU")]:
            self.run_check("--step", "device", visible=visible, expect=0)
            self.assertEqual(self.report["device"]["name"], name, visible)
            self.assertEqual(self.report["device"]["devices"], 2)
        for visible in ["", "-1", "2", "GPU-c"]:
            self.run_check("--step", "device", visible=visible, expect=1)
            self.assertIn(f"CUDA_VISIBLE_DEVICES is '{visible}'", self.text)
        self.program("build/warpath", '[ "$CUDA_DEVICE_ORDER" = PCI_BUS_ID ] || exit 1\n' +
                     "sleep 0.3\n" + warpath_bench)
        steps = self.run_check("--step", "bench", visible="1", expect=0)
        seen = self.parts(steps["bench"])["warpath bench, host"]["numbers"]["watched"]
        self.assertEqual(seen["columns"]["SM clock, MHz"], [2, 2, 2], "of the second device")

    def test_a_checker_out_of_time_is_not_finished(self):
        self.good_machine()
        self.program("bin/compute-sanitizer", "sleep 60")
        steps = self.run_check("--step", "sanitizer", "--limit", "sanitizer=6", expect=0)
        self.assertEqual(steps["sanitizer"]["state"], "not finished")
        self.assertIsNone(steps["sanitizer"]["ok"])
        self.assertEqual({part["state"] for part in steps["sanitizer"]["parts"]}, {"not finished"})

    def test_all_steps_take_ten_minutes_at_the_most(self):
        spoken = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True)
        limits = re.findall(r" (\d+) s$", spoken.stdout, re.M)
        self.assertEqual(len(limits), 6)
        self.assertLessEqual(sum(map(int, limits)), 600)

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
        self.assertEqual([part["state"] for part in tests["parts"]],
                         ["not available", "not available", "passed"])
        self.run_check("--step", "selftest", expect=1)
        self.assertIn("no device", self.text)

    def test_a_driver_that_is_not_loaded(self):
        self.program("bin/nvidia-smi", "echo 'No devices were found'; exit 6")
        self.run_check("--step", "device", expect=1)
        self.assertIn("finds no GPU (No devices were found)", self.text)
        self.assertIsNone(self.report["device"])

    def test_a_back_end_that_the_build_lacks_has_not_passed(self):
        self.good_machine()
        self.program("build/warpath", cuda_unknown + warpath_bench)
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

    def test_the_tests_of_tensors_are_run_where_the_package_is(self):
        self.good_machine()
        (self.build / "python" / "warpath").mkdir(parents=True)
        (self.build / "python" / "warpath" / "_core.abi3.so").touch()
        pytest = """case $* in
-c*) exit 0;;
*) for a in "$@"; do case $a in --junitxml=*) out=${a#*=};; esac; done
cat > "$out" <<'END'
<testsuites><testsuite tests="9" failures="FAILURES" errors="0" skipped="4"/></testsuites>
END
exit FAILURES;;
esac"""
        for failures, state in [("0", "passed"), ("1", "failed")]:
            self.program("bin/python-with-torch", pytest.replace("FAILURES", failures))
            steps = self.run_check("--step", "tests", "--python", "python-with-torch",
                                   expect=int(failures))
            part = self.parts(steps["tests"])["of warpath.torch"]
            self.assertEqual(part["state"], state)
        self.assertIn("exit code 1", part["why"])

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


class Bounds(unittest.TestCase):
    table = """| work | kernel | bound |
|---|---|--:|
| own references 12 x 14, DTW | `score_in_shared_table<12, 65, true>` | 12.5 |
| points 1000 x 1000, DTW, a step | `score_pairs_of_points<32, 16, 2, 1, true>` | 2.1 |

| work | kernel | cycles |
|---|---|--:|
| small rollouts | `score_shared_reference<12, 71, true>` | 437 |

| kernel | registers | loop | bound | by |
|---|--:|--:|--:|---|
| `aggregate_slices` | 40 |  |  |  |
| `score_in_shared_table<12, 65, true>` | 62 | 112 | 2.31 | LSU |
| `score_shared_reference<12, 71, true>` | 62 | 112 | 3.2 | LSU |
"""

    def reached(self, shape, metrics, cells=168.0):
        rate = {"median": 1e10, "low": 1e10, "high": 1e10}
        row = {"group": "resident", "shape": shape, "metrics": metrics, "pairs": 1, "cells": cells,
               "per_second": rate}
        return next(reports.rate_rows([row], reports.read_bounds(self.table)))[-2:]

    def test_are_those_of_whole_pairs_or_else_of_loops(self):
        self.assertEqual(self.reached("R4R-like 12x14", "DTW"), ["12.5 G pairs", "80 %"])
        self.assertEqual(self.reached("points 1000x1000", "DTW", 105.0), ["2.1 T cells", "50 %"])
        self.assertEqual(self.reached("shared reference 12x14", "DTW nDTW PC AD MD", 80.0),
                         ["3.2 T cells", "25 %"])
        self.assertEqual(self.reached("mixed 5-20 x 5-40", "DTW"), ["", ""])

    def test_exist_for_every_row_of_one_kernel(self):
        bounds = reports.read_bounds((root / "kernels" / "kernel_table.md").read_text())
        for shape in ["R2R-like 6x6", "R4R-like 12x14", "shared reference 12x14",
                      "long 1000x1000", "points 60x80", "points 1000x1000"]:
            for metrics in ["DTW", "DTW nDTW PC AD MD", "everything"]:
                row = {"group": "resident", "shape": shape, "metrics": metrics}
                self.assertIsNotNone(reports.bound_of(row, bounds), f"{shape}, {metrics}")


class OfflineDependencies(unittest.TestCase):
    def test_every_package_that_is_looked_for_is_gathered(self):
        lists = [root / folder / "CMakeLists.txt" for folder in [".", "tests", "bench"]]
        wanted = {name for file in lists
                  for name in re.findall(r"find_package\((\w+)[^)]* REQUIRED", file.read_text())}
        offline = (root / "cmake" / "offline_dependencies.cmake").read_text()
        known = re.search(r'MATCHES "\^\(([\w|]+)\)\$"', offline)[1].split("|")
        self.assertEqual(wanted, set(known))


if __name__ == "__main__":
    unittest.main()
