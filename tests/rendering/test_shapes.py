"""What is remembered of a mail's shape must not show: the result is that of reading each mail."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidings.rendering import plain, sanitizing, shapes

_MARKUP = """<p> </p> <div> </div>
<section> </div> <b> </b> <i class='x'> </i> <table> <tr> <td> </td> </tr> </table>
<br> <br/> <ul> <ol> <li> </li> </ul> </ol> <hr> <blockquote> </blockquote> <pre> </pre> <h1>
</h1> <script> </script> <style> </style> <textarea> </textarea> <title> <select> <svg>
<plaintext> <!--x--> <!-- <!DOCTYPE <img> <a> </a> <a/href="https://example.com/"> <o:p>
<a\thref="https://example.com/"> <a\thref="mailto:ada@example.com"> <a\thref='tel:5.'>
<img\talt="a>b"> <img\talt='picture'> <p\ttitle='> <p\ttitle="> <p\ttitle=x>
<td\tstyle="color:red"\tonclick="x()">"""
_TAGS = st.sampled_from(_MARKUP.split(" "))
_TEXTS = st.text(alphabet="ab5.-> \n\t\r\f\u00a0\u200c\u2003&;<>\"'\ue000\ue001é\0", max_size=6)
_WORDS = st.sampled_from(
    (
        *("", " ", "-", "5.", ">", "word", " two words ", "https://example.com/"),
        *("ada@example.com", "&amp;", "&lt;b&gt;", "&nbsp;", '" onclick="x()', "a\n\n\nb"),
        *("\ue0000\ue001", "x" * 3000),
    )
)
_PIECES = st.lists(st.tuples(_TAGS, _WORDS | _TEXTS, _WORDS | _TEXTS), max_size=12)


@given(_PIECES)
@example([("<p title='>", "x", '" onclick="x()'), ("<p title='>", "y", "z")])
@example([("<p>", "5.", "-"), ("<p>", "b", "c")])
def test_two_mails_of_one_shape_are_each_read_as_they_are(
    pieces: list[tuple[str, str, str]],
) -> None:
    for one in (1, 2):
        html = "".join(piece[0] + piece[one] for piece in pieces)
        safe = sanitizing.clean(html)
        assert shapes.cleaned(html) == (safe, plain.from_html(safe, cleaned=True))


def test_mails_of_one_shape_are_made_safe_once(monkeypatch: pytest.MonkeyPatch) -> None:
    mail = '<table class="once"><tr><td>Dear {}, <b>{}</b> &amp; more</td></tr></table>'
    first = shapes.cleaned(mail.format("Ada", "a lamp"))
    monkeypatch.setattr(sanitizing, "clean", None)
    second = shapes.cleaned(mail.format("Grace", "two\nchairs"))
    assert second == (
        first[0].replace("Ada", "Grace").replace("a lamp", "two\nchairs"),
        "Dear Grace, two chairs & more",
    )
