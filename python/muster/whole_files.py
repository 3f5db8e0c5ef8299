# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Files that are written whole or not at all: one beside takes the place of the file at the end."""

import contextlib
import os
import pathlib
import tempfile
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
    # The mode of the file that is there, or that a new one would have.
    mask = os.umask(0)
    os.umask(mask)
    rights = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~mask
    handle, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".part", dir=target.parent)
    try:
        with open(handle, mode, encoding=encoding, newline=newline) as file:
            yield file
        os.chmod(name, rights)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    with replacing(path, text=True) as file:
        file.write(text)
