#!/usr/bin/env python3
"""Tests scripts/check-structure on small trees, each with one violation."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(__file__).parents[2]
sound = {
    "README.md": "# warpath\n",
    "include/warpath/warpath.hpp": '#include "warpath/paths.hpp"\n',
    "include/warpath/paths.hpp": "#include <vector>\n",
    "host/core/cpu/backend.cpp": '#include "host/core/batch/results.hpp"\n#include "kernels/views/pairs.hpp"\n',
    "host/core/batch/results.hpp": '#include "kernels/views/pairs.hpp"\n',
    "host/files/formats/dataset.hpp": '#include "host/tasks/task.hpp"\n',
    "host/files/json/json_fwd.hpp": "",
    "host/tasks/task.hpp": '#include "host/files/json/json_fwd.hpp"\n',
    "host/tasks/list.hpp": '#include "host/tasks/task.hpp"\nextern const Task ndh_task;\n',
    "host/tasks/tasks.cpp": '#include "host/tasks/list.hpp"\n',
    "host/tasks/ndh/ndh.cpp": '#include "host/tasks/list.hpp"\n#include "host/tasks/ndh/paths.hpp"\n',
    "host/tasks/ndh/paths.hpp": '#include "host/tasks/r2r/server.hpp"\n',
    "host/tasks/r2r/server.hpp": "",
    "host/core/cuda/work.hpp": '#include "kernels/views/pairs.hpp"\n',
    "kernels/bodies/score_pair.hpp": '#include "kernels/sweep/sweep.hpp"\n',
    "kernels/sweep/sweep.hpp": "",
    "kernels/views/pairs.hpp": '#include "warpath/paths.hpp"\n',
}


def report(**changes):
    """Returns the exit code and the lines for the valid tree with these files added or replaced."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {**sound, **changes}.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run([sys.executable, root / "scripts/check-structure", folder],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines() + done.stderr.splitlines()


