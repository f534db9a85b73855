"""Commands with many options, which their help shows in groups; some have commands below them."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand

from gristmill.cli.casting import cast_quickly
from gristmill.cli.logs import add_log_options
from gristmill.settings import MORE


class GroupedCommand(TyperCommand):
    """A command whose options are shown in the groups that they name as `rich_help_panel`."""

    others: ClassVar[dict[str, str]] = {}
    """Functions that it hands over to if their name is its first word, with their modules in this package."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments of the call."""
        if args and args[0] in self.others:
            function = getattr(importlib.import_module(f"gristmill.cli.{self.others[args[0]]}"), args[0])
            alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            alone.command()(function)
            command = typer.main.get_command(alone)
            cast_quickly(command)
            add_log_options(command)
            return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the help in groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                name = "Arguments" if parameter.param_type_name == "argument" else MORE
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or name, []).append(record)
        groups |= {MORE: groups.pop(MORE)}  # the last one
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records)
