"""Serve a web until standard input ends: `python -m localweb FOLDER SPEC TEMPO`. A line of input flushes the log."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from localweb.newspapers import NewspaperWeb
from localweb.server import Server
from localweb.topics import TopicWeb
from localweb.uniform import UniformWeb
from localweb.web import LocalWeb, Served


def _web(spec: str) -> Served:
    kind, *numbers = spec.split(",")
    if kind == "newspapers":
        return NewspaperWeb(*map(int, numbers))
    if kind == "uniform":
        return UniformWeb(*map(int, numbers))
    return (TopicWeb if kind == "topics" else LocalWeb)(int(numbers[0]), float(numbers[1]))


async def _serve(folder: Path, spec: str, tempo: float) -> None:
    loop = asyncio.get_running_loop()
    async with Server(_web(spec), folder / "log", tempo) as server:
        (folder / "ca.pem").write_bytes(server.certificates.pem)
        _say({"port": server.port})
        while await loop.run_in_executor(None, sys.stdin.readline):
            server.flush()
            _say({"flushed": True})


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
