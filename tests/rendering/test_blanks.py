from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidings.rendering import language
from tidings.rendering.blanks import blanks_of

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text())
)
TEMPLATES = ("Hi {{ a.b }}!", "{{a}}", "{{ a.b }} and {{ c }}", "none", "{{ a['b'] }}")


@example("Hi {{ a.b }}!", {"b": "two\r\nlines"}, None)
@given(st.sampled_from(TEMPLATES), st.dictionaries(st.sampled_from("bx"), VALUES), VALUES)
def test_what_is_filled_in_is_what_the_language_renders(
    text: str, inner: dict[str, Any], c: Any
) -> None:
    variables = {"a": inner, "c": c}
    for environment, escaping in ((language.PLAIN, False), (language.ESCAPING, True)):
        template = environment.from_string(text)
        blanks = blanks_of(template, escaping)
        assert blanks is not None
        filled = blanks.fill(variables)
        assert filled is None or filled == template.render(variables)


SHARING = (
    "{{ a.b }}: {% for each in payload.b %}<{{ each }}>{% else %}none{% endfor %}",
    "{{ payload.b | upcase }}{{ payload.x | json }} and {{ c }}",
    "{% unless payload.b == 'x' %}{{ payload.x }}{% endunless %}{{ a.x }}{{ 1 | plus: 'x' }}",
    "{% case payload.b %}{% when 'x' %}{{ context.b }}{% else %}-{% endcase %}{{ c }}",
    "{% for n in (1..9) %}{{ n }}{{ forloop.last }}{{ payload.b }}{% endfor %}{{ c }}",
)


@given(
    st.sampled_from(SHARING),
    st.lists(st.dictionaries(st.sampled_from("bx"), VALUES), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), VALUES), min_size=1, max_size=6),
)
def test_parts_that_only_depend_on_the_event_are_rendered_for_each_event(
    text: str, payloads: list[dict[str, Any]], events: list[tuple[int, Any]]
) -> None:
    for environment, escaping in ((language.PLAIN, False), (language.ESCAPING, True)):
        template = environment.from_string(text)
        blanks = blanks_of(template, escaping)
        assert blanks is not None
        for which, c in events:
            payload = payloads[which % len(payloads)]
            variables = {
                "payload": payload,
                "context": payloads[0],
                "a": {"b": "ä", "x": c},
                "c": c,
            }
            filled = blanks.fill(variables)
            assert filled is None or filled == template.render(variables)


def test_they_are_rendered_once_for_all_who_receive_it(monkeypatch: pytest.MonkeyPatch) -> None:
    template = language.PLAIN.from_string("{{ c }}{% for x in payload.x %}{{ x }}{% endfor %}")
    blanks = blanks_of(template, False)
    assert blanks is not None
    payload = {"x": ["a", "b"]}
    assert blanks.fill({"c": "1", "payload": payload}) == "1ab"
    monkeypatch.setattr("tidings.rendering.blanks.Context", None)
    assert blanks.fill({"c": "2", "payload": payload}) == "2ab"


def test_what_counts_much_work_is_left_to_the_language() -> None:
    loop = "{% for a in payload.x %}{% for b in payload.x %}.{% endfor %}{% endfor %}"
    blanks = blanks_of(language.PLAIN.from_string(loop), False)
    assert blanks is not None
    assert blanks.fill({"payload": {"x": list(range(5))}}) == "." * 25
    assert blanks.fill({"payload": {"x": list(range(80))}}) is None


@pytest.mark.parametrize(
    "text",
    [
        "{{ a | upcase }}",
        "{% if a %}x{% endif %}",
        "{{ a[0] }}",
        "{{ 'now' | date: '%H' }}",
        "{% assign x = payload.a %}{{ x }}",
        "{% for each in payload.x offset: continue %}{{ each }}{% endfor %}",
        "{% for each in payload.x %}{{ each }}{{ subscriber.firstName }}{% endfor %}",
        "{% for each in payload.x %}{% cycle 'a', 'b' %}{% endfor %}",
    ],
)
def test_anything_else_is_left_to_the_language(text: str) -> None:
    assert blanks_of(language.PLAIN.from_string(text), False) is None
