"""The plain language: the same program in all languages, and names that nothing else of an export may have."""

import re
from importlib.resources import files

import pytest

from linkwork.export.others import JULIA, MATLAB, RUST
from linkwork.export.plain import Constants, transcribe
from linkwork.export.plain_languages import Julia, Matlab, Rust

TEXT = '''
def total(values: Reals, scale: Real) -> Real:
    """their sum, by a scale"""
    found = 0.0
    for i in range(COUNT):
        # what is negative does not count
        if not values[i] < 0.0:
            found += values[i] / (scale + 1.0)
    return found
'''
WRITTEN = {
    Rust: """/// their sum, by a scale
pub fn total(values: &[f64], scale: f64) -> f64 {
    let mut found: f64 = 0.0;
    for i in 0..COUNT {
        // what is negative does not count
        if !(values[i as usize] < 0.0) {
            found += values[i as usize] / (scale + 1.0);
        }
    }
    return found;
}
""",
    Julia: """"their sum, by a scale"
function total(values, scale)
    found = 0.0
    for i in 0:(COUNT - 1)
        # what is negative does not count
        if !(values[i + 1] < 0.0)
            found += values[i + 1] / (scale + 1.0)
        end
    end
    return found
end
""",
    Matlab: """function found = total(values, scale)
    % their sum, by a scale
    d = tables();
    found = 0.0;
    for i = 0:(d.COUNT - 1)
        % what is negative does not count
        if ~(values(i + 1) < 0.0)
            found = found + values(i + 1) / (scale + 1.0);
        end
    end
end
""",
}


@pytest.mark.parametrize("printer", WRITTEN)
def test_a_plain_program_is_written_in_each_language(printer):
    assert transcribe(TEXT, Constants({"COUNT": 3}, {}), {}, printer) == WRITTEN[printer]


def test_functions_of_plain_programs_are_names_that_nothing_else_gets():
    folder = files("linkwork.export").joinpath("templates/plain")
    found = {name for text in folder.iterdir() for name in re.findall(r"^def (\w+)", text.read_text(), re.MULTILINE)}
    for dialect in (JULIA, MATLAB, RUST):
        assert found <= dialect.language.reserved
