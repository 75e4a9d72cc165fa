"""A network from an ONNX file, on one thread: an observation in, an action out, with hidden states in between."""

from pathlib import Path

import numpy as np

from ...errors import ParameterError

KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}
SILENT = 4  # onnxruntime writes nothing by itself


class Network:
    """An ONNX model with one observation, one action and, if it is recurrent, hidden states."""

    def __init__(self, path: Path | str, states: dict[str, str] | None = None) -> None:
        """Load a file.

        Args:
            path: of the ONNX file.
            states: inputs that hold the network's state, with the outputs that they come from.

        Raises:
            ParameterError: onnxruntime is missing, or the file's inputs are not what they should be.
        """
        try:
            import onnxruntime
        except ImportError:
            raise ParameterError("policy: needs onnxruntime: pip install 'legged_contact_sim[policy]'") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = SILENT
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common type
            raise ParameterError(f"policy: {path} is no ONNX file: {_in_a_line(error)}") from None
        self._path, self._states = path, states or {}
        inputs = {item.name: item.shape for item in self._session.get_inputs()}
        kinds = {item.name: item.type for item in self._session.get_inputs()}
        outputs = [item.name for item in self._session.get_outputs()]
        missing = sorted(set(self._states) - set(inputs)) + sorted(set(self._states.values()) - set(outputs))
        if missing:
            raise ParameterError(f"states: {path} has no {missing[0]!r}; it has {', '.join([*inputs, *outputs])}")
        plain = [name for name in inputs if name not in self._states]
        answers = [name for name in outputs if name not in self._states.values()]
        if len(plain) != 1 or not answers:
            raise ParameterError(f"policy: expected one input besides states, found {', '.join(plain) or 'none'}")
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise ParameterError(f"policy: expected numbers for {name!r}, which takes {kind}: {path}")
        self._kinds = {name: KINDS[kind] for name, kind in kinds.items()}
        self._input, self._wanted = plain[0], [answers[0], *self._states.values()]
        self._shapes = {name: [1 if not isinstance(n, int) else n for n in inputs[name]] for name in self._states}
        self.input_size = _length(inputs[self._input])
        self._leading = (1,) * (len(inputs[self._input]) - 1)  # axes of the input before the observation's
        self.reset()

    def reset(self) -> None:
        """Forget the hidden states."""
        self._memory = {name: np.zeros(shape, self._kinds[name]) for name, shape in self._shapes.items()}

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        """Return the action, (n,), for an observation (size,).

        Raises:
            ParameterError: the network cannot be run with it.
        """
        numbers = observation.astype(self._kinds[self._input]).reshape(self._leading + (-1,))
        try:
            action, *memory = self._session.run(self._wanted, {self._input: numbers, **self._memory})
        except Exception as error:  # onnxruntime's errors have no common type
            raise ParameterError(
                f"policy: {self._path} does not take {len(observation)} numbers: {_in_a_line(error)}"
            ) from None
        self._memory = dict(zip(self._states, memory, strict=True))
        return np.asarray(action, dtype=float).reshape(-1)


def _in_a_line(error: Exception) -> str:
    """Return what an error of onnxruntime says, in a line that is not too long."""
    return " ".join(str(error).split())[:200]


def _length(shape: list[int | str | None]) -> int | None:
    """Return how many numbers an input of a shape has at its end; None: any."""
    return shape[-1] if shape and isinstance(shape[-1], int) else None
