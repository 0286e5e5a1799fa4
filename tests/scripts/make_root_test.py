"""Runs scripts/make-root and scripts/setup with stand-ins of debootstrap and apt: how the systems of
each release are made, that signatures are checked, and what is said of a release that is too old."""

import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

project = pathlib.Path(__file__).parents[2]
# Writes its arguments to a file, and makes the folder that is the word after the release.
debootstrap = """#!/bin/sh
echo "$*" >>"$CALLS"
echo "W: the mirror has no $BROKEN"
for word; do
  if [ "$word" = "$BROKEN" ]; then exit 1; fi
done
"""
# Offers every package but those in $LACKS, with the version $OFFERED.
apt_cache = """#!/bin/sh
case "$1 $LACKS " in
  policy*) echo "$2:"; echo "  Candidate: $OFFERED" ;;
  *" $2 "*) ;;
  madison*) echo "$2 | $OFFERED" ;;
esac
"""
stand_ins = {
    "debootstrap": debootstrap,
    "unshare": "#!/bin/sh\n",
    "id": "#!/bin/sh\necho 0\n",
    "apt-get": '#!/bin/sh\necho "$*" >>"$CALLS"\n',
    "apt-cache": apt_cache,
    "dpkg-query": "#!/bin/sh\n",
}


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.roots = self.folder / "build/roots"
        for name, text in stand_ins.items():
            (self.folder / "bin").mkdir(exist_ok=True)
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)
        (self.folder / "scripts").mkdir()
        for name in ["make-root", "setup"]:
            shutil.copy(project / "scripts" / name, self.folder / "scripts" / name)

    def run_script(self, *command, **variables):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "CALLS": str(self.folder / "calls"), "BROKEN": "x",
                       "OFFERED": "3.6.4-1", "OS_RELEASE": "/dev/null", **variables}
        return subprocess.run([self.folder / "scripts" / command[0], *command[1:]],
                              env=environment, capture_output=True, text=True)

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []


class MakeRoot(Scripts):
    def debian(self, release):
        """Returns how each call for a release begins, which shares downloads with others of it."""
        return f"--force-check-gpg --variant=minbase --cache-dir={self.roots}/{release}.packages"

    def test_makes_a_debian_once(self):
        for _ in range(2):
            done = self.run_script("make-root", "bookworm", "python3", "zlib1g")
            self.assertEqual((done.returncode, done.stdout),
                             (0, f"{self.roots}/bookworm+python3+zlib1g\n"))
        self.assertEqual(self.calls(), [f"{self.debian('bookworm')} --include=python3,zlib1g bookworm "
                                        f"{self.roots}/bookworm+python3+zlib1g"])

    def test_makes_a_debian_for_aarch64_where_its_programs_run(self):
        done = self.run_script("make-root", "--arm64", "bookworm")
        runs = platform.machine() == "aarch64" or os.path.exists("/proc/sys/fs/binfmt_misc/qemu-aarch64")
        if runs:
            self.assertEqual((done.returncode, done.stdout), (0, f"{self.roots}/bookworm-arm64\n"))
            self.assertEqual(self.calls(), [f"{self.debian('bookworm')} --arch=arm64 bookworm "
                                            f"{self.roots}/bookworm-arm64"])
        else:
            self.assertEqual((done.returncode, self.calls()), (77, []))
            self.assertIn("apt-get install qemu-user-static", done.stderr)

    def test_makes_an_ubuntu_by_the_keys_that_debian_signed(self):
        for release in ["jammy", "noble"]:
            done = self.run_script("make-root", release)
            self.assertEqual((done.returncode, done.stdout), (0, f"{self.roots}/{release}\n"))
        keys = f"{self.roots}/trixie+ubuntu-keyring"
        ubuntu = (f"--keyring={keys}/usr/share/keyrings/ubuntu-archive-keyring.gpg "
                  "--components=main,universe")
        self.assertEqual(self.calls(), [
            f"{self.debian('trixie')} --include=ubuntu-keyring trixie {keys}",
            f"{self.debian('jammy')} {ubuntu} jammy {self.roots}/jammy  gutsy",
            f"{self.debian('noble')} {ubuntu} noble {self.roots}/noble  gutsy"])

    def test_says_why_a_system_cannot_be_made(self):
        for broken in ["noble", "trixie"]:
            done = self.run_script("make-root", "noble", BROKEN=broken)
            self.assertEqual((done.returncode, done.stdout), (77, ""))
            self.assertIn(f"debootstrap of {broken} failed: W: the mirror has no {broken}", done.stderr)
            self.assertFalse((self.roots / "noble/complete").exists())
            shutil.rmtree(self.roots)


@unittest.skipUnless(shutil.which("dpkg"), "dpkg is not installed")
class Setup(Scripts):
    def test_refuses_a_system_whose_libraries_are_too_old(self):
        done = self.run_script("setup", "program", OFFERED="1.0.2-1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("too old to build with (libsimdjson-dev 1.0.2-1): take the wheel", done.stderr)
        self.assertIn("docs/platforms.md", done.stderr)
        self.assertEqual(self.calls(), ["update -qq"])

    def test_installs_where_they_are_new_enough(self):
        for offered in ["3.0.1-1", "(none)"]:  # (none): apt-get says which package is missing
            done = self.run_script("setup", "program", OFFERED=offered)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("install -y", self.calls()[-1])
            self.assertIn("libsimdjson-dev", self.calls()[-1])

    def test_leaves_out_what_only_some_tests_need(self):
        done = self.run_script("setup", "tests", LACKS="python3-torch chromium")
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = self.calls()[-1].split()
        self.assertIn("python3-numpy", installed)
        self.assertIn("chromium-driver", installed)
        self.assertIn("clang-format-14", installed)
        self.assertTrue({"python3-torch", "chromium"}.isdisjoint(installed), installed)

    def test_keeps_what_is_needed(self):
        self.run_script("setup", "program", LACKS="libfmt-dev librecast-dev")
        installed = self.calls()[-1].split()
        self.assertIn("libfmt-dev", installed)  # for apt-get to name
        self.assertNotIn("librecast-dev", installed)

    def jammy(self):
        """Runs setup as on Ubuntu 22.04, with a stand-in of the package index's tools."""
        release = self.folder / "os-release"
        release.write_text("ID=ubuntu\nVERSION_CODENAME=jammy\n")
        python = self.folder / "bin/python3"
        python.write_text('#!/bin/sh\nmkdir -p "$3/bin"\n'
                          'printf "#!/bin/sh\\n" >"$3/bin/pip" && chmod +x "$3/bin/pip"\n')
        python.chmod(0o755)
        return self.run_script("setup", "program", OS_RELEASE=str(release), OFFERED="1.0.2-1")

    def test_asks_for_gathered_libraries_on_ubuntu_22_04(self):
        done = self.jammy()
        self.assertEqual(done.returncode, 1)
        self.assertIn("put a folder deps here, which scripts/gather-deps makes", done.stderr)
        self.assertFalse((self.folder / "calls").exists())  # nothing was installed

    def test_takes_gathered_libraries_on_ubuntu_22_04(self):
        (self.folder / "deps").mkdir()
        (self.folder / "deps/deps.cmake").touch()
        done = self.jammy()
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = self.calls()[-1].split()
        self.assertIn("g++-12", installed)
        self.assertNotIn("libfmt-dev", installed)
        tools = self.folder / "build/tools/bin"
        self.assertEqual(os.readlink(tools / "g++"), "/usr/bin/g++-12")
        self.assertEqual(os.readlink(tools / "cmake"), "../venv/bin/cmake")


if __name__ == "__main__":
    unittest.main()
