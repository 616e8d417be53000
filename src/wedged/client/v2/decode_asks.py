"""V2's permission requests, forms and questions as asks. Pure."""

from dataclasses import dataclass

import msgspec

from wedged.facts.ask import Ask, AskKind


class Call(msgspec.Struct):
    """Which call an ask belongs to: by ``callID`` on the preview, by ``id`` since the release."""

    message: str = msgspec.field(default="", name="messageID")
    old_id: str = msgspec.field(default="", name="callID")
    id: str = ""

    @property
    def call(self) -> str:
        """The call's id, by whichever name."""
        return self.old_id or self.id


class Permission(msgspec.Struct):
    """One element of a list of permission requests"""

    id: str
    session: str = msgspec.field(default="", name="sessionID")
    action: str = ""
    resources: list[str] = []
    save: list[str] = []
    metadata: object = None
    source: object = None


class Permissions(msgspec.Struct):
    """``GET /api/permission/request``, ``GET /api/session/S/permission``"""

    data: list[Permission]


class Form(msgspec.Struct):
    """One element of a list of forms"""

    id: str
    session: str = msgspec.field(default="", name="sessionID")
    title: object = ""
    metadata: object = None
    fields: object = None


class OneForm(msgspec.Struct):
    """``GET /api/session/S/form/F``"""

    data: Form


class Forms(msgspec.Struct):
    """A location's or a session's list of forms"""

    data: list[Form]


class Question(msgspec.Struct):
    """One element of the preview's ``GET /api/question/request``"""

    id: str
    session: str = msgspec.field(default="", name="sessionID")
    questions: object = None
    tool: object = None


class Questions(msgspec.Struct):
    """``GET /api/question/request``"""

    data: list[Question]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form. `values` gives for each label that it offers what an answer has to say."""

    key: str
    type: str
    asks: str
    values: dict[str, str]


def permission(wire: Permission, directory: str, route: str) -> Ask:
    """A permission request, as `route` listed it."""
    call = _call(wire.source)
    command = wire.metadata.get("command") if isinstance(wire.metadata, dict) else None
    return Ask(
        id=wire.id,
        kind=AskKind.PERMISSION,
        session_id=wire.session,
        action=wire.action,
        resources=tuple(wire.resources),
        call_id=call.call,
        message_id=call.message,
        directory=directory,
        command=_text(command),
        always=tuple(wire.save),
        listed_by=(route,),
    )


def form(wire: Form, directory: str, route: str) -> Ask:
    """A form, as `route` listed it. The question tool's says so; others may belong to no session."""
    metadata = wire.metadata if isinstance(wire.metadata, dict) else {}
    call = _call(metadata.get("tool"))
    asked = "; ".join(field.asks for field in fields(wire) if field.asks)
    return Ask(
        id=wire.id,
        kind=AskKind.FORM,
        session_id=wire.session,
        action=_text(metadata.get("kind")) or "form",
        resources=(),
        call_id=call.call,
        message_id=call.message,
        directory=directory,
        listed_by=(route,),
        words=asked or _text(wire.title),
    )


def question(wire: Question, directory: str, route: str) -> Ask:
    """A question of the preview's own list, as `route` listed it."""
    call = _call(wire.tool)
    asked = wire.questions if isinstance(wire.questions, list) else []
    return Ask(
        id=wire.id,
        kind=AskKind.QUESTION,
        session_id=wire.session,
        action="question",
        resources=(),
        call_id=call.call,
        message_id=call.message,
        directory=directory,
        listed_by=(route,),
        words="; ".join(_text(one.get("question")) for one in asked if isinstance(one, dict)),
    )


def fields(wire: Form) -> tuple[Field, ...]:
    """The fields of a form, in its order; what has no key is none."""
    listed = wire.fields if isinstance(wire.fields, list) else []
    return tuple(_field(one) for one in listed if isinstance(one, dict) and _text(one.get("key")))


def _field(wire: dict[str, object]) -> Field:
    options = wire.get("options")
    known = [one for one in (options if isinstance(options, list) else []) if isinstance(one, dict)]
    values = {_text(one.get("label")) or _text(one.get("value")): _text(one.get("value")) for one in known}
    asked = _text(wire.get("description")) or _text(wire.get("title"))
    return Field(
        key=_text(wire.get("key")),
        type=_text(wire.get("type")),
        asks=f"{asked} ({' | '.join(values)})" if asked and values else asked,
        values=values,
    )


def _call(wire: object) -> Call:
    try:
        return msgspec.convert(wire, Call)
    except msgspec.ValidationError:
        return Call()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
