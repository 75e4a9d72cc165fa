"""How services of simulation_interfaces answer."""

from typing import Any

from simulation_interfaces.msg import Result

UNSUPPORTED = Result.RESULT_FEATURE_UNSUPPORTED


def done(response: Any) -> Any:
    """Return a response that says that all went well."""
    response.result.result = Result.RESULT_OK
    return response


def failed(response: Any, code: int, words: str) -> Any:
    """Return a response that says why nothing was done."""
    response.result.result, response.result.error_message = code, words
    return response
