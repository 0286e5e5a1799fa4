"""Runs scripts/release in small repositories with stand-ins of scripts/wheel and scripts/test-wheel:
what it refuses, what it says it would make, and the files of a release."""

import hashlib
import importlib.util
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

project = pathlib.Path(__file__).parents[2]
places = ["include/warpath/version.hpp", "pyproject.toml", "CITATION.cff", "README.md"]
changelog = "# Changelog\n\n## [Unreleased]\n\n- Wheels.\n"
# Writes what scripts/wheel would write, and how it was called to a file.
wheel = """#!/bin/sh
echo "wheel $*" >>build-calls/calls
number= sdist=
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift ;;
    --build) number=-$2; shift ;;
    --sdist) sdist=y ;;
  esac
  shift
done
if [ -n "$sdist" ]; then echo sources >"$out/warpath-2.3.4.tar.gz"; fi
echo wheel >"$out/warpath-2.3.4$number-TAG-manylinux_2_34_x86_64.whl"
"""
test_wheel = """#!/bin/sh
echo "test-wheel $*" >>build-calls/calls
exit CODE
"""
wheel_aarch64 = """#!/bin/sh
echo "wheel-aarch64 $*" >>build-calls/calls
case $1 in bookworm) tag=cp311-cp311 ;; trixie) tag=cp312-abi3 ;; esac
echo wheel >"$2/warpath-2.3.4-$tag-manylinux_2_34_aarch64.whl"
"""
minor = sys.version_info[1]
tag = {10: "cp310-cp310", 11: "cp311-cp311"}.get(minor, "cp312-abi3")


