"""linkwork schema: the file format as a JSON Schema, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, check_target, say


@app.command(short_help="Print the JSON Schema of the file format, for editors.")
def schema(
    out: Annotated[Path | None, typer.Option("--out", "-o", help="write it to this file instead")] = None,
) -> None:
    """Print the JSON Schema of the file format, by which editors complete, check and explain."""
    import json

    from linkwork.spec.schema import make_schema

    text = (json.dumps(make_schema(), indent=2, ensure_ascii=False) + "\n").encode()
    if out is None:
        typer.echo(text, nl=False)
    else:
        from linkwork.results import write_whole

        check_target(out)
        write_whole(out, lambda file: file.write(text))
        say(f"{out} ({len(text) / 1e3:.3g} kB)")
