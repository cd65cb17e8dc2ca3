"""The synthetic data set that ships with this package."""

from functools import cache
from importlib.resources import files

from ._load import parse_bytes
from ._model import Dataset


@cache
def load_mini() -> Dataset:
    """Read the synthetic data set that ships with this package.

    Two conversations of five sessions in the format of `locomo10.json`, written
    for this project and under its licence. It holds all five categories and the
    quirks of the real file (images, an integer gold, malformed evidence, a ghost
    date), so it serves as a tutorial and as a test bed.

    Example:
        >>> [c.sample_id for c in load_mini().conversations]
        ['mini-1', 'mini-2']
    """
    resource = files("locomo_dataset") / "data" / "mini.json"
    return parse_bytes(resource.read_bytes(), "mini.json")
