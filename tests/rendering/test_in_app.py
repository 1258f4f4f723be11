"""In-app messages: texts cleaned, addresses checked, targets defaulted."""

from tidings.rendering.in_app import Action, Redirect, render_in_app

VARIABLES = {"payload": {"name": "Tom & Jerry", "url": "/orders/1", "bad": "javascript:alert(1)"}}


def test_everything_is_rendered() -> None:
    seen = render_in_app(
        {
            "subject": "Hi {{ payload.name }}",
            "body": "<b>{{ payload.name }}</b><script>x</script>",
            "avatar": "https://a.example/{{ payload.name | url_encode }}.png",
            "primaryAction": {
                "label": "Open {{ payload.name }}",
                "redirect": {"url": "{{ payload.url }}", "target": "_blank"},
            },
            "secondaryAction": {"label": "Later"},
            "redirect": {"url": "{{ payload.url }}"},
            "data": {"key": "{{ payload.name }}", "n": 1},
        },
        VARIABLES,
    )
    assert seen.subject == "Hi Tom & Jerry"
    assert seen.body == "<b>Tom & Jerry</b>"
    assert seen.avatar == "https://a.example/Tom+%26+Jerry.png"
    assert seen.primary_action == Action("Open Tom & Jerry", Redirect("/orders/1", "_blank"))
    assert seen.secondary_action == Action("Later", None)
    assert seen.redirect == Redirect("/orders/1", "_self")
    assert seen.data == {"key": "Tom & Jerry", "n": 1}


def test_what_is_absent_or_unsafe_is_left_out() -> None:
    seen = render_in_app(
        {
            "avatar": "{{ payload.bad }}",
            "primaryAction": {"label": "  {{ payload.none }}"},
            "secondaryAction": {"label": "x", "redirect": {"url": "{{ payload.bad }}"}},
            "redirect": {"url": "mailto:a@b.example", "target": "_nowhere"},
            "data": "x",
        },
        VARIABLES,
    )
    assert (seen.subject, seen.body, seen.avatar, seen.primary_action) == ("", "", None, None)
    assert seen.secondary_action == Action("x", None)
    assert seen.redirect is None
    assert seen.data == {}


def test_sanitising_can_be_switched_off() -> None:
    seen = render_in_app({"body": "<h1>x</h1>", "disableOutputSanitization": True}, {})
    assert seen.body == "<h1>x</h1>"
