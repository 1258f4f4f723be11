"""Our Liquid: the library's, without partials and Python objects, and with everything counted."""

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, TextIO

from liquid import BoundTemplate, Environment, RenderContext, escape
from liquid.ast import BlockNode, Node
from liquid.builtin.expressions import Filter, FilteredExpression, Path
from liquid.builtin.expressions.primitive import RangeLiteral
from liquid.builtin.output import Output, OutputNode
from liquid.builtin.tags.echo_tag import EchoNode, EchoTag
from liquid.builtin.tags.for_tag import ForNode, ForTag
from liquid.builtin.tags.tablerow_tag import TablerowNode, TablerowTag
from liquid.exceptions import FilterArgumentError, LiquidError
from liquid.expression import Expression
from liquid.stream import TokenStream
from liquid.token import Token
from liquid.undefined import UNDEFINED, is_undefined

from tidings.rendering import lexing, limits
from tidings.rendering.filters import OURS
from tidings.rendering.values import as_text

_PARTIALS = ("include", "render")
_ON_LISTS = frozenset(
    (
        *("first", "last", "concat", "map", "reverse", "sort", "sort_natural", "where", "reject"),
        *("find", "find_index", "has", "compact", "sum", "default", "slice"),
    )
)
"""Filters that want the value as it is. The others work on text."""


class Context(RenderContext):
    """Counts the work of one rendering and what it holds."""

    __slots__ = ("_held", "_sizes", "work")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.work = limits.WORK
        self._held = 0
        self._sizes: dict[str, int] = {}

    def charge(self, steps: int) -> None:
        self.work -= steps
        if self.work < 0:
            raise limits.refuse(limits.TOO_MUCH_WORK)

    def get(self, path: list[object], *, token: Token | None, default: object = UNDEFINED) -> Any:
        value = super().get(path, token=token, default=default)
        if isinstance(value, str):
            if len(value) > 1024:
                self.charge(len(value) >> 8)
        elif isinstance(value, dict | list):
            self.charge(limits.weigh(value) >> 4)
        return value

    def get_item(self, obj: Any, key: Any) -> Any:
        if not isinstance(obj, Mapping | list | tuple | str | range):
            raise TypeError("only objects, lists and texts have parts")
        return super().get_item(obj, key)

    def assign(self, key: str, val: Any) -> None:
        size = limits.weigh(val)
        self._held += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        self.charge(1 + (size >> 8))
        if self._held > limits.HELD:
            raise limits.refuse("The template keeps too much in its variables; assign less")
        super().assign(key, val)


class _Bound(BoundTemplate):
    context_class = Context


class _Text:
    """Writes values the way the public system does, escaped where the environment asks."""

    expression: Expression

    def render_to_output(self, context: RenderContext, buffer: TextIO) -> int:
        value = self.expression.evaluate(context)
        text = value if isinstance(value, str) else as_text(value)
        return buffer.write(escape(text) if context.autoescape else text)


class _OutputNode(_Text, OutputNode):
    __slots__ = ()


class _EchoNode(_Text, EchoNode):
    __slots__ = ()


class _Output(Output):
    node_class = _OutputNode


class _Echo(EchoTag):
    node_class = _EchoNode


class _CountedBlock(BlockNode):
    """The inside of a loop: every round costs what its text is long."""

    __slots__ = ("cost",)

    def __init__(self, block: BlockNode, cost: int) -> None:
        super().__init__(block.token, block.nodes)
        self.cost = cost

    def render_to_output(self, context: RenderContext, buffer: TextIO) -> int:
        assert isinstance(context, Context)
        context.charge(self.cost)
        return super().render_to_output(context, buffer)


