"""Run one command, and end it when whoever started us is gone.

Our standard input is a pipe whose other end only the starter holds: when the starter dies, even
by kill -9, the pipe closes, and the command is stopped.  So no server is ever left behind.
Portable, and started with nothing but the standard library:

    python -I guardian.py GRACE_S COMMAND [ARGUMENT ...]

SIGTERM and SIGINT are passed on; the exit code is the command's, or 128 + its signal.  On Linux the
command ends with us even where we ourselves are killed: two servers on one set of files, an old
one and the one that is started in its place, would ruin them.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading

_PR_SET_PDEATHSIG = 1  # of prctl(2)


def main(argv: list[str]) -> int:
    """Run `argv[1:]`; `argv[0]` is the grace in seconds between SIGTERM and SIGKILL."""
    grace_s, command = float(argv[0]), argv[1:]
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_end_with_parent
    )

    def stop(_signal: int = 0, _frame: object = None) -> None:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the starter, which stops us

    def watch() -> None:
        os.read(0, 1)  # returns when the starter closes the pipe, or is gone
        stop()
        try:
            child.wait(grace_s)
        except subprocess.TimeoutExpired:
            child.kill()

    threading.Thread(target=watch, daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _end_with_parent() -> None:
    """In the command's process, before it begins: ask for SIGKILL when the parent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
