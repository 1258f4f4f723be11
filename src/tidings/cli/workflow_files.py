"""Workflows and layouts as files that people read, review and keep in git.

    DIR/workflows/<workflowId>/workflow.yaml          with one file per body beside it
    DIR/layouts/<layoutId>/layout.yaml                likewise

In the YAML `!file name` stands for the text of that file, and `!json name` for the document in it
(written with line breaks, meant without). A final line break in such a file is not part of it.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
import yaml

from tidings.domain.errors import RefusedError
from tidings.domain.layouts import EditorType, Frame
from tidings.domain.workflows import Definition, Preferences, Severity, Step, StepType
from tidings.steps.registry import kind_of

T = TypeVar("T")

_WORKFLOWS = ("workflows", "workflow.yaml")
_LAYOUTS = ("layouts", "layout.yaml")
_SIDE_FILE = re.compile(r"!(?:file|json) (?:'([^']+)'|(\S+))")
_INLINE = 80
_DEFAULT_PREFERENCES = msgspec.to_builtins(Preferences())


class _Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    pass


class StepFile(_Record, frozen=True, kw_only=True):
    step_id: str
    name: str
    type: StepType
    control_values: dict[str, Any] = {}


class WorkflowFile(_Record, frozen=True, kw_only=True):
    workflow_id: str
    name: str
    description: str = ""
    tags: list[str] = []
    active: bool = False
    severity: Severity = "none"
    validate_payload: bool = False
    payload_schema: dict[str, Any] | None = None
    is_translation_enabled: bool = False
    preferences: Preferences = Preferences()
    steps: list[StepFile] = []


class LayoutFile(_Record, frozen=True, kw_only=True):
    layout_id: str
    name: str
    is_default: bool = False
    is_translation_enabled: bool = False
    editor_type: EditorType = "html"
    body: str


class Content(msgspec.Struct, frozen=True):
    """What a directory holds, or what an environment does."""

    layouts: list[Frame]
    workflows: list[Definition]


def write(directory: Path, content: Content) -> list[Path]:
    """Make the directory hold exactly this; files that are not ours stay."""
    files: dict[Path, str] = {}
    directory.mkdir(parents=True, exist_ok=True)
    for frame in content.layouts:
        folder = directory / _LAYOUTS[0] / _file_name(frame.key)
        files.update(_layout_files(folder, frame))
    for definition in content.workflows:
        folder = directory / _WORKFLOWS[0] / _file_name(definition.key)
        files.update(_workflow_files(folder, definition))
    for path in list(_ours(directory)):
        if path not in files:
            path.unlink(missing_ok=True)
            _remove_if_empty(path.parent)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return list(files)


def read(directory: Path) -> Content:
    if not directory.is_dir():
        raise RefusedError(f"{directory} is no directory. Fill one with `tidings workflows pull`.")
    content = Content(
        [_frame(each) for each in _read_all(directory, _LAYOUTS, LayoutFile)],
        [_definition(each) for each in _read_all(directory, _WORKFLOWS, WorkflowFile)],
    )
    _refuse_twins(directory, "layout", [each.key for each in content.layouts])
    _refuse_twins(directory, "workflow", [each.key for each in content.workflows])
    return content


def _refuse_twins(directory: Path, kind: str, keys: list[str]) -> None:
    for key in keys:
        if keys.count(key) > 1:
            raise RefusedError(f"{directory} has the {kind} {key!r} twice.")


def _workflow_files(folder: Path, definition: Definition) -> dict[Path, str]:
    sides: dict[Path, str] = {}
    steps = []
    for step in definition.steps:
        stem = _file_name(step.key)
        values = {
            name: _aside(sides, folder, f"{stem}.{_file_name(name)}", value, _extension(step, name))
            for name, value in _in_order(step)
        }
        record = StepFile(step_id=step.key, name=step.name, type=step.type, control_values=values)
        steps.append(msgspec.to_builtins(record, builtin_types=(_Aside,), enc_hook=_as_is))
    plain = WorkflowFile(
        workflow_id=definition.key,
        name=definition.name,
        description=definition.description,
        tags=definition.tags,
        active=definition.active,
        severity=definition.severity,
        validate_payload=definition.validate_payload,
        payload_schema=definition.payload_schema,
        is_translation_enabled=definition.is_translation_enabled,
        preferences=definition.preferences,
    )
    data = {**msgspec.to_builtins(plain), "steps": steps}
    for name, default in (("severity", "none"), ("preferences", _DEFAULT_PREFERENCES)):
        if data.get(name) == default:
            del data[name]
    return {folder / _WORKFLOWS[1]: _dump(data), **sides}


def _layout_files(folder: Path, frame: Frame) -> dict[Path, str]:
    sides: dict[Path, str] = {}
    body = _aside(sides, folder, "body", frame.body, "html" if frame.editor == "html" else "json")
    record = LayoutFile(
        layout_id=frame.key,
        name=frame.name,
        is_default=frame.is_default,
        is_translation_enabled=frame.is_translation_enabled,
        editor_type=frame.editor,
        body="",
    )
    data = {**msgspec.to_builtins(record), "body": body}
    return {folder / _LAYOUTS[1]: _dump(data), **sides}


class _Aside:
    """A text that is kept in a file of its own."""

    def __init__(self, tag: str, name: str) -> None:
        self.tag = tag
        self.name = name


def _in_order(step: Step) -> list[tuple[str, Any]]:
    """The controls in the order in which their type declares them, the others behind."""
    variant = kind_of(step.type).variant(step.controls)
    known = [field.encode_name for field in msgspec.structs.fields(variant)]
    return sorted(
        step.controls.items(),
        key=lambda item: known.index(item[0]) if item[0] in known else len(known),
    )


def _as_is(value: Any) -> Any:
    return value


def _extension(step: Step, control: str) -> str | None:
    """Bodies always get a file of their own; the ending is for editors."""
    if control != "body":
        return None
    if step.type != "email":
        return "txt"
    return "html" if step.controls.get("editorType") == "html" else "json"


def _aside(
    sides: dict[Path, str], folder: Path, stem: str, value: Any, extension: str | None
) -> Any:
    if not isinstance(value, str) or value == "":
        return value
    if extension is None and "\n" not in value and len(value) <= _INLINE:
        return value
    tag, text = "!file", value
    if extension == "json":
        pretty = _pretty(value)
        tag, text, extension = ("!json", pretty, "json") if pretty else ("!file", value, "txt")
    name = f"{stem}.{extension or 'txt'}"
    sides[folder / name] = text + "\n"
    return _Aside(tag, name)


def _pretty(text: str) -> str | None:
    """The document with line breaks, if it can be told back to exactly this text."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    if _compact(document) != text:
        return None
    return json.dumps(document, indent=2, ensure_ascii=False)


