"""linkwork new: a commented file to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, say
from linkwork.errors import LinkworkError, no_folder

SCHEMA = "linkwork.schema.json"
GOOD_NAME = re.compile(r"\w[\w .+-]{0,99}")


@app.command(short_help="Write a commented file that runs, to start from.")
def new(
    name: Annotated[str, typer.Argument(help="what to call it: NAME.yaml is written")] = "",
    like: Annotated[str, typer.Option(help="what to start from; 'list' shows all there is")] = "pendulum",
) -> None:
    """Write a commented file that runs, to be changed into your own mechanism."""
    from linkwork.spec.template import list_templates, read_template

    if like == "list":
        for known, what in list_templates().items():
            say(f"{known:>16}  {what}")
        return
    text = read_template(like)
    path = _find_path(name)
    _write(path, _modeline(path) + text)
    say(f"wrote {path}, a mechanism like '{like}'. Try: linkwork run {path}")


def _find_path(name: str) -> Path:
    """NAME.yaml, where there is nothing yet; anything else is refused in words."""
    if not name:
        raise LinkworkError("how the file is to be called is not said. Write linkwork new NAME --like four-bar")
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    if not GOOD_NAME.fullmatch(path.stem) or name.endswith("/"):
        remedy = "Use letters, digits, - and _, starting with a letter or digit"
        raise LinkworkError(f"'{name[:100]}' is not a good name for a file. {remedy}")
    return path


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise LinkworkError(f"'{path}' exists already and is left as it is. Choose another name") from None
    except (FileNotFoundError, NotADirectoryError):
        raise LinkworkError(no_folder(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise LinkworkError(f"cannot write '{path}': {reason}") from None


def _modeline(path: Path) -> str:
    """The line that tells editors where the schema is, if it lies beside the file or in a folder above it."""
    folder = path.absolute().parent
    for up, place in enumerate((folder, *folder.parents)):
        if (place / SCHEMA).is_file():
            return f"# yaml-language-server: $schema={'../' * up}{SCHEMA}\n"
    return ""
