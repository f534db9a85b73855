"""The command `gristmill`, or `python -m gristmill`.

From its first moment to its last, Ctrl-C ends it with one message and the exit code 130. The commands are in `cli/`.
"""

import _thread
import signal
import sys
import time

INTERRUPTED_EXIT_CODE = 130
_RETRY_SECONDS = 0.01


class Interrupt(KeyboardInterrupt):
    """The exception that Ctrl-C raises.

    It is a class of its own, as Python remembers a plain KeyboardInterrupt that comes out of `exec` with a string, by
    which data classes are made. However well it is handled then, `python -m` kills itself with SIGINT at its end
    instead of giving the exit code.
    """


def main() -> None:
    """Run a command; it can be interrupted also while it imports what it needs."""
    try:
        try:
            _hear_interrupts()
            from gristmill.cli import main as run_command

            run_command()
        finally:
            _ignore_interrupts()
    except KeyboardInterrupt:
        _ignore_interrupts()
        print("gristmill: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED_EXIT_CODE)


def _hear_interrupts() -> None:
    # Background jobs of a script ignore the signal, and go on doing so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _interrupt_again


def _interrupt(*_: object) -> None:
    raise Interrupt


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Raise an interrupt again that came in a finalizer or a callback of the garbage collector, where it is dropped."""
    if issubclass(lost.exc_type, Interrupt):
        _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
    else:
        sys.__unraisablehook__(lost)


def _interrupt_soon(thread: int) -> None:
    time.sleep(_RETRY_SECONDS)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(thread, signal.SIGINT)  # this also ends a system call that it waits in


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C from now on: the exit code is known, and Python would die of SIGINT during its shutdown."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