def _compact(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


class _Dumper(yaml.SafeDumper):
    """Long texts as blocks, and texts of their own by their tag."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_aside(dumper: yaml.SafeDumper, aside: _Aside) -> yaml.Node:
    return dumper.represent_scalar(aside.tag, aside.name)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """In double quotes, where they are escaped, if it has line ends that YAML would fold."""
    style = '"' if any(end in text for end in "\r\x85\u2028\u2029") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(_Aside, _represent_aside)
_Dumper.add_representer(str, _represent_text)


def _dump(data: Any) -> str:
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, line_break="\n"
    )
    return text


def _read_all(directory: Path, kind: tuple[str, str], record: type[T]) -> Iterator[T]:
    folder, name = kind
    for path in sorted((directory / folder).glob(f"*/{name}")):
        yield _read(path, record)


def _read(path: Path, record: type[T]) -> T:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _loader(path.parent))  # noqa: S506
        return msgspec.convert(data, record)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(f"{path} cannot be read: {' '.join(str(error).split())}.") from None
    except msgspec.ValidationError as error:
        raise RefusedError(f"{path}: {str(error).replace('`', '')}.") from None


def _loader(folder: Path) -> type[yaml.SafeLoader]:
    """Reads plain data only, and texts from files of the same folder."""

    class Loader(yaml.SafeLoader):
        pass

    def text(loader: yaml.SafeLoader, node: yaml.Node) -> str:
        return _side_text(folder, str(node.value))

    def document(loader: yaml.SafeLoader, node: yaml.Node) -> str:
        name = str(node.value)
        try:
            return _compact(json.loads(_side_text(folder, name)))
        except ValueError as error:
            raise RefusedError(f"{folder / name} is not valid JSON: {error}.") from None

    Loader.add_constructor("!file", text)
    Loader.add_constructor("!json", document)
    for key, resolvers in list(Loader.yaml_implicit_resolvers.items()):
        kept = [each for each in resolvers if each[0] != "tag:yaml.org,2002:timestamp"]
        Loader.yaml_implicit_resolvers = {**Loader.yaml_implicit_resolvers, key: kept}
    return Loader


def _side_text(folder: Path, name: str) -> str:
    path = folder / name
    if path.resolve().parent != folder.resolve():
        raise RefusedError(f"{folder} names {name!r}, which is not a file beside it.")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        raise RefusedError(f"{path} is missing.") from None
    return text.removesuffix("\n")


def _definition(file: WorkflowFile) -> Definition:
    names = set(Definition.__struct_fields__) - {"key", "steps"}
    return Definition(
        key=file.workflow_id,
        steps=[
            Step(key=step.step_id, name=step.name, type=step.type, controls=step.control_values)
            for step in file.steps
        ],
        **{name: getattr(file, name) for name in names},
    )


def _frame(file: LayoutFile) -> Frame:
    return Frame(
        key=file.layout_id,
        name=file.name,
        body=file.body,
        editor=file.editor_type,
        is_default=file.is_default,
        is_translation_enabled=file.is_translation_enabled,
    )


def _ours(directory: Path) -> Iterator[Path]:
    """The files that an earlier pull wrote."""
    for folder, name in (_WORKFLOWS, _LAYOUTS):
        for path in (directory / folder).glob(f"*/{name}"):
            yield path
            for match in _SIDE_FILE.finditer(path.read_text(encoding="utf-8", errors="replace")):
                side = path.parent / (match[1] or match[2])
                if side.resolve().parent == path.parent.resolve():
                    yield side


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _file_name(key: str) -> str:
    """Safe on every file system: what is not a plain character is percent-encoded."""
    return quote(key, safe="").replace(".", "%2E").replace("~", "%7E")[:150]
