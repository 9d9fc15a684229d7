"""Compiled code on the disk: a cache is only a cache, so whatever is wrong with it costs time and nothing else.

Numba reads what it finds, and ends the run if that is damaged or if nothing more can be written. Here a file that is
damaged counts as missing, and one that cannot be written is done without. What is read is executed: each file has a
digest of its content, since machine code with a hole in it ends the process, and a folder that others can write to is
not used at all.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import stat
from pathlib import Path
from typing import Any

from ..mechanism.telling import tell

MARK = b"jourdain"  # begins a file that has a digest
DIGEST = 32  # bytes
_said: set[str] = set()


def say_once(words: str) -> None:
    """A line to the user, if it was not said before."""
    if words not in _said:
        _said.add(words)
        tell(words)


def keep(file: Path) -> None:
    """Note in the cache that something is there, by a file of that name."""
    try:
        file.touch()
    except OSError as error:
        _not_kept(file.parent, error)


def _not_kept(folder: Path, error: OSError) -> None:
    say_once(f"compiled code cannot be kept in {folder} ({error.strerror or error}); the next run compiles again")


@functools.cache
def kept_files() -> Any:
    """What Numba is to keep its code with: a class of files in which nothing that is damaged does harm."""
    from numba.core.caching import IndexDataCacheFile

    class KeptFiles(IndexDataCacheFile):
        def _load_index(self) -> dict[Any, str]:
            try:
                return dict(super()._load_index())
            except Exception:  # noqa: BLE001  (of unpickling any bytes: there is no end to the list)
                return self._damaged({})

        def _load_data(self, name: str) -> Any:
            try:
                content = Path(self._data_path(name)).read_bytes()
                return pickle.loads(_whole(content))
            except FileNotFoundError:
                raise  # which Numba answers by compiling
            except Exception:  # noqa: BLE001  (likewise)
                return self._damaged(None)

        def _damaged(self, instead: Any) -> Any:
            say_once(f"damaged files in {Path(self._cache_path).parent} are compiled again")
            return instead

        def _save_data(self, name: str, data: Any) -> None:
            content = self._dump(data)
            with self._open_for_write(self._data_path(name)) as file:
                file.write(MARK + hashlib.sha256(content).digest() + content)

        def save(self, key: Any, data: Any) -> None:
            try:
                super().save(key, data)
            except OSError as error:
                _not_kept(Path(self._cache_path).parent, error)

    return KeptFiles


def _whole(content: bytes) -> bytes:
    """What a file holds behind its digest; a file of Numba's own has none."""
    if not content.startswith(MARK):
        return content
    digest, content = content[len(MARK) : len(MARK) + DIGEST], content[len(MARK) + DIGEST :]
    if hashlib.sha256(content).digest() != digest:
        raise ValueError("another digest")
    return content


def is_private(folder: Path) -> bool:
    """Whether only this user, or root, can put files into a folder or exchange it."""
    if not hasattr(os, "getuid"):  # Windows has no such rights, and a cache in the user's own folder
        return True
    found = folder.stat()
    if found.st_uid not in (os.getuid(), 0):
        return False
    if found.st_mode & stat.S_ISVTX:  # in such a folder nobody can exchange what is another's
        return True
    return not found.st_mode & stat.S_IWOTH and not (found.st_mode & stat.S_IWGRP and _is_shared(found.st_gid))


def _is_shared(group: int) -> bool:
    """Whether a group has others in it: many systems give each user a group of his own, and write rights to it."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:  # without a name nobody can say who is in it
        return True
    return group != user.pw_gid or found.gr_name != user.pw_name or bool(set(found.gr_mem) - {user.pw_name})