class CheckStructure(unittest.TestCase):
    def refuses(self, path, text, problem):
        code, lines = report(**{path: text})
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn(problem, lines[0])

    def test_accepts_a_sound_tree(self):
        self.assertEqual(report(), (0, []))

    def test_refuses_an_include_that_runs_up(self):
        self.refuses("host/files/io/wrap.hpp", '#include "host/files/formats/dataset.hpp"\n',
                     "host/files/io/wrap.hpp:1: io must not include formats")
        self.refuses("kernels/sweep/sweep.hpp", '#include "host/files/io/wrap.hpp"\n',
                     "kernels must not include io")

    def test_refuses_join_without_its_header(self):
        use = 'std::string text = fmt::format("{}", fmt::join(names, ", "));\n'
        for path in ["host/core/base/names.cpp", "tests/support/names.hpp"]:
            self.refuses(path, "#include <fmt/format.h>\n" + use, "include it")
            self.assertEqual(report(**{path: "#include <fmt/ranges.h>\n" + use}), (0, []))

    def test_refuses_back_ends_that_include_each_other(self):
        self.refuses("host/core/cuda/plan.cpp", '#include "host/core/cpu/rows.hpp"\n', "include cpu")
        self.refuses("host/core/cpu/points.cpp", '#include "host/core/cuda/plan.hpp"\n', "include cuda")

    def test_refuses_whoever_knows_a_single_task(self):
        for path in ["host/files/formats/dataset.cpp", "host/program/cli/eval.cpp", "host/tasks/soon/soon.cpp",
                     "host/tasks/task.cpp"]:
            self.refuses(path, '#include "host/tasks/ndh/paths.hpp"\n',
                         f"{path} must not include host/tasks/ndh/paths.hpp: ask Dataset::task")
        self.refuses("host/files/formats/dataset.cpp", '#include "host/tasks/list.hpp"\n', "ask Dataset::")
        self.refuses("host/tasks/task.cpp", '#include "host/files/formats/dataset.hpp"\n',
                     "tasks must not include formats")
        self.refuses("host/files/submission/server.cpp", "bool is_ndh = true;\n",
                     "host/files/submission/server.cpp:1: 'ndh' names a task")
        self.refuses("include/warpath/paths.hpp", "\nstruct NdhItem;\n", "paths.hpp:2: 'Ndh'")
        texts = '// as NDH and ndh\nf("ndh", R"(\nndh)");\nint sooner = files.ndh_reference;\n'
        self.assertEqual(report(**{"host/files/formats/dataset.cpp": texts}), (0, []))

    def test_refuses_a_public_header_that_includes_an_internal_one(self):
        self.refuses("include/warpath/paths.hpp", '#include "kernels/views/pairs.hpp"\n',
                     "public header")

    def test_refuses_loose_files_and_unknown_folders(self):
        self.refuses("host/score.cpp", "", "no folder of host/")
        self.refuses("host/misc/score.cpp", "", "no folder of host/")
        self.refuses("host/files/io/wrap.cpp", '#include "host/misc/score.hpp"\n', "no layer")

    def test_refuses_a_long_file(self):
        self.refuses("tests/io/io_test.cpp", "\n" * 501, "501 lines")

    def test_refuses_a_long_readme(self):
        self.assertEqual(report(**{"README.md": "word " * 2000}), (0, []))
        self.refuses("README.md", "word\n" * 2001, "README.md: 2001 words, 2000 are enough")

    def test_refuses_casts_of_metrics_and_names_of_bounds(self):
        self.refuses("host/files/io/a.cpp", "int i = static_cast<int>(Metric::PL);\n", "index_of")
        self.refuses("host/files/io/a.cpp", "int longest_path = 0;\n", "max_ and min_")

    def test_counts_the_sources_that_see_a_header(self):
        parser = {"host/program/cli/parse.cpp": "#include <CLI/CLI.hpp>\n"}
        self.assertEqual(report(**parser), (0, []))
        through_headers = {"host/program/cli/options.hpp": "#include <CLI/CLI.hpp>\n",
                           "host/program/cli/dataset_options.hpp": '#include "host/program/cli/options.hpp"\n',
                           "host/program/cli/eval.cpp": '#include "host/program/cli/dataset_options.hpp"\n'}
        code, lines = report(**parser, **through_headers)
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("CLI/CLI.hpp: 2 sources see it, 1 may", lines[0])
        self.assertIn("(host/program/cli/eval.cpp, host/program/cli/parse.cpp)", lines[0])

    def test_refuses_a_sweep_or_a_body_behind_views(self):
        body = '#include "kernels/bodies/score_pair.hpp"\n'
        self.refuses("host/core/cuda/work.hpp", body, "host/core/cuda/work.hpp:1: must not see kernels/")
        self.refuses("host/core/batch/check_batch.cpp", body, "must not see kernels/bodies/")
        self.refuses("kernels/views/points.hpp", '#include "kernels/sweep/sweep.hpp"\n',
                     "must not see kernels/sweep/sweep.hpp: kernels/views/points.hpp -> kernels/sweep/")
        code, lines = report(**{"kernels/views/pairs.hpp": '#include "kernels/views/rules.hpp"\n',
                                "kernels/views/rules.hpp": '#include "kernels/sweep/sweep.hpp"\n'})
        self.assertEqual((code, len(lines)), (1, 4), lines)
        self.assertIn("host/core/batch/results.hpp -> kernels/views/pairs.hpp -> "
                      "kernels/views/rules.hpp -> kernels/sweep/sweep.hpp", "\n".join(lines))

    def test_counts_the_sources_that_see_the_sweep(self):
        body = '#include "kernels/bodies/score_pair.hpp"\n'
        some = {f"tests/cpu/number_{i}_test.cpp": body for i in range(79)}
        last = {"kernels/launch/tiles_SET.cu.in": body}
        self.assertEqual(report(**some, **last), (0, []))
        code, lines = report(**some, **last, **{"kernels/launch/points.cu": body})
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("kernels/sweep/sweep.hpp: 81 sources see it, 80 may", lines[0])

    def test_refuses_a_header_that_the_umbrella_lacks(self):
        self.refuses("include/warpath/graph.hpp", "", "lacks warpath/graph.hpp")

    def test_refuses_a_header_that_too_many_sources_see(self):
        allowed = int(re.search(r'"simdjson.h": (\d+),', (root / "scripts/check-structure").read_text())[1])
        tree = {f"host/files/formats/form_{k}.cpp": '#include "host/files/formats/forms.hpp"\n'
                for k in range(allowed)}
        tree["host/files/formats/forms.hpp"] = "#include <simdjson.h>\n"
        self.assertEqual(report(**tree), (0, []))
        code, lines = report(**tree, **{"host/files/io/more.cpp": "#include <simdjson.h>\n"})
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn(f"simdjson.h: {allowed + 1} sources see it, {allowed} may", lines[0])

    def test_refuses_a_type_name_twice_in_a_namespace(self):
        one = "namespace warpath {\nnamespace {\n\nclass Table {\n};\n"
        other = "namespace warpath::io {\n\nclass Table final : public One {\n};\n"
        tree = {"host/files/formats/one.cpp": one, "host/files/io/other.hpp": other}
        self.assertEqual(report(**tree), (0, []))
        code, lines = report(**tree, **{"host/program/report/table.cpp": one})
        self.assertEqual((code, len(lines)), (1, 1), lines)
        self.assertIn("host/program/report/table.cpp:4: warpath::Table is in host/files/formats/one.cpp, too",
                      lines[0])

    def test_refuses_a_header_that_declares_in_the_namespace_of_another_folder(self):
        needs = ("namespace warpath {\nclass Scan;\n}  // namespace warpath\n"
                 "namespace warpath::graph {\nclass Search;\n}  // namespace warpath::graph\n")
        own = "namespace warpath::io {\nint width();\n}  // namespace warpath::io\n"
        self.assertEqual(report(**{"host/files/io/wrap.hpp": needs + own}), (0, []))
        self.refuses("host/files/formats/wrap.hpp", own, "wrap.hpp:2: declares in warpath::io: the "
                     "folder's namespace is warpath::formats")
        self.refuses("host/files/io/wrap.hpp", "namespace warpath {\nint width();\n}\n", "wrap.hpp:2")

    def test_refuses_a_library_that_is_not_used_any_more(self):
        self.refuses("tests/io/io_test.cpp", "#include <nlohmann/json.hpp>\n",
                     "nlohmann/json.hpp: 1 sources see it, 0 may")


if __name__ == "__main__":
    unittest.main()
