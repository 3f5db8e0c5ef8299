# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The install, used as strangers use it: in a prefix of its own, by CMake, by a plain compiler with
pkg-config, from a Debian package, and with the sources as a part of another project. MUSTER_BUILD
names a finished build tree.

All consumers print the same line: the version and the digest of one plan; those of replays the
version and when the second of two jobs starts. What has the sources as a part compiles all of the
library once more, and is built only where MUSTER_BUILD_PARTS is set (./test --full). So does what
links another Abseil than the build, which is tested where MUSTER_ABSEIL names the prefix of one.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests/install/consumer"
BUILD = os.environ.get("MUSTER_BUILD", "")
ABSEIL = os.environ.get("MUSTER_ABSEIL", "")
VERSION = re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"',
                    (ROOT / "include/muster/version.h").read_text(encoding="utf-8"))[1]
SERIES = VERSION.rpartition(".")[0]
REPLAYED = f"{VERSION} 60\n"
# Nothing of the build or the source tree may be needed: what is in the environment about either is
# left out.
CLEAN = {key: value for key, value in os.environ.items()
         if key in ("PATH", "HOME", "TMPDIR", "LANG", "CCACHE_DIR", "CMAKE_CXX_COMPILER_LAUNCHER")}


def run(*command, **changes):
    environment = dict(CLEAN, **changes)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@unittest.skipUnless(BUILD and not os.environ.get("MUSTER_SANITIZED"),
                     "not run by ctest, or under sanitizers")
