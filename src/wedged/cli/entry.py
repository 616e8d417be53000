"""`main`: runs a verb, prints its error as one line, and gives the exit code."""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from types import FrameType

import click

from wedged.cli.verbs import wedged
from wedged.errors import WedgedError

_COMPLETION = "_WEDGED_COMPLETE"
_INTERNAL_ERROR = 3
_INTERRUPTED = 130
_READER_LEFT = 141
# A group without a verb: click's message is the whole help page, which is no error line.
_ASKED_NOTHING = getattr(click.exceptions, "NoArgsIsHelpError", ())
_SECRETS = ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD")


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``wedged`` with `argv` (the process's own arguments by default) and give its exit code.

    The verb's own code, or: an error's own (2 for usage, mostly 3), 3 for an error that nobody foresaw, 130
    after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP, 141 when the reader of the output went away. Errors are
    one line on stderr, with control characters escaped and credentials taken out; ``WEDGED_DEBUG=1`` adds
    the traceback.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with _ended_in_order():
            code = _run(arguments)
            sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        if isinstance(error, _ASKED_NOTHING):
            error.show()
        else:
            _say(error.format_message() + _hint(error))
        return error.exit_code
    except WedgedError as error:
        _traceback()
        _say(str(error) or type(error).__name__)
        return error.exit_code
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else _INTERNAL_ERROR
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        return _INTERRUPTED
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _reader_left():
            return _READER_LEFT
        _traceback()
        _say(f"internal error: {type(error).__name__}: {error} (WEDGED_DEBUG=1 shows the traceback)")
        return _INTERNAL_ERROR
    return code


def _run(arguments: list[str]) -> int:
    instruction = os.environ.get(_COMPLETION)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(wedged, {}, "wedged", _COMPLETION, instruction)
    # Not click's own main(): it turns a broken pipe into exit code 1, which here means "findings".
    with wedged.make_context("wedged", arguments) as context:
        code = wedged.invoke(context)
    return code if isinstance(code, int) else 0


def _say(message: str) -> None:
    from wedged.facts.plain_text import plain
    from wedged.facts.redaction import redact

    secrets = [os.environ.get(name, "") for name in _SECRETS]
    with contextlib.suppress(BrokenPipeError):
        print(f"wedged: {plain(redact(message, secrets))}", file=sys.stderr, flush=True)


def _hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" (see: {context.command_path} --help)" if context else ""


def _traceback() -> None:
    if os.environ.get("WEDGED_DEBUG", "") in ("", "0"):
        return
    from traceback import format_exc

    for line in format_exc().splitlines():
        _say(line)


def _reader_left() -> bool:
    """Whether the reader of our stdout is gone. If so, what is still buffered goes nowhere, quietly."""
    try:
        stdout = sys.stdout.fileno()
    except (OSError, ValueError):
        return False
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(stdout, 0)
        if not any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
            return False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stdout)
    os.close(nowhere)
    return True


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP as an exception, so that what a verb started is ended and its folders go."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Only what would end us at once: under nohup, SIGHUP is ignored and stays so.
    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
