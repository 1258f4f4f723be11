from tidings.domain.differences import between
from tidings.domain.workflows import Definition, Preference, Preferences, Step


def step(key: str, **controls: object) -> Step:
    return Step(id=f"id-{key}-{len(controls)}", key=key, name=key, type="sms", controls=controls)


def workflow(*steps: Step, name: str = "W") -> Definition:
    return Definition(key="w", name=name, steps=list(steps))


def said(before: Definition, after: Definition) -> list[str]:
    return [str(change) for change in between(before, after)]


def test_ids_and_issues_make_no_difference() -> None:
    one = Step(id="1", key="a", name="a", type="sms", uses=["payload.x"])
    two = Step(id="2", key="a", name="a", type="sms")
    assert said(workflow(one), workflow(two)) == []


def test_filled_preferences_are_the_same() -> None:
    filled = Definition(key="w", name="W", preferences=Preferences(default=Preference().filled()))
    assert said(workflow(), filled) == []


def test_what_changed() -> None:
    before = workflow(step("a", body="1", x=1), step("b"), step("c"))
    after = workflow(step("c"), step("a", body="2"), step("d"), name="V")
    assert said(before, after) == [
        'name: "W" -> "V"',
        "steps.b: removed (sms step 'b')",
        "steps.c: moved from place 3 to 1",
        'steps.a.controls.body: "1" -> "2"',
        "steps.a.controls.x: removed (1)",
        "steps.a: moved from place 1 to 2",
        "steps.d: added (sms step 'd')",
    ]


def test_a_number_is_not_a_truth() -> None:
    assert said(workflow(step("a", x=1)), workflow(step("a", x=True))) == [
        "steps.a.controls.x: 1 -> true"
    ]