class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        # Installed in one place, used in another that shares no path with the build.
        cls.prefix = cls.work / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libdir = next(cls.prefix.rglob("libmuster_c.so")).parent
        cls.source = cls.work / "source"
        shutil.copytree(CONSUMER, cls.source)
        cls.expected = None

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, line):
        version, digest = line.split()
        self.assertEqual(version, VERSION)
        self.assertEqual(len(digest), 32)
        if Install.expected is None:
            Install.expected = line
        self.assertEqual(line, Install.expected)

    def all_same(self, build):
        """The programs of the consumer's project."""
        for program in ("use_c", "use_c_static", "use_cpp"):
            self.same(run(build / program))
        for program in ("replay_c", "replay_c_static", "replay_cpp"):
            self.assertEqual(run(build / program), REPLAYED)

    def pkg_config(self, *arguments, libdirs=None):
        path = ":".join(str(libdir / "pkgconfig") for libdir in libdirs or [self.libdir])
        return run("pkg-config", *arguments, PKG_CONFIG_PATH=path).split()

    def test_what_is_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                 if not path.is_dir()}
        library = str(self.libdir.relative_to(self.prefix))
        for name in ("bin/muster", "include/muster/c.h", "include/muster/muster.h",
                     f"{library}/libmuster.a",
                     f"{library}/libmuster_c.a", f"{library}/libmuster_import.a",
                     f"{library}/libmuster_c.so", f"{library}/libmuster_c.so.1",
                     f"{library}/pkgconfig/muster-c.pc", f"{library}/pkgconfig/muster.pc",
                     f"{library}/pkgconfig/muster-runtime.pc", "include/muster/experimental.h",
                     "include/muster/c_experimental.h", f"{library}/libmuster_replay.a",
                     f"{library}/libmuster_replay_c.a",
                     f"{library}/libmuster_replay_c.so",
                     f"{library}/libmuster_replay_c.so.{SERIES}",
                     f"{library}/pkgconfig/muster-replay.pc",
                     f"{library}/pkgconfig/muster-replay-c.pc",
                     f"{library}/cmake/muster/musterConfig.cmake", "share/man/man1/muster.1",
                     "share/doc/muster/LICENSE", "share/doc/muster/muster.cdx.json"):
            self.assertIn(name, files)
        for name in files:
            self.assertFalse(name.startswith(("include/lib", "include/absl", "include/capi")), name)
            if name.endswith((".cmake", ".pc")):
                text = (self.prefix / name).read_text(encoding="utf-8")
                self.assertNotIn(str(ROOT), text, name)

    def test_cmake_project(self):
        build = self.work / "by-cmake"
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        self.all_same(build)

    def test_the_scheduler_alone_needs_no_zlib(self):
        """Where there is none, and where replays were not requested."""
        without = ("-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   "-G", "Ninja")
        build = self.work / "without-replay"
        run("cmake", "-S", self.source, "-B", build, "-DWITHOUT_REPLAY=ON", *without)
        run("cmake", "--build", build)
        for program in ("use_c", "use_c_static", "use_cpp"):
            self.same(run(build / program))
            self.assertNotIn("libz.so", run("ldd", build / program))
        self.assertFalse((build / "replay_cpp").exists())
        with self.assertRaisesRegex(AssertionError, "ZLIB"):
            run("cmake", "-S", self.source, "-B", self.work / "with-replay", *without)

    def test_an_unknown_component(self):
        project = self.work / "unknown"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES C CXX)\n"
            "find_package(muster REQUIRED COMPONENTS replays)\n", encoding="utf-8")
        with self.assertRaisesRegex(AssertionError,
                                    "component replays is not installed; known is replay"):
            run("cmake", "-S", project, "-B", project / "build",
                f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_policies_and_an_action_from_outside(self):
        """The example's own project, with no sources but its own."""
        source, build = self.work / "extension-source", self.work / "extension"
        shutil.copytree(ROOT / "examples/cpp_extension", source)
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_STANDARD=20")
        run("cmake", "--build", build)
        words = run(build / "cpp_extension")
        for line in ("low-w-0", "pair-w-0", "pair-w-1"):
            self.assertIn(line, words)

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_plain_compilers(self):
        out = self.work / "plain"
        run("cc", "-std=c90", "-Wall", "-Wextra", "-pedantic", "-Werror", self.source / "use_c.c",
            "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster-c"))
        self.same(run(out, LD_LIBRARY_PATH=str(self.libdir)))
        # Without libmuster_c.so: what its archive needs is what --static lists.
        static = [str(self.libdir / "libmuster_c.a") if word == "-lmuster_c" else word
                  for word in self.pkg_config("--static", "--cflags", "--libs", "muster-c")]
        run("cc", self.source / "use_c.c", "-o", out, *static)
        self.same(run(out))
        run("c++", "-std=c++20", self.source / "use_cpp.cc", "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster"))
        self.same(run(out))
        for module in ("muster", "muster-c"):
            self.assertNotIn("-lz", self.pkg_config("--static", "--libs", module))
        run("cc", "-std=c90", "-Wall", "-Wextra", "-pedantic", "-Werror",
            self.source / "replay_c.c", "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster-replay-c"))
        self.assertEqual(run(out, LD_LIBRARY_PATH=str(self.libdir)), REPLAYED)
        run("c++", "-std=c++20", self.source / "replay_cpp.cc", "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster-replay"))
        self.assertEqual(run(out), REPLAYED)

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_programs_without_shared_objects(self):
        """As the page says it, word for word: the order of the archives is pkg-config's
        business."""
        if not pathlib.Path(run("cc", "-print-file-name=libc.a").strip()).is_absolute():
            self.skipTest("there is no static C library")
        for compiler, source, module in (
                ("cc", "use_c.c", "muster-c"), ("c++ -std=c++20", "use_cpp.cc", "muster"),
                ("cc", "replay_c.c", "muster-replay-c"),
                ("c++ -std=c++20", "replay_cpp.cc", "muster-replay")):
            out = self.work / f"static-{module}"
            run(*compiler.split(), "-static", self.source / source, "-o", out,
                *self.pkg_config("--static", "--cflags", "--libs", module))
            if source.startswith("use"):
                self.same(run(out))
            else:
                self.assertEqual(run(out), REPLAYED)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "dpkg-dev is not installed")
    def test_debian_packages(self):
        """As a release makes them, of what is built; `tools/release/debian.py` also tries them in a
        clean root."""
        sys.path.insert(0, str(ROOT / "tools/release"))
        import debian  # pylint: disable=import-outside-toplevel

        out = self.work / "deb"
        out.mkdir()
        debian.make(pathlib.Path(BUILD), out, compression="none")
        replay = f"libmuster-replay-c{SERIES}"
        files = {package: next(out.glob(f"{package}_{VERSION}_*.deb"))
                 for package in ("libmuster-c1", replay, "libmuster-dev", "muster")}
        self.assertEqual(len(list(out.iterdir())), len(files))

        def field(package, name):
            return run("dpkg-deb", "-f", files[package], name)

        for name in ("libc6 (", "libstdc++6 ("):
            for package in ("libmuster-c1", replay, "muster"):
                self.assertIn(name, field(package, "Depends"))
        for name in (f"libmuster-c1 (= {VERSION})", f"{replay} (= {VERSION})", "libabsl-dev",
                     "libstdc++-dev"):
            self.assertIn(name, field("libmuster-dev", "Depends"))
        self.assertNotIn("zlib1g", field("libmuster-c1", "Depends"))
        self.assertIn("zlib1g-dev", field("libmuster-dev", "Recommends"))
        for package, soname in (("libmuster-c1", "libmuster_c 1"),
                                (replay, f"libmuster_replay_c {SERIES}")):
            self.assertEqual(run("dpkg-deb", "-I", files[package], "shlibs"),
                             f"{soname} {package} (>= {VERSION})\n")
            self.assertIn("ldconfig", run("dpkg-deb", "-I", files[package], "triggers"))
        again = self.work / "deb-again"
        again.mkdir()
        debian.make(pathlib.Path(BUILD), again, compression="none")
        for package in files.values():
            self.assertEqual((again / package.name).read_bytes(), package.read_bytes())

        root = self.work / "root"
        for package in files.values():
            run("dpkg", "-x", package, root)
        self.assertEqual([path.name for path in root.iterdir()], ["usr"])
        libdir = next(root.rglob("libmuster_c.so")).parent
        self.assertIn("usage: muster", run(root / "usr/bin/muster", "--help"))
        build = self.work / "by-deb"
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={root}/usr")
        self.assertIn(f"{root}/usr", (build / "CMakeCache.txt").read_text(encoding="utf-8"))
        run("cmake", "--build", build)
        self.all_same(build)
        if shutil.which("pkg-config"):
            program = self.work / "by-deb-plain"
            run("cc", self.source / "use_c.c", "-o", program,
                *self.pkg_config("--cflags", "--libs", "muster-c", libdirs=[libdir]))
            self.same(run(program, LD_LIBRARY_PATH=str(libdir)))

    @unittest.skipUnless(ABSEIL, "MUSTER_ABSEIL names no prefix of another Abseil")
    def test_another_abseil(self):
        """Built with it, installed, found by CMake and by pkg-config; and decides the same."""
        build, prefix = self.work / "another", self.work / "another-prefix"
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
            f"-DCMAKE_PREFIX_PATH={ABSEIL}", "-DMUSTER_BUILD_TESTING=OFF",
            "-DMUSTER_BUILD_BENCHMARKS=OFF",
            "-DMUSTER_BUILD_EXAMPLES=OFF")
        self.assertRegex((build / "CMakeCache.txt").read_text(encoding="utf-8"),
                         rf"(?m)^absl_DIR:PATH={ABSEIL}/")
        run("cmake", "--build", build)
        run("cmake", "--install", build, "--prefix", prefix)
        scenario = self.work / "generated.json"
        run(self.prefix / "bin/muster", "generate", "--nodes", "20", "--load", "2", "-o", scenario)
        for profile in ("volcano:+preempt,+reclaim", "muster", "kube-batch"):
            plans = [run(where / "bin/muster", "run", scenario, "--profile", profile, "--json")
                     for where in (self.prefix, prefix)]
            self.assertEqual(plans[0], plans[1], profile)
        consumer = self.work / "by-another"
        run("cmake", "-S", self.source, "-B", consumer, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix};{ABSEIL}")
        run("cmake", "--build", consumer)
        self.all_same(consumer)
        if shutil.which("pkg-config"):
            libdirs = [next(pathlib.Path(place).rglob("pkgconfig")).parent
                       for place in (prefix, ABSEIL)]
            out = self.work / "by-another-plain"
            for compiler, source, module in (("cc", "use_c.c", "muster-c"),
                                             ("c++ -std=c++20", "use_cpp.cc", "muster")):
                run(*compiler.split(), self.source / source, "-o", out,
                    *self.pkg_config("--cflags", "--libs", module, libdirs=libdirs))
                self.same(run(out, LD_LIBRARY_PATH=":".join(str(libdir) for libdir in libdirs)))

    def part(self, how, *arguments):
        """A project that has the sources as a part of it."""
        build = self.work / how
        # Without optimization: it is about finding things, and compiles in half the time.
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=",
            *arguments)
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("\nuse_c: ", targets)
        self.assertIn("libmuster_c.so", targets)
        for ours in ("muster_bench", "muster_base_test", "muster_cli", "muster_event_loop"):
            self.assertNotIn(ours, targets)
        if os.environ.get("MUSTER_BUILD_PARTS"):
            run("cmake", "--build", build)
            self.all_same(build)

    def test_add_subdirectory(self):
        self.part("as-part", f"-DMUSTER_SOURCE={ROOT}")

    def test_without_replay(self):
        """The sources of the scheduler alone configure where there are neither Eigen nor zlib."""
        without = ("-DMUSTER_BUILD_REPLAY=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON",
                   "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON")
        build = self.work / "part-without-replay"
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", f"-DMUSTER_SOURCE={ROOT}",
            "-DWITHOUT_REPLAY=ON", *without)
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("libmuster_c.so", targets)
        self.assertNotIn("muster_replay", targets)
        with self.assertRaisesRegex(AssertionError, "MUSTER_BUILD_REPLAY is OFF"):
            run("cmake", "-S", ROOT, "-B", self.work / "tools-without-replay", "-G", "Ninja",
                *without)

    def test_fetch_content(self):
        self.part("fetched", f"-DMUSTER_FETCHED={ROOT}")


if __name__ == "__main__":
    unittest.main()
