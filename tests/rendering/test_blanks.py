from typing import Any

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


def test_anything_else_is_left_to_the_language() -> None:
    for text in ("{{ a | upcase }}", "{% if a %}x{% endif %}", "{{ a[0] }}"):
        assert blanks_of(language.PLAIN.from_string(text), False) is None
