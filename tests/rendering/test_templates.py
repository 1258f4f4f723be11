"""Liquid: what templates render to, what is wrong with them, and what they read."""

from typing import Any

import pytest

from tidings.rendering.templates import (
    Fault,
    TemplateError,
    Variable,
    check,
    render,
    render_values,
    variables,
)

VARIABLES: dict[str, Any] = {
    "payload": {
        "name": "Ann & <Bob>",
        "count": 3,
        "whole": 2.0,
        "part": 2.5,
        "yes": True,
        "none": None,
        "list": ["a", "b", "c", "d"],
        "people": [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}],
        "object": {"a": "x", "b": [1]},
    },
    "subscriber": {"firstName": "Ann"},
    "steps": {"digest-step": {"events": [1, 2], "eventCount": 5}},
    "now": "2025-06-15T12:00:00Z",
}


@pytest.mark.parametrize(
    ("template", "result"),
    [
        ("no markup & <b>", "no markup & <b>"),
        ("Hi {{ subscriber.firstName }}", "Hi Ann"),
        ("{{ payload.name }}", "Ann & <Bob>"),
        ("[{{ missing }}{{ payload.no.such.thing }}{{ payload.none }}]", "[]"),
        ("[{{ missing | upcase }}{{ missing | date: '%Y' }}{{ missing | concat: also }}]", "[]"),
        ("{{ payload.count }} {{ payload.whole }} {{ payload.part }}", "3 2 2.5"),
        ("{{ payload.yes }}", "true"),
        ("{{ payload.object }}", "{'a':'x','b':[1]}"),
        ("{{ payload.list }}", "['a','b','c','d']"),
        ("{{ payload.list[1] }}{{ payload.list.2 }}{{ payload.people.0.name }}", "bcAnn"),
        ("{{ steps.digest-step.eventCount }}", "5"),
        (
            "{% for p in payload.people %}{{ p.name }}{% unless forloop.last %}, {% endunless %}"
            "{% endfor %}",
            "Ann, Bob, Cy",
        ),
        ("{% if payload.count > 2 %}many{% else %}few{% endif %}", "many"),
        ("{% case payload.count %}{% when 3 %}three{% endcase %}", "three"),
        ("{% assign x = payload.count | plus: 1 %}{{ x }}", "4"),
        ("{% capture x %}<{{ payload.count }}>{% endcapture %}{{ x }}", "<3>"),
        ("{% raw %}{{ x }}{% endraw %}{% comment %}{{ x{% endcomment %}.", "{{ x }}."),
        ("a  {{- payload.count -}}  b", "a3b"),
        ("a {%- if true -%} b {%- endif -%} c", "abc"),
        ("{% liquid\n assign a = 1\n echo a\n%}", "1"),
        ("{{ payload.object | json }}", "{'a':'x','b':[1]}"),
        ("{{ payload.list | digest }}", "a, b and 2 others"),
        ("{{ payload.people | digest: 2, 'name' }}", "Ann, Bob and 1 other"),
        ("{{ payload.people | digest: 3, 'name', '; ' }}", "Ann; Bob and Cy"),
        ("[{{ payload.count | digest }}]", "[]"),
        ("{{ payload.people | toSentence: 'name' }}", "Ann, Bob, and 1 other"),
        ("{{ payload.people | toSentence: 'name', 3 }}", "Ann, Bob, and Cy"),
        ("{{ payload.list | toSentence: '', 1 }}", "a and 3 others"),
        ("{{ payload.list | toSentence: '', 2, 'others' }}", "a, b, and 2 others"),
        ("{{ payload.list | slice: 0, 2 | toSentence }}", "a and b"),
        ("{{ payload.count | pluralize: 'notification' }}", "3 notifications"),
        ("{{ 1 | pluralize: 'reply' }} {{ 2 | pluralize: 'reply' }}", "1 reply 2 replies"),
        ("[{{ 0 | pluralize: 'x' }}{{ missing | pluralize: 'x' }}]", "[]"),
        ("{{ payload.list | pluralize: 'child', 'children', 'false' }}", "children"),
        ("{{ '2' | pluralize: 'box' }}", "2 boxes"),
        (
            "{{ steps.digest-step.eventCount | minus: 3 | pluralize: 'more comment', '' }}",
            "2 more comments",
        ),
        ("{{ 'now' | date: '%d.%m.%Y' }}", "15.06.2025"),
        ("{{ '2024-02-03T04:05:06Z' | date: '%Y/%m/%d %H:%M' }}", "2024/02/03 04:05"),
        ("{{ 0 | date: '%Y' }} {{ 'soon' | date: '%Y' }}", "1970 soon"),
        ("{{ payload.list | join: '-' | upcase }}", "A-B-C-D"),
        ("{{ payload.list | concat: payload.list | uniq | size }}", "4"),
        ("{{ payload.object | append: '!' }}", "{'a':'x','b':[1]}!"),
        ("{{ '<b>x</b><script>y</script>' | strip_html }}", "x"),
        ("{{ payload.name | default: 'x' }}{{ missing | default: 'x' }}", "Ann & <Bob>x"),
        ("{{ payload.__class__ }}{{ payload.name.__len__ }}{{ payload.list.append }}", ""),
    ],
)
def test_rendering(template: str, result: str) -> None:
    assert render(template, VARIABLES) == result
    assert check(template) == []