class Repository:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def fill(self):
        for name in ["scripts/release", *places]:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, self.folder / name)
        self.write("CHANGELOG.md", changelog)
        self.write(".gitignore", "/build*/\n/dist/\n")
        for name, text in [("wheel", wheel.replace("TAG", tag)),
                           ("wheel-aarch64", wheel_aarch64),
                           ("test-wheel", test_wheel.replace("CODE", "0"))]:
            self.write(f"scripts/{name}", text)
            (self.folder / "scripts" / name).chmod(0o755)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_text()

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "A commit")

    def release(self, *arguments):
        return subprocess.run([sys.executable, self.folder / "scripts/release", *arguments],
                              capture_output=True, text=True)

    def dry_run(self, *arguments):
        return self.release("--dry-run", *arguments, sys.executable)


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Makes a repository whose changelog has what is new, and one with its version."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        repository = Repository(cls.scratch / "unreleased")
        repository.fill()
        shutil.copytree(repository.folder, cls.scratch / "versioned")
        versioned = Repository(cls.scratch / "versioned")
        done = versioned.release("--set-version", "2.3.4")
        assert done.returncode == 0, done.stderr
        versioned.commit()

    def copy(self, name):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = Repository(pathlib.Path(folder.name, "copy"))
        shutil.copytree(self.scratch / name, self.repository.folder)

    def setUp(self):
        self.copy("versioned")

    def assert_refused(self, done, *texts):
        self.assertEqual(done.returncode, 1, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.repository.folder / "dist").exists())

    def test_writes_a_version_everywhere(self):
        for name, text in [("CITATION.cff", "\nversion: 2.3.4\ndate-released: 20"),
                           ("README.md", "  version = {2.3.4},\n"), ("README.md", "|v:2.3.4\n"),
                           ("include/warpath/version.hpp", "VERSION_MINOR 3\n")]:
            self.assertIn(text, self.repository.read(name), name)
        self.assertRegex(self.repository.read("CHANGELOG.md"),
                         r"## \[Unreleased\]\n\n## \[2\.3\.4\] - [\d-]{10}\n\n- Wheels\.\n$")

    def test_writes_no_version_twice(self):
        before = self.repository.read("CHANGELOG.md")
        for version, text in [("2.3.4", "has a section 2.3.4 already"), ("2.3", "is no version"),
                              ("02.3.4", "is no version"), ("", "is no version"),
                              ("2.3.5", "nothing under ## [Unreleased]")]:
            self.assert_refused(self.repository.release("--set-version", version), text)
        self.assertEqual(self.repository.read("CHANGELOG.md"), before)

    def test_writes_no_version_in_a_dry_run(self):
        self.copy("unreleased")
        done = self.repository.release("--dry-run", "--set-version", "2.3.4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("takes no other option", done.stderr)
        self.assertEqual(self.repository.read("CHANGELOG.md"), changelog)

    def test_says_what_it_would_make(self):
        done = self.repository.dry_run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("made: the sources\n", done.stdout)
        names = {"cp310": "CPython 3.10", "cp311": "CPython 3.11", "cp312": "CPython 3.12 and later"}
        for start, name in names.items():
            line = rf"^{'' if tag.startswith(start) else 'not '}made: a wheel for {name}\b"
            self.assertRegex(done.stdout, re.compile(line, re.M))
        self.assertIn("not made: a wheel with CUDA kernels: without --cuda", done.stdout)
        self.assertFalse((self.repository.folder / "dist").exists())

    def test_refuses_a_tree_that_is_not_clean(self):
        self.repository.write("README.md", self.repository.read("README.md") + "more\n")
        self.repository.write("notes.txt", "")
        self.assert_refused(self.repository.dry_run(), "not committed: README.md, notes.txt;")

    def test_refuses_versions_that_disagree(self):
        text = self.repository.read("CITATION.cff").replace("2.3.4", "2.3.3")
        self.repository.write("CITATION.cff", text)
        self.repository.write("CHANGELOG.md", "# Changelog\n\n## [2.3.5] - 2026-01-01\n\n- Wheels.\n")
        self.repository.write("pyproject.toml", 'version = "2.4.0"\n')
        self.repository.commit()
        self.assert_refused(self.repository.dry_run(), "version.hpp has 2.3.4, but pyproject.toml has "
                            "2.4.0; CITATION.cff has 2.3.3; CHANGELOG.md has 2.3.5;")

    def test_refuses_a_changelog_without_the_version_or_with_lines_of_none(self):
        self.copy("unreleased")
        self.assert_refused(self.repository.dry_run(), "CHANGELOG.md has no version;")
        self.copy("versioned")
        more = self.repository.read("CHANGELOG.md").replace("d]\n", "d]\n\n- Later.\n")
        self.repository.write("CHANGELOG.md", more)
        self.repository.commit()
        self.assert_refused(self.repository.dry_run(), "has lines under Unreleased")

    def test_refuses_a_version_that_has_a_tag(self):
        self.repository.git("tag", "v2.3.4")
        self.assert_refused(self.repository.dry_run(), "the tag v2.3.4 exists")

    def test_refuses_an_interpreter_that_cannot_build(self):
        self.assert_refused(self.repository.release("--dry-run", "/bin/false"),
                            "/bin/false cannot build")

    def test_refuses_an_interpreter_that_makes_no_wheel(self):
        self.assert_refused(self.repository.dry_run(sys.executable), "are of one version")

    def test_makes_tests_and_describes_the_files(self):
        (self.repository.folder / "build-calls").mkdir()
        done = self.repository.release(sys.executable)
        self.assertEqual(done.returncode, 0, done.stderr)
        dist = self.repository.folder / "dist"
        name = f"warpath-2.3.4-{tag}-manylinux_2_34_x86_64.whl"
        self.assertEqual(sorted(file.name for file in dist.iterdir()), [
            "RELEASE_NOTES.md", "SHA256SUMS", "TAG", name, "warpath-2.3.4.tar.gz"])
        sums = (dist / "SHA256SUMS").read_text()
        self.assertIn(f"{hashlib.sha256(b'wheel' + bytes([10])).hexdigest()}  {name}\n", sums)
        self.assertEqual(len(sums.splitlines()), 2)
        self.assertTrue((dist / "TAG").read_text().startswith("warpath 2.3.4\n\n"))
        self.assertIn(sums, (dist / "TAG").read_text())
        notes = (dist / "RELEASE_NOTES.md").read_text()
        self.assertIn("\n- Wheels.\n", notes)
        self.assertIn(f"| `{name}` | 6 | CPU, CPython 3.{minor if minor < 12 else '12 and later'}, "
                      "x86_64, glibc 2.34 or later |\n", notes)
        calls = self.repository.read("build-calls/calls")
        self.assertIn("test-wheel", calls)
        self.assert_wheel_is_named_in_a_later_refusal(name)

    def test_makes_and_tests_wheels_for_aarch64(self):
        (self.repository.folder / "build-calls").mkdir()
        done = self.repository.release("--aarch64", sys.executable)
        if platform.machine() != "x86_64":
            return self.assert_refused(done, "--aarch64 is for x86-64")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = self.repository.read("dist/RELEASE_NOTES.md")
        self.assertIn("| CPU, CPython 3.12 and later, aarch64, glibc 2.34 or later |\n", notes)
        self.assertIn("- Not made: a wheel for CPython 3.10 and aarch64.\n", notes)
        calls = self.repository.read("build-calls/calls").splitlines()
        tested = [line for line in calls if line.startswith("test-wheel") and "aarch64" in line]
        self.assertEqual(len(tested), 2, calls)

    def assert_wheel_is_named_in_a_later_refusal(self, name):
        done = self.repository.dry_run()
        self.assertEqual(done.returncode, 1)
        self.assertIn("dist has RELEASE_NOTES.md: move its files away", done.stderr)
        self.assertTrue((self.repository.folder / "dist" / name).exists())

    def test_replaces_no_file_that_came_to_dist_during_the_build(self):
        (self.repository.folder / "build-calls").mkdir()
        self.repository.write("scripts/test-wheel", "#!/bin/sh\nmkdir -p dist\necho own >dist/TAG\n")
        self.repository.commit()
        done = self.repository.release(sys.executable)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("dist has TAG: move its files away", done.stderr)
        self.assertEqual(self.repository.read("dist/TAG"), "own\n")

    def test_leaves_nothing_in_dist_where_a_wheel_fails(self):
        (self.repository.folder / "build-calls").mkdir()
        for code, text in [(1, "failed"), (77, "--no-test makes untested wheels")]:
            self.repository.write("scripts/test-wheel", test_wheel.replace("CODE", str(code)))
            self.repository.commit()
            self.assert_refused(self.repository.release(sys.executable), text)


if __name__ == "__main__":
    if not shutil.which("git"):
        print("skipped: git is missing")
        sys.exit(77)
    if minor > 15 or not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists() or not all(
            importlib.util.find_spec(module) for module in ("venv", "ensurepip")):
        print("skipped: this Python cannot build a wheel")
        sys.exit(77)
    unittest.main()
