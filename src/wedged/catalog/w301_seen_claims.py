"""W301's claims that go beyond the report: what was seen when its situation was brought about."""

from wedged.facts.failure_class import Claim

OBSERVED = "observed by this project"


def claims(source: str, arm: str, *named: tuple[str, str]) -> tuple[Claim, ...]:
    """The claims that one arm speaks for, each by its name and its sentence."""
    return tuple(Claim(f"W301.{name}", sentence, arm=arm, source=source) for name, sentence in named)


SEEN = (
    *claims(
        OBSERVED,
        "trigger",
        (
            "call-is-completed",
            (
                "The call is `completed` in the history, with a text that the command was moved "
                "to the background, while the command runs."
            ),
        ),
        (
            "listed-with-its-owner",
            (
                "GET /api/shell with the session's directory lists it as `running`, with its "
                "process id and the session in `metadata.sessionID`."
            ),
        ),
        ("no-further-turn", "While it runs the model is asked for no further turn."),
        ("wait-answers", "The server's own wait for the session answers while the shell runs."),
        (
            "doctor-notices-it",
            ("`wedged doctor` reports the shell as a notice, with its session and directory."),
        ),
    ),
    *claims(
        OBSERVED,
        "placebo",
        (
            "placebo-runs-on",
            ("Over the same wait in which the cures work, with nothing sent, the shell runs on."),
        ),
    ),
    *claims(
        OBSERVED,
        "end-shell",
        (
            "ending-it-wakes-the-session",
            (
                'Ending the shell wakes its session: a message says `state="error"`, and the model is '
                "asked for one more turn."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "finish",
        (
            "end-is-told",
            (
                "A background shell that ends by itself wakes its session: the model is told "
                '`state="completed"` and its output.'
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "timeout",
        (
            "timeout-is-told",
            (
                "A background shell that was given a `timeout` is ended by the server, and the "
                "model is told so."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "killed",
        (
            "killed-looks-fine",
            (
                "Of a background shell that a signal ended from outside, the server never says so: it "
                'lists it as `running` for good, or tells the model `state="completed"`.'
            ),
        ),
        (
            "killed-stays-listed",
            (
                "A background shell that a signal ended from outside stays in GET /api/shell as "
                "`running`, its process gone, and its session is not told."
            ),
        ),
        (
            "ending-a-ghost-tells",
            (
                "DELETE of a shell whose process a signal ended removes the entry and tells the "
                'session at last, with `state="error"`.'
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "moved",
        (
            "moved-shell-runs-on",
            (
                "A running shell that POST …/background moved to the background runs on in the "
                "same way after the turn."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "deleted",
        (
            "deleting-the-session-leaves-it",
            ("Deleting the session leaves its shell running and listed, under a session that is not there."),
        ),
        (
            "ending-an-ownerless-shell-wakes-nobody",
            ("Ending the shell of a deleted session ends its process, and no model is asked for a turn."),
        ),
    ),
    *claims(
        OBSERVED,
        "sub-agent-end",
        (
            "sub-agents-notice-stays-below",
            ("When a sub-agent's shell ends, the sub-agent is woken and told; its parent is not."),
        ),
    ),
    *claims(
        OBSERVED,
        "background-sub-agent",
        (
            "background-sub-agent-is-called-completed",
            (
                'Of a background sub-agent the parent is told `state="completed"` while the shell of the '
                "sub-agent runs."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "nohup",
        (
            "nohup-in-no-list",
            ("What a foreground shell leaves running (`nohup … &`) is in no list, and not below the server."),
        ),
    ),
    *claims(
        OBSERVED,
        "evict",
        (
            "eviction-ends-it",
            (
                "Evicting the location of a shell (DELETE /api/debug/location) ends it, and no "
                "list names it any more."
            ),
        ),
        (
            "eviction-is-not-told",
            (
                "After an eviction of its location the session's next request to the model says "
                "nothing of the shell."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "reload",
        (
            "reload-ends-every-shell",
            ("POST /api/location/reload ends the shells of every location, and their sessions are not told."),
        ),
    ),
    *claims(
        OBSERVED,
        "plain-sigterm",
        (
            "sigterm-spares-what-left-its-group",
            (
                "A program that the shell started in a session of its own (setsid) outlives the "
                "SIGTERM, in no list."
            ),
        ),
        (
            "sigterm-is-not-told",
            (
                "After the SIGTERM nothing wakes the session, and the next request to its model "
                "says nothing of the shell."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "plain-sigkill",
        (
            "sigkill-leaves-it",
            ("After a SIGKILL of the server the shell runs on, and the restarted server lists it nowhere."),
        ),
        (
            "sigkill-is-not-told",
            (
                "After the SIGKILL nothing wakes the session, and the next request to its model "
                "says nothing of the shell."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "service-lists",
        (
            "service-bare-list-hides-it",
            (
                "Under `serve --service` GET /api/shell without a location does not list it; with "
                "the session's directory it does."
            ),
        ),
        (
            "service-bare-delete-misses-it",
            ("Under `serve --service` DELETE /api/shell/{id} without a location leaves the shell running."),
        ),
        (
            "bare-delete-answers-204",
            (
                "A DELETE that names no location and ends nothing is answered 204, as one that "
                "ends a shell is."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "service-sigterm",
        ("service-sigterm-ends-it", "Under `serve --service`, too, a restart by SIGTERM ends the shell."),
        (
            "service-wakes-nobody",
            ("Under `serve --service`, too, nothing wakes the session after a SIGTERM and a start."),
        ),
        (
            "service-is-not-told",
            (
                "Under `serve --service`, too, the session's next request after a SIGTERM and a "
                "start says nothing of the shell."
            ),
        ),
        (
            "service-parent-is-never-told",
            (
                "Under `serve --service`, too, the parent's next request after a SIGTERM and a "
                "start says nothing of its sub-agent's shell."
            ),
        ),
    ),
    *claims(
        OBSERVED,
        "service-sigkill",
        (
            "service-sigkill-leaves-it",
            ("After a SIGKILL of the service the shell runs on, and the restarted service lists it nowhere."),
        ),
        (
            "called-cancelled-while-it-runs",
            (
                "After a SIGKILL of the service the session's next request says that the command "
                "was cancelled, while it runs."
            ),
        ),
        (
            "service-sigkill-is-not-told",
            (
                "After a SIGKILL of the service nothing wakes the session, and its next request "
                "says nothing of the shell."
            ),
        ),
    ),
    *(
        Claim(f"W301.not-{name}", f"Doctor reports nothing for {words}.", arm=f"like-{name}", source=OBSERVED)
        for name, words in (
            ("foreground", "a foreground shell of a turn that runs"),
            ("turn-goes-on", "a background shell whose session's turn still runs"),
            ("finished", "a session whose background shell has ended and was told"),
            ("idle", "an idle session that started no shell"),
            ("neighbour", "an idle session, where a session of another directory has the shell"),
            ("own-process", "a user's own process in the project, which the server did not start"),
        )
    ),
)