@pytest.mark.parametrize("name", ["limit", "for", "if", "empty", "in", "required", "size", "first"])
def test_words_of_the_language_are_names_after_a_dot(name: str) -> None:
    template = f"{{{{ payload.{name} }}}}{{% if payload.{name}.x == nil %}}'.{name}'{{% endif %}}"
    assert render(template, {"payload": {name: "V"}}) == f"V'.{name}'"


def test_escaping_concerns_values_and_not_the_template() -> None:
    template = "<b>{{ payload.name }}</b>{{ payload.name | raw }}{{ payload.name | escape }}"
    assert render(template, VARIABLES, escape=True) == (
        "<b>Ann &amp; &lt;Bob&gt;</b>Ann & <Bob>Ann &amp; &lt;Bob&gt;"
    )


def test_objects_of_python_have_no_parts() -> None:
    class Secret:
        password = "hunter2"

        def __str__(self) -> str:
            return "hunter2"

    seen = render("{{ x }}{{ x.password }}{{ x['password'] }}{{ x | json }}", {"x": Secret()})
    assert "hunter2" not in seen


def test_values_are_rendered_wherever_they_stand() -> None:
    controls = {"a": "{{ payload.count }}", "b": [{"c": "{{ payload.yes }}"}, 1], "d": None}
    assert render_values(controls, VARIABLES) == {"a": "3", "b": [{"c": "true"}, 1], "d": None}


@pytest.mark.parametrize(
    ("template", "kind", "part", "line"),
    [
        ("a\n{{ x", "syntax", "never closed", 2),
        ("{% if a %}", "syntax", "never closed; add '{% endif %}'", None),
        ("{% nonsense %}", "syntax", "nonsense", 1),
        ("{% include 'x' %}", "syntax", "include", 1),
        ("{% render 'x' %}", "syntax", "render", 1),
        ("{% %}", "syntax", "name", 1),
        ("{{ }}", "syntax", "is empty", 1),
        ("{% raw %}", "syntax", "endraw", 1),
        ("\n\n{{ a.b | nope }}", "unknown_filter", "'nope'", 3),
        ("{{ a | append }}", "filter_argument", "append", 1),
        ("{{ a | upcase: 1, 2 }}", "filter_argument", "upcase", 1),
        ("{{ a | truncate: 'x' }}", "filter_argument", "number", 1),
        ("{{ a | digest: 'x' }}", "filter_argument", "number", 1),
        ("{{ a | toSentence: 'name', -1 }}", "filter_argument", "zero or more", 1),
        ("{{ a | pluralize }}", "filter_argument", "needs a word", 1),
        ("{% for i in a %}{{ i | nope }}{% endfor %}", "unknown_filter", "'nope'", 1),
    ],
)
def test_faults_are_found_without_rendering(
    template: str, kind: str, part: str, line: int | None
) -> None:
    (fault,) = check(template)
    assert (fault.kind, fault.line) == (kind, line)
    assert part in fault.message


def test_a_filter_fault_names_the_variable() -> None:
    assert check("{{ payload.items[0].name | nope }}") == [
        Fault(
            "There is no filter 'nope'; correct its name or remove it.",
            "unknown_filter",
            "payload.items.0.name",
            1,
        )
    ]


def test_rendering_tells_the_same_faults() -> None:
    for template, kind in (
        ("{{ x", "syntax"),
        ("{{ 'a' | nope }}", "unknown_filter"),
        ("{{ 'a' | append }}", "filter_argument"),
        ("{{ 1 | divided_by: 0 }}", "filter_argument"),
        ("{{ '1e400' | ceil }}", "filter_argument"),
    ):
        with pytest.raises(TemplateError) as caught:
            render(template, {})
        assert caught.value.fault.kind == kind


def test_variables_are_global_ones_with_their_first_line() -> None:
    template = (
        "{% for item in payload.items %}{{ item.name }}{{ forloop.index }}{% endfor %}\n"
        "{% assign x = subscriber.firstName | default: env.NAME %}{{ x }}\n"
        "{{ payload.people[0]['first name'] }}{{ payload[context.key].a }}"
        "{{ subscriber.firstName }}"
    )
    assert variables(template) == [
        Variable("payload.items", 1),
        Variable("subscriber.firstName", 2),
        Variable("env.NAME", 2),
        Variable("payload.people.0.first name", 3),
        Variable("payload", 3),
        Variable("context.key", 3),
    ]
    assert variables("{{ broken") == []
