"""The documentation says what is true: generated pages are current, links lead somewhere, and the
snippets marked `<!-- run -->` run."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.generate import REFERENCE, pages

from tests.flows.serving import KEY, Server, environment, serving

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SNIPPET = re.compile(r"<!-- run -->\n```sh\n(.*?)```", re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.parametrize("name", list(pages()))
def test_a_generated_page_is_current(name: str) -> None:
    assert (REFERENCE / name).read_text() == pages()[name], "run `make docs`"


def test_there_are_no_generated_pages_of_things_that_are_gone() -> None:
    found = {str(page.relative_to(REFERENCE)) for page in REFERENCE.rglob("*.md")}
    assert found == set(pages())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} -> {target}"


def test_every_page_is_within_reach_of_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            for target in LINK.findall(page.read_text()):
                found = page.parent / target
                waiting.extend(found.glob("*.md") if found.is_dir() else [found])
    missing = {page.resolve() for page in PAGES} - seen
    assert not missing, f"no link leads to {sorted(page.name for page in missing)}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    base = tmp_path_factory.mktemp("docs")
    with serving("--data-dir", str(base / "tidings-data"), log=base / "log") as server:
        yield server


def snippets() -> dict[str, list[str]]:
    found = {str(page.relative_to(ROOT)): SNIPPET.findall(page.read_text()) for page in PAGES}
    return {page: texts for page, texts in found.items() if texts}


def test_the_first_pages_have_snippets() -> None:
    assert {"README.md", "docs/tutorial/first-steps.md"} <= set(snippets())


@pytest.mark.parametrize("page", list(snippets()))
def test_the_snippets_of_a_page_run_one_after_the_other(server: Server, page: str) -> None:
    for text in snippets()[page]:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text.replace("http://127.0.0.1:8080", server.base)],
            cwd=server.log.parent,
            env=environment(
                TIDINGS_API_KEY=KEY,
                TIDINGS_PORT=str(server.port),
                PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, text + done.stdout + done.stderr
        assert done.stdout, text


def test_the_commands_of_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text()
    targets = (ROOT / "Makefile").read_text()
    for command in re.findall(r"^make ([a-z-]+)$", text, re.M):
        assert re.search(rf"^{command}:.*##", targets, re.M), command
