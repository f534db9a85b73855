"""The log of a command: options that every command has, and the handlers that they lead to.

They may stand before or after the name of the command.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from gristmill.cli.casting import cast_quickly
from gristmill.cli.console import note
from gristmill.errors import UsageError

_LOGGER = logging.getLogger("gristmill")
_LEASES = logging.getLogger("gristmill.leases")
"""What it warns of is shown always: that a lock is taken over, or was lost."""
_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FORMATS = ("text", "json")


@dataclass
class _Log:
    """Values of the log options, and the handlers that they lead to."""

    verbose: bool = False
    debug: bool = False
    file: str = ""
    format: str = "text"
    handlers: list[logging.Handler] = field(default_factory=list)

    def begin(self) -> None:
        """Show what users have to know even if they did not ask for a log."""
        _LEASES.addHandler(_shown_always)

    def clear(self) -> None:
        """Remove the handlers, and forget all options."""
        self._remove_handlers()
        _LEASES.removeHandler(_shown_always)
        self.verbose, self.debug, self.file, self.format = False, False, "", "text"
        _LOGGER.setLevel(logging.NOTSET)

    def apply(self) -> None:
        """Make handlers for the options that are known by now."""
        self._remove_handlers()
        form = _Json() if self.format == "json" else logging.Formatter(_TEXT)
        if self.verbose or self.debug:
            self.handlers.append(_Shown(logging.DEBUG if self.debug else logging.INFO))
        if self.file:
            self.handlers.append(_opened(self.file))
        for handler in self.handlers:
            handler.setFormatter(form)
            _LOGGER.addHandler(handler)
        _LOGGER.setLevel(logging.DEBUG if self.file or self.debug else logging.INFO)

    def _remove_handlers(self) -> None:
        for handler in self.handlers:
            _LOGGER.removeHandler(handler)
            handler.close()
        self.handlers = []


_log = _Log()


class _Shown(logging.Handler):
    """A handler that writes to standard error, above progress bars if there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        note(self.format(record))


class _ShownAlways(logging.Handler):
    """A handler that writes warnings to standard error, where they are not shown as part of the log."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (_log.verbose or _log.debug):
            note(record.getMessage())


_shown_always = _ShownAlways(logging.WARNING)


class _Json(logging.Formatter):
    """A formatter that makes one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        trace = self.formatException(record.exc_info) if record.exc_info else record.exc_text
        return json.dumps(found | ({"traceback": trace} if trace else {}), ensure_ascii=False)


def _opened(file: str) -> logging.Handler:
    try:
        return logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"can't write the log {file}: {error.strerror or error}") from error


def _set_verbose(value: bool | None) -> None:
    if value:
        _log.verbose = True
        _log.apply()


def _set_debug(value: bool | None) -> None:
    if value:
        _log.debug = True
        _log.apply()


def _set_file(value: str | None) -> None:
    if value:
        _log.file = value
        _log.apply()


def _set_format(value: str | None) -> None:
    if value is None:
        return
    if value not in _FORMATS:
        raise UsageError(f"--log-format must be one of {', '.join(_FORMATS)}, not {value!r}")
    _log.format = value
    _log.apply()


def _options(
    *,
    verbose: Annotated[
        bool | None, typer.Option("--verbose", "-v", help="Show what is done, stage by stage.", callback=_set_verbose)
    ] = None,
    log: Annotated[
        str | None,
        typer.Option("--log", metavar="FILE", help="Append to a log of stages, tasks and errors.", callback=_set_file),
    ] = None,
    log_format: Annotated[
        str | None, typer.Option("--log-format", metavar="text|json", help="Form of the log.", callback=_set_format)
    ] = None,
    debug: Annotated[
        bool | None, typer.Option("--debug", help="Show each task, and where an error came from.", callback=_set_debug)
    ] = None,
) -> None:
    del verbose, log, log_format, debug


def log_options(*, hidden: bool) -> list[Any]:
    """Make the options, for a command to take; `hidden` keeps them out of its help."""
    template = typer.Typer(add_completion=False, rich_markup_mode=None)
    template.command()(_options)
    made = typer.main.get_command(template)
    cast_quickly(made)
    options: list[Any] = made.params
    for option in options:
        option.expose_value = False
        option.is_eager = True
        option.hidden = hidden
    return options


def add_log_options(command: Any) -> None:
    """Add the options to a command, and to all commands of a group, hidden from their help."""
    command.params += log_options(hidden=True)
    for inner in getattr(command, "commands", {}).values():
        add_log_options(inner)


def begin_log() -> None:
    """Show warnings that nobody should miss: called when a command begins."""
    _log.begin()


def clear_log() -> None:
    """Log nothing anywhere: called when a command ends."""
    _log.clear()


def log_end(error: BaseException) -> None:
    """Log the error that ends the command to the file; with `--debug`, show where it came from."""
    record = _LOGGER.makeRecord(
        _LOGGER.name, logging.ERROR, __file__, 0, "%s", (error,), (type(error), error, error.__traceback__)
    )
    for handler in _log.handlers:
        if isinstance(handler, logging.FileHandler):
            handler.handle(record)
    if _log.debug:
        traceback.print_exception(error, file=sys.stderr)
