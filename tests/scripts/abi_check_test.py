"""Runs scripts/abi-check over small libraries of which it must accept or refuse the second."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

script = pathlib.Path(__file__).parents[2] / "scripts/abi-check"
header = "struct Options {{ int threads{fields}; }};\n{functions}"
score = "int score(const Options& options)"


def install(folder, fields="", functions=(score,)):
    """Builds and installs a library with these functions of a struct with more fields."""
    (folder / "include").mkdir(parents=True)
    (folder / "lib").mkdir()
    declared = "".join(f"{function};\n" for function in functions)
    (folder / "include/warpath.hpp").write_text(header.format(fields=fields, functions=declared))
    defined = "".join(f"{function} {{ return options.threads; }}\n" for function in functions)
    (folder / "warpath.cpp").write_text(f'#include "include/warpath.hpp"\n{defined}')
    subprocess.run(
        ["g++", "-g", "-shared", "-fPIC", "-o", "lib/libwarpath.so", "warpath.cpp"],
        cwd=folder,
        check=True,
    )
    return folder


class AbiCheck(unittest.TestCase):
    def compare(self, **changes):
        with tempfile.TemporaryDirectory() as name:
            old = install(pathlib.Path(name) / "old")
            new = install(pathlib.Path(name) / "new", **changes)
            return subprocess.run([script, old, new], capture_output=True, text=True)

    def test_accepts_what_is_the_same_and_what_is_new(self):
        self.assertEqual(self.compare().returncode, 0)
        more = self.compare(functions=(score, "int rank(const Options& options)"))
        self.assertEqual((more.returncode, more.stderr), (0, ""))

    def test_refuses_a_field_more(self):
        done = self.compare(fields=", devices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("devices", done.stdout)

    def test_refuses_a_function_that_is_gone(self):
        done = self.compare(functions=("int rank(const Options& options)",))
        self.assertEqual(done.returncode, 1)
        self.assertIn("score", done.stdout)

    def test_names_a_folder_without_a_library(self):
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([script, name, name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"there is no libwarpath.so in {name}", done.stderr)


if __name__ == "__main__":
    if not shutil.which("abidiff"):
        print("skipped: abidiff is missing (scripts/setup tests)")
        sys.exit(77)
    unittest.main()
