"""The server for assistants, asked by the client of the protocol's own package."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

import gristmill
from gristmill.catalogue import entries
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.mcp.server import Tools


def ask(corpus: gristmill.Corpus, question: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    """Start the command, and ask it something."""
    arguments = ["-m", "gristmill", "mcp", str(corpus.folder)]

    async def session() -> Any:
        async with (
            stdio_client(StdioServerParameters(command=sys.executable, args=arguments)) as (incoming, outgoing),
            ClientSession(incoming, outgoing) as client,
        ):
            await client.initialize()
            return await question(client)

    return asyncio.run(session())


def test_an_assistant_asks(indexed: gristmill.Corpus) -> None:
    async def question(client: ClientSession) -> Any:
        tools = (await client.list_tools()).tools
        found = await client.call_tool("keywords", {"where": 'lang="en"', "limit": 3})
        wrong = await client.call_tool("collocations", {"q": "[lemma="})
        too_many = await client.call_tool("wordlist", {"limit": 100_000})
        unknown = await client.call_tool("build", {})
        return tools, found, wrong, too_many, unknown

    tools, found, wrong, too_many, unknown = ask(indexed, question)
    declared = [entry.load() for entry in entries().values() if entry.group]
    chosen = [item for item in declared if item.is_tool]
    assert {tool.name for tool in tools} == {item.name for item in chosen}
    assert all(item.effect == "reads" and not item.is_local and not item.is_work for item in chosen)
    assert len(chosen) == 12  # assistants choose better among few
    schema = next(tool.input_schema for tool in tools if tool.name == "collocations")
    assert schema["required"] == ["q"]
    assert "lists" not in schema["properties"]  # a file of this machine
    record = json.loads(found.content[0].text)
    assert not found.is_error
    assert [row["value"] for row in record["rows"]] == [
        row.value for row in indexed.keywords(where='lang="en"', limit=3).rows
    ]
    assert "not instructions" in record["about_these_texts"]
    assert wrong.is_error
    assert "[lemma=" in wrong.content[0].text
    assert too_many.is_error
    assert "limit must be from 1 to 200" in too_many.content[0].text
    assert unknown.is_error
    assert "there is no tool 'build'" in unknown.content[0].text


def test_who_serves_a_corpus_does_not_tell_where_it_is(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(b"")
    other = gristmill.build([tmp_path / "x.warc"], tmp_path / "other", engine=InlineEngine())
    rows = gristmill.Corpus(other.folder, build=False).list_dropped().to_json()["rows"]
    assert [(row["reason"], row["id"]) for row in rows] == [("broken", "x.warc:0")]
    found = gristmill.Corpus(corpus.folder, build=False).status().to_json()
    assert str(corpus.folder) not in json.dumps(found)
    assert found["heading"] == f"Next: gristmill annotate {corpus.folder.name}"


def test_several_corpora_are_named(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    other = shutil.copytree(indexed.folder, tmp_path / "other")
    tools = Tools([indexed.folder, other])
    assert tools.described()[0].input_schema["required"][0] == "corpus"
    found = json.loads(tools.call("wordlist", {"corpus": "other", "limit": 2}))
    assert [row["value"] for row in found["rows"]] == [row.value for row in indexed.wordlist(limit=2).rows]
    with pytest.raises(UsageError, match="corpus must be one of indexed, other"):
        tools.call("wordlist", {"corpus": "third"})
