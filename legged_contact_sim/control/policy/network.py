"""A network from an ONNX file, on one thread: an observation in, an action out, with hidden states in between."""

from pathlib import Path

import numpy as np

from ...errors import ParameterError


class Network:
    """An ONNX model with one observation, one action and, if it is recurrent, hidden states."""

    def __init__(self, path: Path | str, states: dict[str, str] | None = None) -> None:
        """Load a file.

        Args:
            path: of the ONNX file.
            states: inputs that hold the network's state, with the outputs that they come from.

        Raises:
            ParameterError: onnxruntime or the file is missing, or its inputs are not what they should be.
        """
        try:
            import onnxruntime
        except ImportError:
            raise ParameterError("policy: needs onnxruntime: pip install 'legged_contact_sim[policy]'") from None
        if not Path(path).is_file():
            raise ParameterError(f"policy: no such file: {str(path)!r}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common type
            raise ParameterError(f"policy: {path} is no ONNX file: {' '.join(str(error).split())[:200]}") from None
        self._states = states or {}
        inputs = {item.name: item.shape for item in self._session.get_inputs()}
        shapes = {item.name: item.shape for item in self._session.get_outputs()}
        outputs = list(shapes)
        missing = sorted(set(self._states) - set(inputs)) + sorted(set(self._states.values()) - set(outputs))
        if missing:
            raise ParameterError(f"states: {path} has no {missing[0]!r}; it has {', '.join([*inputs, *outputs])}")
        plain = [name for name in inputs if name not in self._states]
        answers = [name for name in outputs if name not in self._states.values()]
        if len(plain) != 1 or not answers:
            raise ParameterError(f"policy: expected one input besides states, found {', '.join(plain) or 'none'}")
        self._input, self._wanted = plain[0], [answers[0], *self._states.values()]
        self._shapes = {name: [1 if not isinstance(n, int) else n for n in inputs[name]] for name in self._states}
        self.input_size, self.output_size = _length(inputs[self._input]), _length(shapes[answers[0]])
        self.reset()

    def reset(self) -> None:
        """Forget the hidden states."""
        self._memory = {name: np.zeros(shape, np.float32) for name, shape in self._shapes.items()}

    def __call__(self, observation: np.ndarray) -> np.ndarray:
        """Return the action, (n,), for an observation (size,)."""
        given = {self._input: observation.astype(np.float32)[None], **self._memory}
        action, *memory = self._session.run(self._wanted, given)
        self._memory = dict(zip(self._states, memory, strict=True))
        return np.asarray(action, dtype=float).reshape(-1)


def _length(shape: list[int | str | None]) -> int | None:
    """Return how many numbers an input or output of a shape has at its end; None: any."""
    return shape[-1] if shape and isinstance(shape[-1], int) else None