def _counted(node: Node, start: int, end: int) -> Node:
    assert isinstance(node, ForNode | TablerowNode)
    node.block = _CountedBlock(node.block, 1 + max(end - start, 0) // 16)
    return node


class _For(ForTag):
    def parse(self, stream: TokenStream) -> Node:
        start = stream.current.start_index
        return _counted(super().parse(stream), start, stream.current.start_index)


class _Tablerow(TablerowTag):
    def parse(self, stream: TokenStream) -> TablerowNode:
        start = stream.current.start_index
        node = super().parse(stream)
        _counted(node, start, stream.current.start_index)
        return node


class _Range(RangeLiteral):
    __slots__ = ()

    def evaluate(self, context: RenderContext) -> range:
        numbers = super().evaluate(context)
        limits.bounded(numbers)
        assert isinstance(context, Context)
        context.charge(len(numbers) >> 3)
        return numbers


class Language(Environment):
    template_class = _Bound
    block_nesting_limit = limits.BLOCK_NESTING
    output_stream_limit = limits.OUTPUT_BYTES
    shorthand_indexes = True

    def setup_tags_and_filters(self, *, extra: bool = False) -> None:
        super().setup_tags_and_filters(extra=extra)
        for name in _PARTIALS:
            del self.tags[name]
        for tag in (_Output, _Echo, _For, _Tablerow):
            self.add_tag(tag)
        for name, function in {**self.filters, **OURS}.items():
            self.add_filter(name, _counting(name, function))

    def tokenizer(self) -> Callable[[str], Iterator[Token]]:
        return lexing.tokens

    def from_string(self, source: str, *args: Any, **named: Any) -> BoundTemplate:
        template = super().from_string(source, *args, **named)
        for expression in expressions(template.nodes):
            if type(expression) is RangeLiteral:
                # The parser has no place to say which class a range is of.
                expression.__class__ = _Range
        return template


def _counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter with its input and output measured; what is missing stays empty."""
    environment = getattr(function, "with_environment", False)
    as_is = name in _ON_LISTS or name in OURS

    @wraps(function)
    def counted(left: Any, *args: Any, context: Context, **named: Any) -> Any:
        values = (left, *args, *named.values())
        for value in values:
            limits.bounded(value)
            context.charge(1 + (limits.weigh(value) >> 5))
        if environment:
            named["environment"] = context.env
        if name == "date":
            named["now"] = context.globals.get("now")
        if not as_is and isinstance(left, dict | list | tuple | float):
            left = as_text(left)
        try:
            return limits.bounded(function(left, *args, **named))
        except limits.TooMuchError:
            raise
        except Exception as error:
            if any(is_undefined(value) for value in values):
                return ""
            if isinstance(error, LiquidError | RecursionError | MemoryError):
                raise
            raise FilterArgumentError(f"{name}: {error}", token=None) from error

    counted.with_context = True  # type: ignore[attr-defined]
    counted.with_environment = False  # type: ignore[attr-defined]
    return counted


def signature(name: str, environment: Environment) -> inspect.Signature | None:
    """The arguments a template may give to a filter; None for a filter that is not known."""
    function = environment.filters.get(name)
    if function is None:
        return None
    inner = inspect.signature(function)
    hidden = ("environment", "context", "now")
    shown = [p for p in inner.parameters.values() if p.name not in hidden]
    return inner.replace(parameters=shown)


def expressions(nodes: Iterable[Node]) -> Iterator[Expression]:
    """Every expression of a template, inner ones included."""
    waiting: list[Node] = list(nodes)
    while waiting:
        node = waiting.pop()
        found = list(node.expressions())
        while found:
            expression = found.pop()
            yield expression
            found.extend(expression.children())
        waiting.extend(node.children(None, include_partials=False))  # type: ignore[arg-type]


def filters(nodes: Iterable[Node]) -> Iterator[tuple[Filter, str | None]]:
    """Every filter, and the variable it is used on."""
    for expression in expressions(nodes):
        if isinstance(expression, FilteredExpression):
            variable = plain_path(expression.left)
            yield from ((used, variable) for used in expression.filters or ())


def plain_path(expression: Expression) -> str | None:
    """`payload.items.0.name`; up to the first part that is itself looked up."""
    if not isinstance(expression, Path):
        return None
    plain = itertools.takewhile(lambda part: not isinstance(part, Path), expression.path)
    return ".".join(str(part) for part in plain)


PLAIN = Language()
ESCAPING = Language(autoescape=True)
