"""Write the reference of settings for the docs.

`python -m gristmill.cli.settings_reference > docs/reference/settings.md`
"""

from __future__ import annotations

import inspect
import json
import sys
from itertools import groupby
from typing import Any

from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.cli.settings import about_of, limits_of
from gristmill.commoncrawl.config import ArchiveConfig
from gristmill.config import Config
from gristmill.crawling.config import CrawlConfig
from gristmill.settings import Setting, plain, settings_in

_BEGINNING = """# Reference of settings

Settings are sections of a TOML file, which commands take with `--config`, and fields of a class in Python. Those that
are often changed have an option of the command, too; all others are given to it with `--set section.key=value`. This
page is made of their declarations, by `python -m gristmill.cli.settings_reference`.
"""
_FILES: dict[str, tuple[Any, str]] = {
    "corpus.toml": (
        Config,
        "Settings of a [build](../build.md), in `[settings.NAME]` of a corpus: `gristmill.Config`.",
    ),
    "crawl.toml": (CrawlConfig, "Settings of a [crawl](../crawl.md): `gristmill.CrawlConfig`."),
    "bootstrap.toml": (BootstrapConfig, "Settings of a [bootstrap](../bootstrap.md): `gristmill.BootstrapConfig`."),
    "commoncrawl.toml": (
        ArchiveConfig,
        "Settings of [fetching from archives](../commoncrawl.md): `gristmill.ArchiveConfig`.",
    ),
}
_DEFAULTS = {"language.identifier": "cld2"}
"""Defaults that are others where something is not installed."""


def reference() -> str:
    """All settings, as Markdown."""
    lines = [_BEGINNING]
    seen: dict[Any, str] = {}
    for file, (kind, about) in _FILES.items():
        lines += [f"## {file}\n", f"{about}\n"]
        for name, settings in groupby(settings_in(kind), lambda item: item.section):
            section = kind.__dataclass_fields__[name].default_factory
            lines += [f"### [{name}]\n", f"{inspect.getdoc(section)}\n"]
            if section in seen:
                options = ", ".join(f"`{item.option}`" for item in settings if item.is_option)
                lines.append(
                    f"As in [{seen[section]}](#{seen[section].replace('.', '')}); options: {options or 'none'}.\n"
                )
                continue
            seen[section] = file
            lines += ["| setting | default | | option |", "|---|---|---|---|", *map(_row, settings), ""]
    return "\n".join(lines)


def _row(setting: Setting) -> str:
    parameter = setting.parameter
    default = json.dumps(plain(_DEFAULTS.get(setting.name, parameter.default)))  # as TOML writes it
    limits = f" ({limits})" if (limits := limits_of(parameter)) else ""
    option = f"`{setting.option}`" if setting.is_option else ""
    about = about_of(setting).replace("|", "\\|")
    return f"| `{parameter.name}` | `{default}`{limits} | {about} | {option} |"


if __name__ == "__main__":
    sys.stdout.write(reference())
