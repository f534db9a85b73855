"""The API as its description says: whatever is asked of any operation, the answer is one that is described.

Operations that are added later are tested without being named here.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, TypedDict
from urllib.parse import urlencode

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from web_server import Client, served

import gristmill
from gristmill.web.openapi import path_of
from gristmill.web.operations import operations
from gristmill.web.schemas import schema_of

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 6
"""Requests for each operation that are as described, and as many that are not."""
MAX_ADDRESS = 60_000
TELLING = [
    *("", "*", "bread", "the", "th*", "no such word", '[lemma="be"] [tag="VERB"]', '[word="(a|b)*c"]', "[]{0,9} ["),
    *('lang="en"', 'lang="en" & year>=2010', "@nobody", "year", "host", "-1:lemma,host", "left", "0:lemma", "3,0"),
    *("00000-0", "00000-999", "99999-1", "../../etc/passwd", "http://a.example/", "a\x00b", "\u202e\u0635", "<script>"),
]
"""What parts of the app take for a query, a condition, a key, a document; or should not be taken in by."""


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server with a corpus that may be written to."""
    folder = tmp_path_factory.mktemp("api") / "sample"
    shutil.copytree(indexed.folder, folder)
    with served(folder, workers=2) as found:
        yield found


@pytest.fixture(scope="module")
def schema(client: Client) -> Any:
    found = schemathesis.openapi.from_dict(client.get("/api/openapi.json").json())
    found.config.update(base_url=client.address)
    return found


def test_the_description_is_valid(schema: Any) -> None:
    schema.validate()
    assert {operation.ok().label for operation in schema.get_all_operations()} == {
        f"{'POST' if item.writes else 'GET'} {path_of(item)}" for item in operations().values()
    }


def test_everything_is_described(client: Client) -> None:
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        for about in methods.values():
            assert about["summary"].endswith((".", "?")), path
            assert not [item["name"] for item in about["parameters"] if not item.get("description")], path


@st.composite
def _telling(draw: st.DrawFn, cases: st.SearchStrategy[Case[Any]]) -> Case[Any]:
    """Requests in which some of the texts are such as people write."""
    case = draw(cases)
    values: Any = case.body if isinstance(case.body, dict) else case.query
    for name, value in dict(values or {}).items():
        if isinstance(value, str) and draw(st.booleans()):
            values[name] = draw(st.sampled_from(TELLING))
    return case


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", operations())
def test_an_operation_answers_as_described(name: str, mode: GenerationMode, schema: Any) -> None:
    item = operations()[name]
    strategy = schema[path_of(item)]["POST" if item.writes else "GET"].as_strategy(generation_mode=mode)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
    )
    @given(case=_telling(strategy) if mode is GenerationMode.POSITIVE else strategy)
    def check(case: Case[Any]) -> None:
        assume(len(urlencode(case.query or {}, doseq=True)) < MAX_ADDRESS)  # longer ones are no requests
        case.validate_response(case.call(timeout=300), checks=CHECKS)

    check()


def test_the_index_of_the_api(client: Client) -> None:
    found = client.get("/api").json()
    assert found["corpora"] == ["sample"]
    assert set(found["operations"]) == set(operations())


def test_the_page_of_the_api(client: Client) -> None:
    found = client.get("/api", headers={"Accept": "text/html,*/*"})
    assert found.status == 200
    for item in operations().values():
        assert f'id="{item.name}"' in found.text
        assert f"{client.address}/api/sample/{item.name}" in found.text.replace("&#39;", "'")


def test_examples_on_the_page_of_the_api_work(client: Client) -> None:
    found = client.get("/api", headers={"Accept": "text/html"})
    links = [html.unescape(link) for link in re.findall(r'<a href="(/api/sample/[^"]+)">See the answer', found.text)]
    assert len(links) == sum(not item.writes for item in operations().values())
    statuses = {link: client.get(link).status for link in links}
    assert set(statuses.values()) <= {200, 400, 404, 409}, statuses
    assert not [link for link, status in statuses.items() if status != 200 and "q=bread" in link]


def test_errors_do_not_tell_where_a_corpus_is(tmp_path: Path, indexed: gristmill.Corpus) -> None:
    shutil.copytree(indexed.folder, tmp_path / "broken")
    (tmp_path / "broken" / "corpus.toml").write_text("[", "utf-8")
    with served(tmp_path / "broken") as broken:
        found = broken.get("/api/broken/about")
    assert found.status == 409
    assert "corpus.toml" in found.json()["error"]
    assert str(tmp_path) not in found.json()["error"]


class Part(TypedDict):
    """A part."""

    name: str
    parts: NotRequired[list[Part]]
    share: float | None


def test_types_of_answers_are_described() -> None:
    components: dict[str, Any] = {}
    assert schema_of(dict[str, list[Part]], components) == {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
    }
    assert components["Part"]["required"] == ["name", "share"]
    assert components["Part"]["properties"]["parts"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/Part"},
    }
    assert components["Part"]["properties"]["share"] == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert schema_of(tuple[int, str], components)["prefixItems"] == [{"type": "integer"}, {"type": "string"}]
    assert schema_of(tuple[int, int], components)["items"] == {"type": "integer"}
    assert schema_of(dict[str, Any], components) == {"type": "object"}
    assert schema_of(Path, components) == {}
    json.dumps(components)
