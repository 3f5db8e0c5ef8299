# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The install, used as strangers use it: in a prefix of its own, by CMake, by a plain compiler with pkg-config, from a
Debian package, and with the sources as a part of another project. MUSTER_BUILD names a finished build tree.

All consumers print the same line: the version and the digest of one plan. What has the sources as a part compiles all of
the library once more, and is built only where MUSTER_BUILD_PARTS is set (./test --full). So does what links another Abseil
than the build, which is tested where MUSTER_ABSEIL names the prefix of one.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests/install/consumer"
BUILD = os.environ.get("MUSTER_BUILD", "")
ABSEIL = os.environ.get("MUSTER_ABSEIL", "")
# Nothing of the build or the source tree may be needed: what is in the environment about either is left out.
CLEAN = {key: value for key, value in os.environ.items()
         if key in ("PATH", "HOME", "TMPDIR", "LANG", "CCACHE_DIR", "CMAKE_CXX_COMPILER_LAUNCHER")}


def run(*command, **changes):
    environment = dict(CLEAN, **changes)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@unittest.skipUnless(BUILD and not os.environ.get("MUSTER_SANITIZED"), "not run by ctest, or under sanitizers")
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
        self.assertEqual(version, "0.1.0")
        self.assertEqual(len(digest), 32)
        if Install.expected is None:
            Install.expected = line
        self.assertEqual(line, Install.expected)

    def pkg_config(self, *arguments, libdirs=None):
        path = ":".join(str(libdir / "pkgconfig") for libdir in libdirs or [self.libdir])
        return run("pkg-config", *arguments, PKG_CONFIG_PATH=path).split()

    def test_what_is_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        library = str(self.libdir.relative_to(self.prefix))
        for name in ("bin/muster", "include/muster/c.h", "include/muster/muster.h", f"{library}/libmuster.a",
                     f"{library}/libmuster_c.a", f"{library}/libmuster_import.a", f"{library}/libmuster_c.so", f"{library}/libmuster_c.so.0",
                     f"{library}/pkgconfig/muster-c.pc", f"{library}/pkgconfig/muster.pc",
                     f"{library}/pkgconfig/muster-runtime.pc",
                     f"{library}/cmake/muster/musterConfig.cmake", "share/man/man1/muster.1"):
            self.assertIn(name, files)
        for name in files:
            self.assertFalse(name.startswith(("include/lib", "include/absl", "include/capi")), name)
            if name.endswith((".cmake", ".pc")):
                text = (self.prefix / name).read_text(encoding="utf-8")
                self.assertNotIn(str(ROOT), text, name)

    def test_cmake_project(self):
        build = self.work / "by-cmake"
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        for program in ("use_c", "use_c_static", "use_cpp"):
            self.same(run(build / program))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_plain_compilers(self):
        out = self.work / "plain"
        run("cc", "-std=c90", "-Wall", "-Wextra", "-pedantic", "-Werror", self.source / "use_c.c", "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster-c"))
        self.same(run(out, LD_LIBRARY_PATH=str(self.libdir)))
        # Without libmuster_c.so: what its archive needs is what --static says.
        static = [str(self.libdir / "libmuster_c.a") if word == "-lmuster_c" else word
                  for word in self.pkg_config("--static", "--cflags", "--libs", "muster-c")]
        run("cc", self.source / "use_c.c", "-o", out, *static)
        self.same(run(out))
        run("c++", "-std=c++20", self.source / "use_cpp.cc", "-o", out,
            *self.pkg_config("--cflags", "--libs", "muster"))
        self.same(run(out))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_programs_without_shared_objects(self):
        """As the page says it, word for word: the order of the archives is pkg-config's business."""
        if not pathlib.Path(run("cc", "-print-file-name=libc.a").strip()).is_absolute():
            self.skipTest("there is no static C library")
        for compiler, source, module in (("cc", "use_c.c", "muster-c"), ("c++ -std=c++20", "use_cpp.cc", "muster")):
            out = self.work / f"static-{module}"
            run(*compiler.split(), "-static", self.source / source, "-o", out,
                *self.pkg_config("--static", "--cflags", "--libs", module))
            self.same(run(out))

    @unittest.skipUnless(shutil.which("cpack") and shutil.which("dpkg-shlibdeps"), "cpack or dpkg-dev is not installed")
    def test_debian_package(self):
        """Of what was installed; `cpack -G DEB` in the build tree would first build what is missing there."""
        out = self.work / "deb"
        run("cpack", "-G", "DEB", "--config", pathlib.Path(BUILD) / "CPackConfig.cmake", "-B", out,
            "-D", "CPACK_INSTALL_CMAKE_PROJECTS=", "-D", f"CPACK_INSTALLED_DIRECTORIES={self.prefix};/usr")
        (package,) = out.glob("muster_0.1.0_*.deb")
        depends = run("dpkg-deb", "-f", package, "Depends")
        for name in ("libabsl-dev", "libstdc++-dev", "zlib1g-dev", "libc6 (", "libstdc++6 ("):
            self.assertIn(name, depends)
        self.assertEqual(run("dpkg-deb", "-I", package, "shlibs"), "libmuster_c 0 muster (>= 0.1.0)\n")
        self.assertIn("ldconfig", run("dpkg-deb", "-I", package, "postinst"))
        root = self.work / "root"
        run("dpkg", "-x", package, root)
        self.assertEqual([path.name for path in root.iterdir()], ["usr"])
        libdir = next(root.rglob("libmuster_c.so")).parent
        self.assertIn("usage: muster", run(root / "usr/bin/muster", "--help"))
        build = self.work / "by-deb"
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={root}/usr")
        self.assertIn(f"{root}/usr", (build / "CMakeCache.txt").read_text(encoding="utf-8"))
        run("cmake", "--build", build)
        for program in ("use_c", "use_c_static", "use_cpp"):
            self.same(run(build / program))
        if shutil.which("pkg-config"):
            program = self.work / "by-deb-plain"
            run("cc", self.source / "use_c.c", "-o", program,
                *self.pkg_config("--cflags", "--libs", "muster-c", libdirs=[libdir]))
            self.same(run(program, LD_LIBRARY_PATH=str(libdir)))

    @unittest.skipUnless(ABSEIL, "MUSTER_ABSEIL names no prefix of another Abseil")
    def test_another_abseil(self):
        """Built with it, installed, found by CMake and by pkg-config; and decides the same."""
        build, prefix = self.work / "another", self.work / "another-prefix"
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
            f"-DCMAKE_PREFIX_PATH={ABSEIL}", "-DMUSTER_BUILD_TESTING=OFF", "-DMUSTER_BUILD_BENCHMARKS=OFF",
            "-DMUSTER_BUILD_EXAMPLES=OFF")
        self.assertRegex((build / "CMakeCache.txt").read_text(encoding="utf-8"), rf"(?m)^absl_DIR:PATH={ABSEIL}/")
        run("cmake", "--build", build)
        run("cmake", "--install", build, "--prefix", prefix)
        scenario = self.work / "generated.json"
        run(self.prefix / "bin/muster", "generate", "--nodes", "20", "--load", "2", "-o", scenario)
        for profile in ("volcano:+preempt,+reclaim", "muster", "kube-batch"):
            plans = [run(where / "bin/muster", "run", scenario, "--profile", profile, "--json")
                     for where in (self.prefix, prefix)]
            self.assertEqual(plans[0], plans[1], profile)
        consumer = self.work / "by-another"
        run("cmake", "-S", self.source, "-B", consumer, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix};{ABSEIL}")
        run("cmake", "--build", consumer)
        for program in ("use_c", "use_c_static", "use_cpp"):
            self.same(run(consumer / program))
        if shutil.which("pkg-config"):
            libdirs = [next(pathlib.Path(place).rglob("pkgconfig")).parent for place in (prefix, ABSEIL)]
            out = self.work / "by-another-plain"
            for compiler, source, module in (("cc", "use_c.c", "muster-c"), ("c++ -std=c++20", "use_cpp.cc", "muster")):
                run(*compiler.split(), self.source / source, "-o", out,
                    *self.pkg_config("--cflags", "--libs", module, libdirs=libdirs))
                self.same(run(out, LD_LIBRARY_PATH=":".join(str(libdir) for libdir in libdirs)))

    def part(self, how, *arguments):
        """A project that has the sources as a part of it."""
        build = self.work / how
        # Without optimisation: it is about finding things, and compiles in half the time.
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=", *arguments)
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("\nuse_c: ", targets)
        self.assertIn("libmuster_c.so", targets)
        for ours in ("muster_bench", "muster_base_test", "muster_cli", "muster_event_loop"):
            self.assertNotIn(ours, targets)
        if os.environ.get("MUSTER_BUILD_PARTS"):
            run("cmake", "--build", build)
            for program in ("use_c", "use_c_static", "use_cpp"):
                self.same(run(build / program))

    def test_add_subdirectory(self):
        self.part("as-part", f"-DMUSTER_SOURCE={ROOT}")

    def test_fetch_content(self):
        self.part("fetched", f"-DMUSTER_FETCHED={ROOT}")


if __name__ == "__main__":
    unittest.main()
