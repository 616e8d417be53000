"""What a look made a V2 server load is told from what the server had loaded."""

from dataclasses import dataclass

from wedged.facts.server import Line
from wedged.facts.session import SessionFacts, Status
from wedged.observe import look, look_twice

from .fake_reader import OWN, FakeReader


@dataclass
class Loading(FakeReader):
    """A server that loads whatever directory it is asked about."""

    line: Line = Line.V2_PREVIEW

    def shells(self, directory: str = "") -> tuple[()]:
        if directory and self.loaded_directories is not None and directory not in self.loaded_directories:
            self.loaded_directories.append(directory)
        return ()


def server(**more: object) -> Loading:
    known = [SessionFacts("ses_1", "/cold", Status.UNKNOWN)]
    return Loading(known=known, loaded_directories=[OWN], **more)  # type: ignore[arg-type]


def test_a_location_that_was_named_is_told() -> None:
    assert look(server()).woken == ()
    assert look(server(), scopes=["/cold"]).woken == ("/cold",)


def test_a_second_look_counts_from_before_the_first() -> None:
    made = server(busy={"ses_1": "/cold"})
    window = look_twice(made, sample_s=1, wait=lambda _: None)
    assert window.earlier is not None
    assert (window.earlier.woken, window.latest.woken) == (("/cold",), ("/cold",))


def test_a_server_that_does_not_tell_what_it_has_loaded() -> None:
    made = server()
    made.loaded_directories = None
    assert look(made, scopes=["/cold"]).woken is None
