"""Confinement of a process by itself: namespaces, then resource limits (Linux; standard library only)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path
from typing import Any

# <linux/sched.h>, <sys/mount.h>, <linux/mount.h>, <sys/prctl.h>, <linux/capability.h>
_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NETWORK = 0x20000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_BIND, _RECURSIVE, _PRIVATE, _NO_SUID, _NO_DEVICES, _NO_EXEC = 0x1000, 0x4000, 1 << 18, 2, 4, 8
_MOUNT_SETATTR, _AT_RECURSIVE, _AT_CWD, _READ_ONLY = 442, 0x8000, -100, 1
_SET_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES = 1, 38
_CAPABILITY_VERSION = 0x20080522
# The kernel's least value of `pid_max`: 300 reserved numbers and one more.
_LEAST_PROCESSES = 301
# Tells the child, in its environment, how much memory it may use.
MEMORY_VARIABLE = "DEBRIEFER_MEMORY_BYTES"


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


def confine(workdir: Path, protected: list[Path], limits: dict[str, int]) -> tuple[str, ...]:
    """Cut this process off from the machine, as far as its kernel allows, and cap what it may use.

    Must run while the process has one thread. Where process namespaces exist, the caller goes on in a
    grandchild, and everything that the grandchild starts dies with it; the other two processes only pass on
    how it ended.

    Args:
        workdir: The one folder that stays writable, absolute.
        protected: Files below `workdir` that become read-only.
        limits: `memory_bytes`, `cpu_seconds`, `file_bytes`, `open_files` and `processes`.

    Returns:
        What is in force, of `network`, `processes` and `files`; empty where namespaces are not allowed.
    """
    in_force: list[str] = []
    libc = ctypes.CDLL(None, use_errno=True)
    own_user = _leave_namespaces(libc, workdir)
    # After the user namespace was entered, because a change of user forgets it.
    libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if own_user is not None:
        in_force.append("network")
        _fork_below_init(libc)
        in_force.append("processes")
        if _mount(libc, workdir, protected, limits["processes"]):
            in_force.append("files")
        if own_user:
            _drop_capabilities(libc)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
    libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _limit(limits)
    return tuple(in_force)


def _leave_namespaces(libc: Any, workdir: Path) -> bool | None:  # noqa: ANN401
    """Return whether a user namespace was entered too, or `None` where the kernel refuses namespaces.

    A user namespace takes root's power over other people's files, so root enters one only where the folder is
    its own. It also keeps the child from reading the environment of its parent in `/proc`.
    """
    user, group = os.geteuid(), os.getegid()
    apart = _NEW_NETWORK | _NEW_PIDS | _NEW_MOUNTS | _NEW_IPC
    if (user != 0 or workdir.stat().st_uid == 0) and libc.unshare(apart | _NEW_USER) == 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with contextlib.suppress(OSError):
                Path("/proc/self", name).write_text(text, encoding="ascii")
        return True
    return False if libc.unshare(apart) == 0 else None


def _fork_below_init(libc: Any) -> None:  # noqa: ANN401
    """Go on as the child of a process 1 of its own; the two processes above wait and end as it ended.

    Process 1 itself is no place for the script: the kernel ignores every signal that it does not handle.
    """
    for _ in range(2):
        child = os.fork()
        if child:
            # Told to stop, the outer process sees process 1 die and reaps it; else it would be left, dead, to the
            # machine's first process, which in a container is often the caller and reaps nothing.
            signal.signal(signal.SIGTERM, lambda *_, child=child: os.kill(child, signal.SIGKILL))
            _, status = os.waitpid(child, 0)
            # A signal is passed on in the shell's manner: process 1 cannot die of one of its own.
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _mount(libc: Any, workdir: Path, protected: list[Path], processes: int) -> bool:  # noqa: ANN401
    """Make all files read-only but those in `workdir`; return whether that holds."""
    # Without this the machine itself could see the mounts below.
    if libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) != 0:
        return False
    # A `/proc` of this namespace shows no process outside it. From Linux 6.14 on its `pid_max` caps the
    # number of processes and threads, for root as well.
    if libc.mount(b"proc", b"/proc", b"proc", _NO_SUID | _NO_DEVICES | _NO_EXEC, None) == 0:
        with contextlib.suppress(OSError):
            Path("/proc/sys/kernel/pid_max").write_text(str(max(processes, _LEAST_PROCESSES)), encoding="ascii")
    writable = os.fsencode(workdir)
    if libc.mount(writable, writable, None, _BIND, None) != 0:
        return False
    shut = [os.fsencode(path) for path in protected if path.is_file()]
    shut = [path for path in shut if libc.mount(path, path, None, _BIND, None) == 0]
    closed = _set_read_only(libc, b"/", _AT_RECURSIVE, read_only=True)
    opened = _set_read_only(libc, writable, 0, read_only=False)
    # The current folder was entered on the mount that lies underneath.
    os.chdir(Path.cwd())
    return closed and opened


def _set_read_only(libc: Any, path: bytes, flags: int, *, read_only: bool) -> bool:  # noqa: ANN401
    attributes = _MountAttributes(set=_READ_ONLY) if read_only else _MountAttributes(clear=_READ_ONLY)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    return bool(libc.syscall(_MOUNT_SETATTR, _AT_CWD, path, flags, ctypes.byref(attributes), size) == 0)


def _drop_capabilities(libc: Any) -> None:  # noqa: ANN401
    """Give up the power over the user namespace's own mounts, or the script could make them writable again."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def _limit(limits: dict[str, int]) -> None:
    """Set the resource limits; a limit above the hard limit that is in force already is left as it is.

    Memory is `RLIMIT_DATA`: it counts what can be written and is not shared. `RLIMIT_AS` would also count the
    address space that DuckDB, Polars and every thread's arena reserve and never touch (1.2 GB for `sum` over a range).
    """
    for kind, value in (
        (resource.RLIMIT_DATA, limits["memory_bytes"]),
        (resource.RLIMIT_CPU, limits["cpu_seconds"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # The hard limit on processor time kills; one second before it the soft one says what it was.
        last = allowed + 1 if kind == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else allowed
        resource.setrlimit(kind, (allowed, last))
