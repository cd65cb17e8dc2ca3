"""The errors of this package.

```text
DatasetError      a file or a look-up that cannot be used
└── FetchError    a download that did not end with the right file
```
"""


class DatasetError(Exception):
    """A data set or errata file that cannot be used, or an id that is not in it.

    The text is one printable line that says where, what was expected and what
    was found.

    Attributes:
        message: The line without the file name.
        file: The file as the caller named it, or None outside of a file.
        json_path: The place inside the file, such as `$[3].qa[17].category`.
        expected: What the place should hold, or None when that is not the problem.
        found: What it holds, cut and escaped, or None likewise.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        json_path: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.json_path = json_path
        self.expected = expected
        self.found = found
        super().__init__(message if file is None else f"{shown(file)}: {message}")


class FetchError(DatasetError):
    """A download that did not end with the right file.

    Attributes:
        name: Which known file was asked for.
        url: The address it was asked of, without user, password and query.
    """

    def __init__(self, message: str, *, name: str, url: str) -> None:
        self.name = name
        self.url = url
        super().__init__(message)


def shown(text: str, limit: int = 300) -> str:
    r"""Make any text printable on one line, without quotes around it.

    Newlines, control and formatting characters and lone surrogates come out as
    escapes; what is longer than `limit` characters is cut.

    Example:
        >>> print(shown("two\nlines"))
        two\nlines
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in cut
    )


def quoted(text: str) -> str:
    """Show a piece of foreign text in a message: escaped, cut, in quotes."""
    return repr(text if len(text) <= 60 else text[:59] + "…")
