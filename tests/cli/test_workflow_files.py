"""Workflows as files: what is written is read back, and nothing else is touched."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidings.cli.workflow_files import Content, read, write
from tidings.domain.errors import RefusedError
from tidings.domain.layouts import Frame
from tidings.domain.workflows import All, Definition, Enabled, Preference, Preferences, Step

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120)
NAMES = TEXTS.filter(lambda text: text.strip() != "")
KEYS = st.from_regex(r"[A-Za-z0-9_.:@-]{1,20}", fullmatch=True)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.floats(-1e6, 1e6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
BODIES = TEXTS | JSON.map(lambda value: json.dumps(value, separators=(",", ":")))
STEPS = st.builds(
    lambda key, name, type, controls, body, editor: Step(
        key=key,
        name=name,
        type=type,
        controls={**controls, "body": body, "editorType": editor},
    ),
    KEYS,
    NAMES,
    st.sampled_from(["in_app", "email", "sms", "push", "chat", "delay", "custom"]),
    st.dictionaries(TEXTS, JSON, max_size=3),
    BODIES,
    st.sampled_from(["html", "block"]),
)
PREFERENCES = st.builds(
    Preference,
    st.builds(All, st.booleans(), st.booleans()),
    st.dictionaries(st.sampled_from(["email", "sms"]), st.builds(Enabled, st.booleans())),
)
DEFINITIONS = st.builds(
    Definition,
    key=KEYS,
    name=NAMES,
    description=TEXTS,
    tags=st.lists(TEXTS, max_size=3),
    active=st.booleans(),
    severity=st.sampled_from(["high", "none"]),
    validate_payload=st.booleans(),
    payload_schema=st.none() | st.dictionaries(TEXTS, JSON, max_size=3),
    is_translation_enabled=st.booleans(),
    preferences=st.builds(Preferences, st.none() | PREFERENCES, PREFERENCES),
    steps=st.lists(STEPS, max_size=3, unique_by=lambda step: step.key.lower()),
)
FRAMES = st.builds(
    Frame,
    key=KEYS,
    name=NAMES,
    body=BODIES.filter(bool),
    editor=st.sampled_from(["html", "block"]),
    is_default=st.booleans(),
    is_translation_enabled=st.booleans(),
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(DEFINITIONS, FRAMES)
def test_what_is_written_is_read_back(definition: Definition, frame: Frame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), Content([frame], [definition]))
        content = read(Path(folder))
    assert content.layouts == [frame]
    assert content.workflows == [definition]


def email(body: str, editor: str = "html") -> Definition:
    controls = {"subject": "Hello", "body": body, "editorType": editor}
    step = Step(key="mail", name="Mail", type="email", controls=controls)
    return Definition(key="welcome", name="Welcome", steps=[step])


def test_bodies_are_files_that_editors_know(tmp_path: Path) -> None:
    write(tmp_path, Content([], [email("<p>Hello</p>")]))
    folder = tmp_path / "workflows" / "welcome"
    assert (folder / "mail.body.html").read_text() == "<p>Hello</p>\n"
    assert (
        (folder / "workflow.yaml").read_text()
        == """\
workflowId: welcome
name: Welcome
steps:
- stepId: mail
  name: Mail
  type: email
  controlValues:
    subject: Hello
    body: !file 'mail.body.html'
    editorType: html
"""
    )


def test_block_documents_are_written_with_line_breaks(tmp_path: Path) -> None:
    document = '{"type":"doc","content":[]}'
    write(tmp_path, Content([], [email(document, "block")]))
    text = (tmp_path / "workflows" / "welcome" / "mail.body.json").read_text()
    assert text == '{\n  "type": "doc",\n  "content": []\n}\n'
    assert read(tmp_path).workflows == [email(document, "block")]


def test_a_second_pull_removes_what_is_gone_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, Content([], [email("<p>Hello</p>")]))
    folder = tmp_path / "workflows" / "welcome"
    (folder / "notes.md").write_text("ours")
    write(tmp_path, Content([], []))
    assert [path.name for path in folder.iterdir()] == ["notes.md"]
    assert read(tmp_path) == Content([], [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: [", "cannot be read"),
        ("name: W", "missing required field workflowId"),
        ("workflowId: w\nname: W\ncolour: red", "unknown field colour"),
        ("workflowId: w\nname: !file ../../secret", "not a file beside it"),
        ("workflowId: w\nname: !file gone.txt", "is missing"),
        ("workflowId: w\nname: !!python/object/apply:os.getcwd []", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, said: str) -> None:
    folder = tmp_path / "workflows" / "w"
    folder.mkdir(parents=True)
    (folder / "workflow.yaml").write_text(text)
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(RefusedError, match=said):
        read(tmp_path)


def test_a_workflow_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    write(tmp_path, Content([], [email("x")]))
    (tmp_path / "workflows" / "welcome").rename(tmp_path / "workflows" / "other")
    write(tmp_path / "more", Content([], [email("x")]))
    (tmp_path / "more" / "workflows" / "welcome").rename(tmp_path / "workflows" / "welcome")
    with pytest.raises(RefusedError, match="twice"):
        read(tmp_path)


def test_a_directory_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no directory"):
        read(tmp_path / "nowhere")
