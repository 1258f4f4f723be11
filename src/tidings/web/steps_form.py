"""The controls of a step as fields of a form: made from its schema and uiSchema, and read back.

What was typed is never lost: a number that is none, or JSON that is none, stays as text until it is
corrected.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tidings.domain.errors import InvalidError
from tidings.domain.workflows import Step
from tidings.steps.base import Kind, schema_of
from tidings.web import steps_blocks, steps_conditions
from tidings.web.form import Form
from tidings.web.steps_block_kinds import KINDS
from tidings.web.steps_blocks import Block
from tidings.web.steps_conditions import Group, Line, TooRichError
from tidings.web.steps_looks import LOOKS, ORDER, PLAIN, VARIANTS, WORDS, Look

_TARGETS = ("_self", "_blank", "_parent", "_top", "_unfencedTop")
NO_LAYOUT = "-"


class Field(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    look: Look
    label: str
    help: str
    value: Any
    choices: Sequence[tuple[str, str]] = ()
    required: bool = False
    liquid: bool = False


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """A step in the making."""

    name: str
    controls: dict[str, Any]
    blocks: list[Block] = []
    html: str = ""
    """Both bodies are at hand, whichever is chosen."""
    group: Group | None = None
    """The condition; None when it is written as JSON."""
    rule: str = ""
    focus: str = ""
    """The field to go on with."""

    @property
    def editor(self) -> str:
        return "html" if self.controls.get("editorType") == "html" else "block"


def of_step(step: Step) -> Edited:
    skip = step.controls.get("skip")
    try:
        group: Group | None = steps_conditions.group(skip)
    except TooRichError:
        group = None
    edited = Edited(
        name=step.name,
        controls=step.controls,
        group=group,
        rule=_pretty(skip) if group is None else "",
    )
    given = step.controls.get("body")
    if step.type != "email" or not isinstance(given, str):
        return edited
    if edited.editor == "html":
        return msgspec.structs.replace(edited, html=given)
    return msgspec.structs.replace(edited, blocks=steps_blocks.blocks(given))


def of_form(kind: Kind, form: Form, step: Step) -> Edited:
    """What somebody has filled in so far."""
    controls = _read(kind, form, step.controls)
    group, text = None, form.get("q.raw")
    if form.get("q.mode") == "json":
        skip: Any = _object(text)
    else:
        group = steps_conditions.read(form, "q")
        skip = steps_conditions.rule(group)
    if skip:
        controls["skip"] = skip
    blocks = steps_blocks.read(form, "b")
    if step.type == "email":
        html = form.get("c.html")
        body = html if controls.get("editorType") == "html" else steps_blocks.body(blocks)
        _put(controls, "body", body)
    else:
        html = ""
    name = form.get("name", step.name)
    return Edited(name=name, controls=controls, blocks=blocks, html=html, group=group, rule=text)


def check(edited: Edited) -> None:
    """Refuse what cannot be stored as what it is meant to be."""
    for name in ("skip", "data", "custom"):
        given = edited.controls.get(name)
        if isinstance(given, str):
            raise InvalidError.of(f"c.{name}", f"must be a JSON object: {_complaint(given)}")


def changed(edited: Edited, wish: str) -> Edited:
    """After a button of the form: `block.add.heading`, `block.up.2`, `rule.add.0`, ..."""
    subject, _, rest = wish.partition(".")
    verb, _, what = rest.partition(".")
    if subject == "block":
        return _with_block(edited, verb, what)
    if subject == "rule":
        return _with_rule(edited, verb, what)
    return edited


def fields(kind: Kind, edited: Edited, layouts: Sequence[tuple[str, str]]) -> list[Field]:
    """In the order of the record; the condition comes last."""
    variant = schema_of(kind.variant(edited.controls))
    properties = kind.ui_schema["properties"]
    names = [name for name in variant["properties"] if name != "skip"]
    names.sort(key=lambda name: ORDER.index(name) if name in ORDER else -1)
    found = []
    for name in [*names, "skip"]:
        component = properties.get(name, {}).get("component")
        look = LOOKS[component] if component else PLAIN[name]
        label, help = WORDS.get(name, (name, ""))
        found.append(
            Field(
                name=name,
                look=look,
                label=label,
                help=help,
                value=_shown(look, edited.controls.get(name, "")),
                choices=_choices(kind, look, variant["properties"][name], layouts),
                required=name in variant.get("required", ()),
                liquid=name in kind.templates,
            )
        )
    return found


def _choices(
    kind: Kind, look: Look, schema: Mapping[str, Any], layouts: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    if look == "variants":
        found = [schema_of(each)["properties"]["type"]["enum"][0] for each in kind.variants]
        return [(each, VARIANTS[each]) for each in found]
    if look in ("choice", "window"):
        inner = schema if look == "choice" else schema["properties"]["unit"]
        return [(each, each) for each in _units(inner)]
    if look == "editor":
        return [("block", "Blocks"), ("html", "HTML")]
    if look in ("action", "redirect"):
        return [(each, each) for each in _TARGETS]
    return layouts if look == "layout" else ()


def _units(schema: Mapping[str, Any]) -> list[str]:
    order = ("seconds", "minutes", "hours", "days", "weeks", "months")
    return [unit for unit in order if unit in schema.get("enum", ())]


def _shown(look: Look, value: Any) -> Any:
    if look == "json":
        return value if isinstance(value, str) else _pretty(value)
    if look == "layout":
        return NO_LAYOUT if value is None else value
    if look in ("action", "redirect", "window"):
        return value if isinstance(value, dict) else {}
    return "" if value is None else value


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() if value else ""


def _read(kind: Kind, form: Form, former: Mapping[str, Any]) -> dict[str, Any]:
    known = {name for each in kind.variants for name in schema_of(each)["properties"]}
    controls = {name: value for name, value in former.items() if name not in known}
    wanted = form.get("c.type")
    variant = schema_of(kind.variant({"type": wanted} if wanted else former))
    properties = kind.ui_schema["properties"]
    for name in variant["properties"]:
        component = properties.get(name, {}).get("component")
        look = LOOKS[component] if component else PLAIN[name]
        if look in _READERS:
            value = _READERS[look](form, f"c.{name}", former.get(name, _UNSAID))
            if value is not _UNSAID:
                controls[name] = value
    return controls


_UNSAID: Any = object()


def _put(controls: dict[str, Any], name: str, value: Any) -> None:
    if value in ("", None):
        controls.pop(name, None)
    else:
        controls[name] = value


def _text(form: Form, name: str, former: Any) -> Any:
    return form.get(name).strip() or _UNSAID


def _area(form: Form, name: str, former: Any) -> Any:
    return form.get(name) or _UNSAID


def _number(form: Form, name: str, former: Any) -> Any:
    text = form.get(name).strip()
    return number(text) if text else _UNSAID


def number(text: str) -> Any:
    """A number when it is one, else the text as it was typed."""
    try:
        read = float(text)
    except ValueError:
        return text
    if read != read or abs(read) > 1e15:
        return text
    return int(read) if read.is_integer() else read


def _switch(form: Form, name: str, former: Any) -> Any:
    return True if form.flag(name) else (_UNSAID if former is _UNSAID else False)


def _json(form: Form, name: str, former: Any) -> Any:
    text = form.get(name)
    return _object(text) if text.strip() else _UNSAID


def _object(text: str) -> Any:
    """The object, or the text as it is when it is none."""
    if not text.strip():
        return None
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return found if isinstance(found, dict) else text


def _complaint(text: str) -> str:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        return str(error)
    return 'it begins with { and has names in quotes, such as {"plan": "pro"}'


def _redirect(form: Form, name: str, former: Any) -> Any:
    url = form.get(f"{name}.url").strip()
    return {"url": url, "target": form.get(f"{name}.target") or "_self"} if url else _UNSAID


def _action(form: Form, name: str, former: Any) -> Any:
    label = form.get(f"{name}.label").strip()
    redirect = _redirect(form, f"{name}.redirect", None)
    if not label and redirect is _UNSAID:
        return _UNSAID
    return {"label": label} | ({} if redirect is _UNSAID else {"redirect": redirect})


def _window(form: Form, name: str, former: Any) -> Any:
    amount = form.get(f"{name}.amount").strip()
    return {"amount": number(amount), "unit": form.get(f"{name}.unit")} if amount else _UNSAID


def _layout(form: Form, name: str, former: Any) -> Any:
    given = form.get(name)
    return None if given == NO_LAYOUT else given or _UNSAID


def _default(value: str) -> Any:
    def read(form: Form, name: str, former: Any) -> Any:
        given = form.get(name) or value
        return _UNSAID if given == value and former is _UNSAID else given

    return read


_READERS: Mapping[Look, Any] = {
    "line": _text,
    "area": _area,
    "number": _number,
    "choice": _text,
    "variants": _text,
    "switch": _switch,
    "action": _action,
    "redirect": _redirect,
    "json": _json,
    "window": _window,
    "layout": _layout,
    "editor": _default("block"),
}


def _with_block(edited: Edited, verb: str, what: str) -> Edited:
    if verb == "add":
        kind = what if what in KINDS else "paragraph"
        blocks, place = [*edited.blocks, steps_blocks.new(kind)], len(edited.blocks)
    else:
        place = int(what) if what.isdigit() else -1
        blocks, place = steps_blocks.changed(edited.blocks, verb, place)
    controls = dict(edited.controls)
    _put(controls, "body", steps_blocks.body(blocks))
    return msgspec.structs.replace(
        edited, blocks=blocks, controls=controls, focus=f"block.{verb}.{place}"
    )


def _with_rule(edited: Edited, verb: str, path: str) -> Edited:
    if verb == "build":
        try:
            group = steps_conditions.group(edited.controls.get("skip"))
        except TooRichError:
            return msgspec.structs.replace(edited, focus="rule.json")
        return msgspec.structs.replace(edited, group=group, rule="")
    if verb == "json":
        text = _pretty(edited.controls.get("skip"))
        return msgspec.structs.replace(edited, group=None, rule=text, focus="rule.json")
    group = edited.group or Group()
    if verb == "drop":
        group, focus = steps_conditions.drop(group, path), "rule.end"
    else:
        part = Line() if verb == "add" else Group("or", (Line(),))
        group, focus = steps_conditions.add(group, path, part), f"rule.{verb}.{path}"
    controls = {name: value for name, value in edited.controls.items() if name != "skip"}
    _put(controls, "skip", steps_conditions.rule(group))
    return msgspec.structs.replace(edited, group=group, controls=controls, focus=focus)
