# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster.fetch against a server of our own: whole, broken, resumed, wrong and missing files."""

import contextlib
import hashlib
import http.server
import io
import os
import pathlib
import re
import tempfile
import threading
import unittest
from unittest import mock

import engine  # noqa: F401: puts the package into the path
import muster.fetch as fetch

CONTENT = bytes(range(256)) * 1000


class Handler(http.server.BaseHTTPRequestHandler):
    """/whole and /ranged as named; /breaks sends half and hangs up; /shifted answers another range
    than asked for."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Range")))
        begin, status = 0, 200
        told = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if told and self.path in ("/ranged", "/shifted", "/breaks"):
            begin, status = int(told[1]), 206
            if begin >= len(CONTENT):
                self.send_error(416)
                return
        if self.path == "/missing":
            self.send_error(404)
            return
        body = CONTENT[begin:]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 206:
            self.send_header("Content-Range",
                             f"bytes {begin + (self.path == '/shifted')}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path == "/breaks" else body)

    def log_message(self, *_):
        pass


class Fetch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.server.asked = []
        cls.thread = threading.Thread(target=cls.server.serve_forever)
        cls.thread.start()
        cls.url = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.thread.join()
        cls.server.server_close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server.asked.clear()
        self.told = []
        self.target = self.folder / "a/b.csv"
        self.part = self.folder / "a/b.csv.part"

    def fetch(self, page, sha256=hashlib.sha256(CONTENT).hexdigest()):
        source = fetch.Source("", (fetch.File("a/b.csv", f"{self.url}/{page}", sha256),))
        fetch.fetch(source, self.folder, self.told.append)

    def assert_whole(self):
        self.assertEqual(self.target.read_bytes(), CONTENT)
        self.assertFalse(self.part.exists())

    def test_whole_and_not_twice(self):
        self.fetch("whole")
        self.assert_whole()
        self.fetch("whole")
        self.assertEqual(len(self.server.asked), 1)
        self.assertEqual(self.told[-1], "a/b.csv: there already")

    def test_without_a_known_checksum_it_is_told(self):
        self.fetch("whole", None)
        self.assertIn(hashlib.sha256(CONTENT).hexdigest() + " (nothing to compare it with)",
                      self.told[0])

    def test_wrong_checksum_is_removed(self):
        with self.assertRaisesRegex(fetch.FetchError,
                                    "a/b.csv: the sha256 of .*/whole is .* not 0000.*; the file is removed"):
            self.fetch("whole", "0" * 64)
        self.assertEqual(list(self.target.parent.iterdir()), [])

    def test_another_file_that_is_there_stays(self):
        self.target.parent.mkdir()
        self.target.write_bytes(b"mine")
        with self.assertRaisesRegex(fetch.FetchError, "it is there, but its sha256 is"):
            self.fetch("whole")
        self.assertEqual(self.target.read_bytes(), b"mine")
        self.assertEqual(self.server.asked, [])

    def test_broken_is_kept_and_gone_on_with(self):
        with self.assertRaisesRegex(fetch.FetchError, "fetch again to go on"):
            self.fetch("breaks")
        self.assertFalse(self.target.exists())
        half = len(CONTENT) // 2
        self.assertEqual(self.part.read_bytes(), CONTENT[:half])
        self.fetch("ranged")
        self.assert_whole()
        self.assertEqual(self.server.asked[-1], ("/ranged", f"bytes={half}-"))
        self.assertIn(f"going on after {half} bytes", self.told[0])

    def test_servers_without_ranges_or_with_wrong_ones_begin_anew(self):
        for page in ("whole", "shifted"):
            with self.subTest(page):
                self.target.parent.mkdir(exist_ok=True)
                self.part.write_bytes(CONTENT[:99])
                self.fetch(page)
                self.assert_whole()
                self.target.unlink()

    def test_what_is_longer_than_the_file_begins_anew(self):
        self.target.parent.mkdir()
        self.part.write_bytes(CONTENT + b"more")
        self.fetch("ranged")
        self.assert_whole()

    def test_broken_beginning_of_another_file_is_removed(self):
        self.target.parent.mkdir()
        self.part.write_bytes(b"x" * 99)
        with self.assertRaisesRegex(fetch.FetchError, "the file is removed"):
            self.fetch("ranged")
        self.fetch("ranged")
        self.assert_whole()

    def test_missing(self):
        with self.assertRaisesRegex(fetch.FetchError, "/missing: HTTP Error 404"):
            self.fetch("missing")
        self.assertEqual([p for p in self.folder.rglob("*") if p.is_file()], [])

    def test_nobody_answers(self):
        with mock.patch.object(Fetch, "url", "http://127.0.0.1:9"):
            with self.assertRaisesRegex(fetch.FetchError,
                                        "a/b.csv: http://127.0.0.1:9/whole: .*refused"):
                self.fetch("whole")

    def run_main(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = fetch.main(words)
        return code, out.getvalue(), err.getvalue()

    def test_command(self):
        sources = {"tiny": fetch.Source("about", (fetch.File("a/b.csv", f"{self.url}/whole"),
                                                  fetch.File("a/c", text="v\n")))}
        with mock.patch.dict(fetch.SOURCES, sources, clear=True):
            code, out, _ = self.run_main("list", "--to", str(self.folder))
            self.assertEqual((code, out.split()), (0, ["tiny", "-", "about"]))
            code, out, err = self.run_main("fetch", "tiny", "--to", str(self.folder))
            self.assertEqual((code, err), (0, ""))
            self.assertEqual((self.folder / "a/c").read_text(), "v\n")
            self.assert_whole()
            with mock.patch.dict(os.environ, MUSTER_TRACES=str(self.folder)):
                self.assertIn("there", self.run_main("list")[1])
            code, _, err = self.run_main("fetch", "big", "--to", str(self.folder))
            self.assertEqual(code, 2)
            self.assertEqual(err,
                             'muster traces: there is no trace "big" to fetch; there are tiny\n')

    def test_table(self):
        for name, source in fetch.SOURCES.items():
            for file in source.files:
                self.assertFalse(pathlib.PurePath(file.path).is_absolute(), name)
                self.assertNotEqual(bool(file.url), file.text is not None, name)
                if file.sha256 is not None:
                    self.assertRegex(file.sha256, "^[0-9a-f]{64}$")

    def test_recorded_traces_are_the_originals(self):
        """Where shared traces lie: their contents have the table's checksums."""
        import gzip

        root = pathlib.Path(os.environ.get("MUSTER_TRACES") or engine.ROOT.parent / "shared/traces")
        compared = 0
        for name in ("openb", "philly"):
            for file in fetch.SOURCES[name].files:
                plain, packed = root / file.path, root / (file.path + ".gz")
                if not plain.exists() and not packed.exists():
                    continue
                data = plain.read_bytes() if plain.exists() else gzip.decompress(
                    packed.read_bytes())
                if file.text is not None:
                    self.assertEqual(sorted(data.decode().split()), sorted(file.text.split()))
                else:
                    self.assertEqual(hashlib.sha256(data).hexdigest(), file.sha256, file.path)
                compared += 1
        if not compared:
            self.skipTest(f"no recorded traces in {root}")


if __name__ == "__main__":
    unittest.main()
