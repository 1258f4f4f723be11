"""Subscribers in files: reads and writes CSV and JSON lines, one record at a time."""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO

import msgspec

from tidings.domain.errors import RefusedError
from tidings.domain.subscribers import FIELDS, Profile, Subscriber, problems

Format = Literal["csv", "jsonl"]

_EDGE = 1 << 20


class WireProfile(msgspec.Struct, kw_only=True, rename="camel"):
    """A record as it is written in a file."""

    subscriber_id: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    avatar: str | None = None
    locale: str | None = None
    timezone: str | None = None
    data: dict[str, Any] | None = None


COLUMNS = WireProfile.__struct_encode_fields__
_WIRE_NAMES = dict(zip(("key", *FIELDS), COLUMNS, strict=True))


class Record(NamedTuple):
    """One record of a file: what it says, or why it cannot be used."""

    line: int
    key: str
    profile: Profile | None
    problem: str = ""


class Reader:
    """Reads a file record by record; `position` tells how many bytes of it were taken in."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.size = path.stat().st_size
        self._text = io.TextIOWrapper(self._file, "utf-8-sig", errors="surrogateescape", newline="")
        self._records = _csv(self._text) if format_of(path) == "csv" else _lines(self._file)

    @property
    def position(self) -> int:
        return self._file.tell()

    def skip(self, count: int) -> None:
        for _ in range(count):
            next(self._records, None)

    def __iter__(self) -> Iterator[Record]:
        for line, read in self._records:
            yield _record(line, read)

    def close(self) -> None:
        self._text.close()


def format_of(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return "csv"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    raise RefusedError(f"{path} must end in .csv, .jsonl or .ndjson, which tells its format.")


def fingerprint(path: Path) -> str:
    """Tells files apart, however large, by their size, beginning and end."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        digest = hashlib.sha256(f"{size}\n".encode() + file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()[:32]


class Writer:
    """Writes subscribers the way Reader reads them."""

    def __init__(self, file: TextIO, format: Format) -> None:
        self._file = file
        self._table = csv.writer(file, lineterminator="\n") if format == "csv" else None
        if self._table is not None:
            self._table.writerow(COLUMNS)

    def write(self, subscriber: Subscriber) -> None:
        values = [getattr(subscriber, name) for name in ("key", *FIELDS)]
        if self._table is not None:
            self._table.writerow(
                bytes(value).decode() if isinstance(value, msgspec.Raw) else value
                for value in values
            )
            return
        said = {
            name: value for name, value in zip(COLUMNS, values, strict=True) if value is not None
        }
        self._file.write(msgspec.json.encode(said).decode() + "\n")


_Read = Callable[[], Any]


def _csv(text: TextIO) -> Iterator[tuple[int, _Read]]:
    rows = csv.reader(text)
    header = [name.strip() for name in next(rows, [])]
    _check_header(header)
    return _rows(rows, header)


def _rows(rows: Any, header: list[str]) -> Iterator[tuple[int, _Read]]:
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield rows.line_num, _refusal(str(error))
            continue
        if row:
            yield rows.line_num, lambda row=row: _from_row(header, row)  # type: ignore[misc]


def _lines(file: io.BufferedReader) -> Iterator[tuple[int, _Read]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield number, lambda line=line: msgspec.json.decode(line)  # type: ignore[misc]


def _check_header(header: list[str]) -> None:
    unknown = [name for name in header if name not in COLUMNS]
    if unknown or "subscriberId" not in header:
        problem = f"has the unknown column {unknown[0]!r}" if unknown else "lacks subscriberId"
        raise RefusedError(
            f"The first line of the file {problem}. It must name the columns, from: "
            f"{', '.join(COLUMNS)}."
        )


def _from_row(header: list[str], row: list[str]) -> dict[str, Any]:
    if len(row) != len(header):
        raise ValueError(f"has {len(row)} cells where the first line has {len(header)}")
    said: dict[str, Any] = {
        name: cell for name, cell in zip(header, row, strict=True) if cell != ""
    }
    if "data" in said:
        with suppress(msgspec.DecodeError):  # then it stays a text, which is refused with its key
            said["data"] = msgspec.json.decode(said["data"])
    return said


def _refusal(reason: str) -> _Read:
    def refuse() -> Any:
        raise ValueError(reason)

    return refuse


def _record(line: int, read: _Read) -> Record:
    values: Any = None
    try:
        values = read()
        wire = msgspec.convert(values, WireProfile)
        said = {name: getattr(wire, name) or None for name in FIELDS if name != "data"} | {
            "key": wire.subscriber_id.strip(),
            "data": wire.data,
        }
        found = problems(said)
        if found:
            text = "; ".join(f"{_WIRE_NAMES[name]} {each}" for name, each in found.items())
            return Record(line, said["key"], None, text)
        "".join(value for value in said.values() if isinstance(value, str)).encode()
        return Record(line, said["key"], Profile(**said))
    except UnicodeError:
        return Record(line, _key(values), None, "is not valid UTF-8")
    except (ValueError, msgspec.MsgspecError) as error:
        return Record(line, _key(values), None, str(error).replace("`", ""))


def _key(values: Any) -> str:
    key = values.get("subscriberId") if isinstance(values, dict) else None
    return key.encode(errors="replace").decode() if isinstance(key, str) else ""
