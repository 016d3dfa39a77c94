"""Texts of users as texts of other languages: in comments, strings, docstrings, attributes and headings.

Titles, names, units and descriptions come from anybody; nothing but these functions puts them into code, documents and
pictures. Each makes one visible line of a text first (`show_line`), so that only characters remain to be quoted that
mean something within a line of the language. A comment is to be placed after its mark and a space.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from linkwork.errors import show_line, show_text

# -- C -----------------------------------------------------------------------------------------------------------------

APART_IN_C = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)")  # what ends a comment, begins one, makes a trigraph


def c_comment(text: str) -> str:
    r"""A text between /* and */.

    >>> c_comment("a */ b ??/"), c_comment("*\\")
    ('a * / b ? ?/', '*\\')
    """
    return APART_IN_C.sub(" ", show_line(text))


def c_string(text: str) -> str:
    r"""A string of C in printable ASCII, whatever the encoding of sources is.

    >>> c_string('β "x" ??/')
    '"\\316\\262 \\042x\\042 \\077\\077/"'
    """
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in show_line(text).encode())
    return f'"{"".join(plain)}"'


# -- Fortran -----------------------------------------------------------------------------------------------------------

LONGEST_PIECE = 80  # bytes of a string of Fortran in one line, which may be 132 bytes long


def fortran_comment(text: str) -> str:
    """A text behind !, also for compilers that run the preprocessor of C first."""
    return c_comment(text)


def fortran_string(text: str) -> str:
    """A string of Fortran; a long one goes on in further lines.

    >>> fortran_string('5" & more')
    '"5"" & more"'
    """
    pieces = [""]
    for character in show_line(text):
        quoted = '""' if character == '"' else character
        if len(pieces[-1].encode()) + len(quoted.encode()) > LONGEST_PIECE:
            pieces.append("")
        pieces[-1] += quoted
    return "// &\n         ".join(f'"{piece}"' for piece in pieces)


def count_bytes(text: str) -> int:
    """The length of a string of Fortran."""
    return len(show_line(text).encode())


# -- Python ------------------------------------------------------------------------------------------------------------

CODING = re.compile(r"(coding)(?=[:=])")  # in a comment at the beginning of a file it would choose the encoding


def python_comment(text: str) -> str:
    """A text behind #, in any line of a file.

    >>> python_comment("coding: utf-7")
    'coding : utf-7'
    """
    return CODING.sub(r"\1 ", show_line(text))


def python_doc(text: str) -> str:
    r"""A text within a docstring.

    >>> print(python_doc(r'\N{"}'))
    \\N{\"}
    """
    return show_line(text).replace("\\", "\\\\").replace('"', '\\"')


def python_string(text: str) -> str:
    """A string of Python."""
    return repr(show_line(text))


# -- Julia, MATLAB, Rust -----------------------------------------------------------------------------------------------


def line_comment(text: str) -> str:
    """A text behind #, % or //, and a space: comments of Julia, MATLAB and Rust, and of lists of parameters."""
    return show_line(text)


def julia_string(text: str) -> str:
    r"""A string of Julia.

    >>> julia_string('$(run)')
    '"\\$(run)"'
    """
    return '"' + re.sub(r'([\\"$])', r"\\\1", show_line(text)) + '"'


def matlab_string(text: str) -> str:
    """A string of MATLAB and Octave.

    >>> matlab_string("M'")
    "'M'''"
    """
    return "'" + show_line(text).replace("'", "''") + "'"


def rust_string(text: str) -> str:
    """A string of Rust."""
    return '"' + re.sub(r'([\\"])', r"\\\1", show_line(text)) + '"'


# -- documents ---------------------------------------------------------------------------------------------------------

MARKDOWN = re.compile(r"[\\`*<>|~$&#]|\](?=[(\[:])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[-+=](?=\s|$)")


def markdown_text(text: str) -> str:
    r"""A text in a line or a table of Markdown, in which HTML is text, too.

    >>> markdown_text("four_bar <b> a|b")
    'four_bar \\<b\\> a\\|b'
    """
    return MARKDOWN.sub(lambda found: f"\\{found[0]}", show_line(text))


def markdown_code(text: str) -> str:
    """A text in letters of one width, also in a table of Markdown.

    >>> markdown_code("a`b")
    "`a'b`"
    """
    return "`" + show_line(text).replace("`", "'").replace("|", "\\|") + "`"


def markdown_block(text: str) -> str:
    """Lines as they are, in a block of Markdown."""
    return "```text\n" + show_text(text).replace("```", "'''").strip() + "\n```"


SPECIAL_IN_LATEX = str.maketrans(
    {c: "\\" + c for c in "#$%&_{}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "`": "{`}", '"': "{''}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)
SPECIAL_IN_FORMULAS = str.maketrans(
    {c: "\\" + c for c in "#$%&_{}"} | {"\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
)


def latex_text(text: str) -> str:
    r"""A text in a paragraph of LaTeX.

    >>> latex_text("100% \\input{x}")
    '100\\% \\textbackslash{}input\\{x\\}'
    """
    return show_line(text).translate(SPECIAL_IN_LATEX)


def latex_math(text: str) -> str:
    r"""A text in a formula of LaTeX, as in \mathrm{...}."""
    return show_line(text).translate(SPECIAL_IN_FORMULAS)


def mathtext(text: str) -> str:
    """Lines in a picture of matplotlib: what stands between dollar signs there would be a formula."""
    return show_text(text).replace("$", r"\$")


def xml_text(text: str) -> str:
    """Lines in an element of XML or HTML; both have no place for most control characters."""
    return html.escape(show_text(text))


def xml_attribute(text: str) -> str:
    """The value of an attribute of XML, with its quotes.

    >>> xml_attribute('a<"b"')
    '\\'a&lt;"b"\\''
    """
    return quoteattr(show_line(text))


SPECIAL_IN_SCRIPTS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def script_json(data: Any) -> str:
    """Data as JSON within a script of a page: no character of it ends the script or begins a tag."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(SPECIAL_IN_SCRIPTS)


# -- names -------------------------------------------------------------------------------------------------------------


def column_name(text: str) -> str:
    """A name at the head of a column, between double quotes there.

    >>> column_name('the "first"')
    "the 'first'"
    """
    return show_line(text).replace('"', "'")


def csv_head(names: Iterable[str]) -> str:
    """The first line of a table of comma-separated values.

    >>> csv_head(["t", "atan2(A.x, A.y)"])
    't,"atan2(A.x, A.y)"'
    """
    lines = [show_line(name) for name in names]
    return ",".join('"' + line.replace('"', '""') + '"' if re.search('[",]', line) else line for line in lines)


def file_name(text: str) -> str:
    """A text as the name of a file or a folder, without ways out of the folder that it is made in.

    >>> file_name("../../etc/x"), file_name(" "), file_name("four bar")
    ('_.._etc_x', 'model', 'four bar')
    """
    return re.sub(r"[/\\:\0]+", "_", show_line(text)).lstrip(".-~ ").rstrip(". ")[:100] or "model"
