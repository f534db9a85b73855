"""The command `gristmill`, or `python -m gristmill`: from its first moment to its last, Ctrl-C ends it with one message and code 130."""

import _thread
import signal
import sys
import time

INTERRUPTED = 130


class Interrupt(KeyboardInterrupt):
    """Ctrl-C.

    A class of our own, as Python remembers a plain KeyboardInterrupt that comes out of `exec` with a string, which is
    how data classes are made. However well it is handled then, `python -m` kills itself with SIGINT at its end instead
    of giving the exit code.
    """


def main() -> None:
    """Run a command. Importing what it needs takes a while, in which it can be interrupted as well."""
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
        sys.exit(INTERRUPTED)


def _hear_interrupts() -> None:
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # background jobs of a script ignore it, and go on doing so
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _interrupt_again


def _interrupt(*_: object) -> None:
    raise Interrupt


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """What is raised in a finalizer or a callback of the garbage collector is dropped there; an interrupt has to come again, later."""
    if issubclass(lost.exc_type, Interrupt):
        _thread.start_new_thread(_interrupt_soon, (_thread.get_ident(),))
    else:
        sys.__unraisablehook__(lost)


def _interrupt_soon(thread: int) -> None:
    time.sleep(0.01)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(thread, signal.SIGINT)  # which ends its waiting, too


def _ignore_interrupts() -> None:
    """The work is over, and its exit code is known. Python would die of SIGINT while it puts its things away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
