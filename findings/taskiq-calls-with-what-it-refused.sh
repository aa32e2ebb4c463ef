#!/bin/sh
# taskiq 0.13.0 beside `validate_call` of pydantic 2.14.4 (PyPI), Python 3.11.
# Behaviour: the worker converts each argument to the annotated type with pydantic: "5" becomes 5. If pydantic refuses
#   the value, taskiq logs a warning, calls the task with the value as it came, and the result is a success. Where a
#   model is expected and one field is missing, it is a dict; a list with one wrong element keeps all of its texts.
# Expected: the task fails with the error of pydantic, as it does for functions under `validate_call`.
# Who meets it: deployments in which a model gets a field while older messages are in the queue, and senders in other
#   programs: the function sees types that its annotations exclude, and fails later, at another place, or stores
#   the wrong value.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q taskiq==0.13.0 pydantic==2.14.4
cd "$work"
cat >trial.py <<'END'
import asyncio, logging

from pydantic import BaseModel, ValidationError, validate_call
from taskiq import InMemoryBroker

class Mail(BaseModel):
    to: str
    copies: int

async def count(number: int):
    return repr(number)

async def label(text: str):
    return repr(text)

async def numbers(values: list[int]):
    return repr(values)

async def send(mail: Mail):
    return f"{type(mail).__name__} {mail!r}"

async def main():
    logging.disable(logging.CRITICAL)
    broker = InMemoryBroker()
    await broker.startup()
    for name, function, value in trials:
        beside = validate_call(function)
        task = broker.register_task(function, task_name=f"{name} {value!r}")
        result = await (await task.kiq(value)).wait_result()
        status = "error" if result.is_err else "success"
        try:
            checked = await beside(value)
        except ValidationError:
            checked = "refused"
        print(f"{name}({value!r}): {status}, {result.return_value}; validate_call: {checked}")
    await broker.shutdown()

trials = [(function.__name__, function, value) for function, value in (
    (count, "5"), (count, "five"), (count, 1.5), (label, 7), (numbers, ["1", "2"]), (numbers, ["1", "x"]),
    (send, {"to": "a", "copies": 1}), (send, {"to": "a"}))]
asyncio.run(main())
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
count('5'): success, 5; validate_call: 5
count('five'): success, 'five'; validate_call: refused
count(1.5): success, 1.5; validate_call: refused
label(7): success, 7; validate_call: refused
numbers(['1', '2']): success, [1, 2]; validate_call: [1, 2]
numbers(['1', 'x']): success, ['1', 'x']; validate_call: refused
send({'to': 'a', 'copies': 1}): success, Mail Mail(to='a', copies=1); validate_call: Mail Mail(to='a', copies=1)
send({'to': 'a'}): success, dict {'to': 'a'}; validate_call: refused
END
diff seen expected
