"""Options of commands made of declared settings, and the tables of settings that these make."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from gristmill.arguments import as_codes
from gristmill.cli.choices import one_of, roles_so_far
from gristmill.cli.options import with_options
from gristmill.errors import UsageError
from gristmill.parameters import Parameter
from gristmill.registry import did_you_mean, parts_of
from gristmill.roles import check_roles
from gristmill.settings import Setting, read_toml, settings_in

Tables = dict[str, dict[str, Any]]
_METAVARS: dict[Any, str] = {
    str: "TEXT",
    int: "N",
    float: "NUMBER",
    "names": "NAME",
    "lang": "CODES",
    "roles": "ROLES",
    "path": "FILE",
}
_OTHERS = {
    "config": (
        Path | None,
        typer.Option("--config", "-c", metavar="FILE", help="Settings in TOML, e.g. those of another folder."),
    ),
    "more": (
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Any other setting. Can be repeated."),
    ),
}
"""The options of all commands that have settings."""


def with_settings(kind: Any, *sections: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of its settings; what they say is put together as its argument `tables`.

    A command that reads `--config` by itself has an option of that name already. One that has the options of some
    `sections` alone takes no other settings.
    """

    def made(command: Callable[..., None]) -> Callable[..., None]:
        options = {
            item.name.replace(".", "_"): item
            for item in settings_in(kind)
            if item.is_option and item.section in (sections or [item.section])
        }
        hints = get_type_hints(command, include_extras=True)
        others = {name: other for name, other in _OTHERS.items() if not sections and name not in hints}

        def put_together(values: dict[str, Any]) -> Tables:
            given = [(option, values[name]) for name, option in options.items()]
            return tables_of(kind, values.get("config"), given, values.get("more") or ())

        shown = {name: _option(option) for name, option in options.items()} | others
        each = {name: (Annotated[of_type, option], None) for name, (of_type, option) in shown.items()}
        return with_options("tables", each, put_together)(command)

    return made


def _option(setting: Setting) -> tuple[Any, Any]:
    """The type of the option of a setting, and what Typer has to know of it; None is that it is not given."""
    parameter, declared = setting.parameter, setting.declared
    kind: Any = Path if parameter.kind == "path" else parameter.type
    names = [setting.option, *filter(None, [parameter.declared.short])]
    choices = parts_of(declared.part) if declared.part else parameter.choices
    usual = "NAME" if choices else _METAVARS.get(parameter.kind, _METAVARS.get(parameter.type))
    option = typer.Option(
        *names,
        metavar=declared.metavar or usual,
        help=help_of(setting),
        envvar=declared.environment or None,
        autocompletion=roles_so_far if parameter.kind == "roles" else one_of(choices) if choices else None,
        show_default=False,
        rich_help_panel=declared.group,
    )
    return (list[kind] if parameter.many else kind) | None, option


def help_of(setting: Setting) -> str:
    """What a setting is about, with its default."""
    parameter, about = setting.parameter, about_of(setting)
    default = parameter.default
    if default and not isinstance(default, bool):
        text = ", ".join(default) if parameter.many else f"{default:g}" if isinstance(default, float) else default
        limits = f"; {limits_of(parameter)}" if parameter.declared.maximum is not None else ""
        about = f"{about.removesuffix('.')} [{text}{limits}]."
    return f"{about} Can be repeated." if parameter.many else about


def about_of(setting: Setting) -> str:
    """What a setting is about; of parts, with their names."""
    about = setting.parameter.about
    part = setting.declared.part
    return f"{about.removesuffix('.')}: {parts_of(part).everyday}." if part else about


def limits_of(parameter: Parameter) -> str:
    """Between which limits a number must be, but for what nobody would doubt: that it is not below 0."""
    least, most = parameter.declared.minimum, parameter.declared.maximum
    if most is not None:
        return f"{least} to {most}"
    return f"at least {least}" if least and parameter.type is not str else ""


def tables_of(kind: Any, config: Path | None, options: Iterable[tuple[Setting, Any]], more: Iterable[str]) -> Tables:
    """Put settings together: those of a file, changed by options, changed by `section.key=value`."""
    tables: Tables = {}
    if config:
        table = read_toml(config)
        kind.from_table(table, str(config))  # raises if something is wrong, naming the file
        tables = {section: dict(values) for section, values in table.items()}
    for setting, value in options:
        if value not in (None, (), []):
            tables.setdefault(setting.section, {})[setting.parameter.name] = _value(setting, setting.option, value)
    for text in more:
        setting, value = setting_of(text, kind)
        tables.setdefault(setting.section, {})[setting.parameter.name] = value
    return tables


def refuse_fixed(kind: Any, tables: Mapping[str, Mapping[str, Any]], folder: Path, what: str) -> None:
    """Raise if settings are to be changed that hold for the whole of what is in a folder."""
    for item in settings_in(kind):
        if item.declared.fixed and item.parameter.name in tables.get(item.section, {}):
            name = item.option if item.is_option else item.name
            raise UsageError(f"{name} can't be changed while {folder} goes on: begin a new {what} with -o")


def setting_of(text: str, kind: Any) -> tuple[Setting, Any]:
    """Take `section.key=value` apart: the setting and its value."""
    name, equals, value = text.partition("=")
    section, dot, key = name.strip().partition(".")
    if not (equals and dot):
        raise UsageError(f"--set takes section.key=value, not {text!r}")
    known: dict[str, dict[str, Setting]] = {}
    for item in settings_in(kind):
        known.setdefault(item.section, {})[item.parameter.name] = item
    if section not in known:
        raise UsageError(f"--set {text}: there is no section {section!r} (there are: {', '.join(known)})")
    if key not in known[section]:
        hint = did_you_mean(key, known[section]) or f" (there are: {', '.join(known[section])})"
        raise UsageError(f"--set {text}: there is no setting {key!r} in [{section}]{hint}")
    setting, value = known[section][key], value.strip()
    if not value and setting.parameter.type is not str:
        raise UsageError(f"--set {text}: the value is missing")
    many = [part.strip() for part in value.split(",") if part.strip()]
    return setting, _value(setting, f"--set {name.strip()}", many if setting.parameter.many else value)


def _value(setting: Setting, name: str, given: Any) -> Any:
    """Make the value of a setting of that of an option; `name` is what it is called in messages."""
    kind = setting.parameter.kind
    if kind == "names":
        given = names_in(given)
    elif kind == "lang" and setting.parameter.many:
        given = [code for text in given for code in as_codes(text) or ()]
    elif kind == "roles":
        given = check_roles(",".join(given), setting.parameter.name)
    elif kind == "path" and given:
        paths = given if setting.parameter.many else [given]
        given = [str(Path(path).absolute()) for path in paths]
    return setting.parameter.named(name).read(given)


def names_in(values: Iterable[str]) -> list[str]:
    """Split lists of names at commas; one that is a file stands for the names in it, one a line."""
    found: list[str] = []
    for value in values:
        is_file = os.path.isfile(value)  # noqa: PTH113 (a list of names may be too long for that of a file)
        found += lines_of(Path(value).read_bytes(), value) if is_file else value.split(",")
    return list(dict.fromkeys(name.strip() for name in found if name.strip()))


def lines_of(data: bytes, name: str) -> list[str]:
    """Return the first words of the lines of a file, without comments, which begin with `#`."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is no list of names: it is not UTF-8") from error
    return [line.split()[0] for line in lines if line.strip() and not line.strip().startswith("#")]
