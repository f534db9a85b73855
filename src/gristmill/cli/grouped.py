"""Commands with many options, which their help shows in groups."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

MORE = "More"
"""The group of options that are in no other."""


class GroupedCommand(TyperCommand):
    """A command whose options are shown in the groups that they name as `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the help in groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                name = "Arguments" if parameter.param_type_name == "argument" else MORE
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or name, []).append(record)
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records)
