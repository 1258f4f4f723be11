"""Draws plots as SVG. Pure: values in, markup out; colours and sizes are the style sheet's."""

from collections.abc import Callable, Sequence

import msgspec
from markupsafe import Markup

_HEIGHT = 100
_ROUND = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1)


class Series(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    values: Sequence[float | None]
    """None: nothing was measured then, and the line has a gap."""
    color: int
    """1 to 4: the plot colours of the style sheet."""


def lines(
    title: str,
    series: Sequence[Series],
    labels: Sequence[str],
    spell: Callable[[float], str],
) -> Markup:
    """A plot with its legend. `labels` name the steps along the bottom; `spell` writes a value."""
    top = nice_top(max((value or 0 for each in series for value in each.values), default=0))
    drawn = Markup("").join(_line(each, top) for each in series)
    return Markup(
        '<figure class="plot-figure"><figcaption><h2>{title}</h2>{legend}</figcaption>'
        '<div class="plot-body"><div class="plot-y" aria-hidden="true"><span>{top}</span>'
        "<span>{middle}</span><span>{zero}</span></div>"
        '<svg class="plot" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" '
        'aria-label="{summary}"><path class="axis" d="M0 0.5H{width}M0 {half}H{width}'
        'M0 {bottom}H{width}"/>{drawn}</svg>'
        '<div class="plot-x" aria-hidden="true"><span>{first}</span><span>{mid}</span>'
        "<span>{last}</span></div></div></figure>"
    ).format(
        title=title,
        legend=_legend(series),
        top=spell(top),
        middle=spell(top / 2),
        zero=spell(0),
        width=_width(len(labels)),
        height=_HEIGHT,
        half=_HEIGHT / 2,
        bottom=_HEIGHT - 0.5,
        summary=_summary(title, series, labels, spell),
        drawn=drawn,
        first=labels[0] if labels else "",
        mid=labels[len(labels) // 2] if labels else "",
        last=labels[-1] if labels else "",
    )


def nice_top(highest: float) -> float:
    """The end of the scale: a round number at least as high as the highest."""
    if highest <= 0:
        return 2
    power = 1.0
    while power < highest:
        power *= 10
    while power / 10 >= highest:
        power /= 10
    return next(power * part for part in _ROUND if power * part >= highest)


def _width(count: int) -> int:
    return max(1, count - 1) * 10


def _line(series: Series, top: float) -> Markup:
    parts = Markup("")
    for points in _runs(series.values, top):
        text = " ".join(f"{x:g},{y:.2f}" for x, y in points)
        if len(points) == 1:
            x, y = points[0]
            text = f"{x - 0.5:g},{y:.2f} {x + 0.5:g},{y:.2f}"
        else:
            area = f"{points[0][0]:g},{_HEIGHT} {text} {points[-1][0]:g},{_HEIGHT}"
            parts += Markup('<polygon class="area a{}" points="{}"/>').format(series.color, area)
        parts += Markup('<polyline class="s{}" points="{}"/>').format(series.color, text)
    return parts


def _runs(values: Sequence[float | None], top: float) -> list[list[tuple[float, float]]]:
    """Points without gaps between them."""
    runs: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((index * 10, _HEIGHT - 1 - value / top * (_HEIGHT - 4)))
    return [run for run in runs if run]


def _legend(series: Sequence[Series]) -> Markup:
    return Markup('<ul class="legend">{}</ul>').format(
        Markup("").join(
            Markup(
                '<li><svg viewBox="0 0 18 6" aria-hidden="true"><line class="s{}" x1="2" y1="3" '
                'x2="16" y2="3"/></svg>{}</li>'
            ).format(each.color, each.label)
            for each in series
        )
    )


def _summary(
    title: str, series: Sequence[Series], labels: Sequence[str], spell: Callable[[float], str]
) -> str:
    """What somebody who does not see the plot is told."""
    said = []
    for each in series:
        measured = [(value, at) for at, value in enumerate(each.values) if value]
        if not measured:
            said.append(f"{each.label}: nothing")
            continue
        highest, at = max(measured)
        said.append(f"{each.label}: at most {spell(highest)}, at {labels[at]}")
    return f"{title}. " + "; ".join(said) + "."
