# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Files that are written whole or not at all: one beside takes the place of the file at the end."""

import contextlib
import os
import pathlib
import secrets
from collections.abc import Iterator
from typing import IO, Any


@contextlib.contextmanager
def replacing(
    path: str | os.PathLike[str], *, text: bool = False, newline: str | None = None
) -> Iterator[IO[Any]]:
    """A file to write to; it becomes `path` where the block ends without an exception.

    A device or a pipe is written to as it is. A link stays, and what it leads to is replaced.
    """
    path = pathlib.Path(path)
    mode, encoding = ("w", "utf-8") if text else ("wb", None)
    if path.exists() and not path.is_file():
        with open(path, mode, encoding=encoding, newline=newline) as file:
            yield file
        return
    target = path.resolve()
    handle, name = _beside(target)
    try:
        with open(handle, mode, encoding=encoding, newline=newline) as file:
            yield file
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _beside(target: pathlib.Path) -> tuple[int, str]:
    """A new file in the same folder, with the mode of the file that is there, or that a new one
    has. Its name is short, so that it may stand beside a file with a long one."""
    while True:
        name = str(target.parent / f".muster-{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            continue
        try:
            if target.exists():
                os.fchmod(handle, target.stat().st_mode & 0o7777)
        except BaseException:
            os.close(handle)
            os.unlink(name)
            raise
        return handle, name


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    with replacing(path, text=True) as file:
        file.write(text)
