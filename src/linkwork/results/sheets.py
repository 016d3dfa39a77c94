"""Worksheets: names and numbers in, an .xlsx workbook out, with all digits and the same bytes for the same input.

A workbook is a zip of XML texts (ECMA-376); texts are kept in their cells, so that none can be taken for a formula.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO

from linkwork.errors import LinkworkError
from linkwork.quoting import xml_text

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a worksheet
LONGEST = 32_767  # characters of a cell
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# the first row and the first column stay in sight
VIEW = (
    '<sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="1" topLeftCell="B2" state="frozen"/>'
    "</sheetView></sheetViews>"
)
Row = Sequence[float | str]


def write_sheets(file: IO[bytes], sheets: Mapping[str, Sequence[Row]]) -> None:
    """Write a workbook, a worksheet for each name; the first of them with its first row and column held."""
    for name, rows in sheets.items():
        width = max((len(row) for row in rows), default=0)
        if len(rows) > MOST_ROWS or width > MOST_COLUMNS:
            size = f"{len(rows)} rows of {width} columns are too many for the worksheet '{name}'"
            raise LinkworkError(f"{size}. Give fewer points, or write .csv")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in _frame(list(sheets)).items():
            book.writestr(_entry(name), HEAD + text)
        for i, rows in enumerate(sheets.values(), 1):
            with book.open(_entry(f"xl/worksheets/sheet{i}.xml"), "w", force_zip64=True) as sheet:
                for piece in _sheet(rows, VIEW if i == 1 else ""):
                    sheet.write(piece.encode())


def _entry(name: str) -> zipfile.ZipInfo:
    """A file of the zip without the hour of its making: the same input gives the same file."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _frame(names: Sequence[str]) -> dict[str, str]:
    """The texts around the worksheets: what is where."""
    numbered = list(enumerate(names, 1))
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{KIND}.worksheet+xml"/>' for i, _ in numbered
    )
    listed = "".join(f'<sheet name="{_text(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, name in numbered)
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i, _ in numbered
    )
    book = f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
    relations = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    root = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    return {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">{relations}{book}{parts}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{LINKS}">{root}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{LINKS}">{links}</Relationships>',
    }


def _sheet(rows: Iterable[Row], view: str) -> Iterator[str]:
    yield f'{HEAD}<worksheet xmlns="{MAIN}">{view}<sheetData>'
    for row in rows:
        yield f"<row>{''.join(map(_cell, row))}</row>"
    yield "</sheetData></worksheet>"


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{_text(value)}</t></is></c>'
    # repr has as many digits as tell a number from its neighbours; what is no number leaves its cell empty
    return f"<c><v>{value!r}</v></c>" if abs(value) < float("inf") else "<c/>"


def _text(words: str) -> str:
    return xml_text(words[:LONGEST])
