from tidings.domain.issues import ContentIssue, ContentIssueType
from tidings.web.steps_blocks import Block
from tidings.web.steps_form import Edited
from tidings.web.steps_problems import Place, located

_ILLEGAL: ContentIssueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE"


def test_a_problem_of_an_e_mail_is_told_at_its_block() -> None:
    texts = ["Fine", "{{ payload.nope }}", "Open {{ payload.x"]
    edited = Edited(
        name="Mail",
        controls={},
        blocks=[Block("paragraph", {"text": text, "align": ""}) for text in texts],
    )
    issues = {
        "body": [
            ContentIssue(_ILLEGAL, "Unknown.", "payload.nope"),
            ContentIssue(_ILLEGAL, "Elsewhere.", "payload.gone"),
        ]
    }
    assert located("email", edited, issues) == {
        "block.1": [Place("Unknown.")],
        "body": [Place("Elsewhere.")],
    }


def test_liquid_that_cannot_be_read_is_told_at_its_block_once() -> None:
    blocks = [Block("paragraph", {"text": t, "align": ""}) for t in ("Fine", "{% if payload.x %}")]
    edited = Edited(name="Mail", controls={}, blocks=blocks)
    told = [ContentIssue(_ILLEGAL, "Not valid. (line 2)"), ContentIssue(_ILLEGAL, "Not valid.")]
    assert located("email", edited, {"body": told}) == {"block.1": [Place("Not valid.")]}


def test_a_problem_in_a_long_text_is_told_with_its_line() -> None:
    edited = Edited(name="Text", controls={"body": "Hello\n{{ payload.nope }}"})
    issues = {"body": [ContentIssue(_ILLEGAL, "Unknown.", "payload.nope")]}
    assert located("sms", edited, issues) == {"body": [Place("Unknown.", 2)]}
