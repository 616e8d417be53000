"""A look at the shape of a real server: its OpenAPI document, and the database that it writes."""

from wedged.client.v1.routes import OPENAPI as V1_OPENAPI
from wedged.client.v2.dialect import read_dialect
from wedged.client.v2.routes import OPENAPI as V2_OPENAPI
from wedged.errors import CannotLook, LabError
from wedged.facts.recovery import Request
from wedged.facts.server import Line, ServerSpec
from wedged.lab.bench import Bench, open_bench
from wedged.lab.keeper import Keeper
from wedged.nightly.drift import Shape, api_shape
from wedged.observe.database.opening import open_database
from wedged.observe.database.schema import schema_of
from wedged.servers import install


def look_at_shape(spec: ServerSpec, keeper: Keeper) -> Shape:
    """Start the server, have it do one turn, and read both.

    A reader that refuses what it finds is a shape of its own: the sentence is in `Shape.problem`.

    Raises:
        InstallError: the server can't be had.
        LabError: it did not start, or did no turn.
    """
    with open_bench(install(spec), keeper) as bench:
        bench.warm_up(bench.project())
        line = bench.identity.line
        api, missing, problem = "", tuple[str, ...](), ""
        try:
            document = bench.connection.actor.send(
                Request("GET", V1_OPENAPI if line is Line.V1 else V2_OPENAPI)
            )
            if not isinstance(document, dict):
                raise CannotLook("its API document is no JSON object")
            api, missing = api_shape(document, line)
            if line is not Line.V1:
                read_dialect(line, document)
        except CannotLook as error:
            problem = str(error)
        schema, why = _schema(bench)
        said = bench.normaliser.text("; ".join(words for words in (problem, why) if words))
        return Shape(bench.identity.key, line.value, api, schema, missing, said)


def _schema(bench: Bench) -> tuple[str, str]:
    store = next(iter(sorted(bench.home.root.rglob("opencode*.db"))), None)
    if store is None:
        raise LabError("the server has written no database")
    try:
        with open_database(store) as database:
            return schema_of(database).fingerprint, ""
    except CannotLook as error:
        return "", str(error)
