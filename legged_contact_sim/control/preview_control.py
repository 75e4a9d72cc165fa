"""Preview control of the zero moment point of a linear inverted pendulum (Kajita, ICRA 2003).

The centre of mass moves at a constant height z_c; its horizontal jerk u is piecewise constant. The zero moment point is
``p = x - z_c / g x''``. The jerk minimises ``sum Q e^2 + R du^2``, e = p - p_ref, over the future, of which p_ref is
known for a while. In steps, so that a plan may change at any time, the law is
``u(k) - u(k-1) = -G_i e(k) - G_x (x(k) - x(k-1)) - sum_j G_d(j) (p_ref(k+j) - p_ref(k+j-1))``.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are used

GRAVITY = 9.81


def transition(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return A (3, 3) and B (3,) of position, velocity, acceleration after a time, s, of constant jerk."""
    A = np.array([[1.0, time, 0.5 * time**2], [0.0, 1.0, time], [0.0, 0.0, 1.0]])
    return A, np.array([time**3 / 6.0, 0.5 * time**2, time])


@dataclass(frozen=True, eq=False)
class PreviewGains:
    """Gains of the preview controller for one sampling period.

    Attributes:
        integral: G_i.
        state: G_x, (3,).
        preview: G_d, (N,), of the references 1 to N periods ahead.
        output: C, (3,): the zero moment point is C x.
    """

    integral: float
    state: np.ndarray
    preview: np.ndarray
    output: np.ndarray

    @classmethod
    def of_pendulum(cls, height: float, period: float, horizon: float, jerk_weight: float = 1e-8) -> "PreviewGains":
        """Return the gains for a pendulum of a height, m, sampled every period, s, that sees a horizon ahead, s.

        ``jerk_weight`` is R/Q: the smaller, the closer the zero moment point follows its reference.
        """
        A, B = transition(period)
        C = np.array([1.0, 0.0, -height / GRAVITY])
        augmented = np.zeros((4, 4))
        augmented[0, 0], augmented[0, 1:], augmented[1:, 1:] = 1.0, C @ A, A
        drive = np.concatenate([[C @ B], B])[:, None]
        P = scipy.linalg.solve_discrete_are(augmented, drive, np.diag([1.0, 0.0, 0.0, 0.0]), np.array([[jerk_weight]]))
        scale = jerk_weight + (drive.T @ P @ drive).item()
        gain = (drive.T @ P @ augmented).ravel() / scale
        closed = augmented - drive @ gain[None]
        count = round(horizon / period)
        preview = np.empty(count)
        ahead = -closed.T @ P @ np.array([1.0, 0.0, 0.0, 0.0])
        preview[0] = -gain[0]
        for j in range(1, count):
            preview[j] = (drive[:, 0] @ ahead) / scale
            ahead = closed.T @ ahead
        return cls(float(gain[0]), gain[1:], preview, C)


class PreviewPendulum:
    """The centre of mass over the ground, both axes, led by a reference of its zero moment point."""

    def __init__(self, gains: PreviewGains, period: float, position: np.ndarray) -> None:
        """Rest over a position (2,), m."""
        self.gains = gains
        self._A, self._B = transition(period)
        self.state = np.array([position, np.zeros(2), np.zeros(2)])
        self.jerk = np.zeros(2)
        self._last = self.state.copy()

    @property
    def zmp(self) -> np.ndarray:
        """The zero moment point now, (2,), m."""
        return self.gains.output @ self.state

    def plan(self, reference: np.ndarray) -> None:
        """Choose the jerk of the coming period from the reference now and of N periods ahead, (N + 1, 2), m."""
        gains, moved = self.gains, self.state - self._last
        ahead = gains.preview @ np.diff(reference, axis=0)
        self.jerk = self.jerk - gains.integral * (self.zmp - reference[0]) - gains.state @ moved - ahead
        self._last = self.state.copy()

    def advance(self) -> None:
        """Move on by a period."""
        self.state = self._A @ self.state + np.outer(self._B, self.jerk)

    def ahead(self, time: float) -> np.ndarray:
        """Return position, velocity and acceleration (3, 2) a time after the last `advance`, s, below a period."""
        position, velocity, acceleration = self.state
        jerk = self.jerk
        return np.array(
            [
                position + time * (velocity + time * (acceleration / 2.0 + time / 6.0 * jerk)),
                velocity + time * (acceleration + time / 2.0 * jerk),
                acceleration + time * jerk,
            ]
        )

    def shift(self, offset: np.ndarray) -> None:
        """Move the frame: the pendulum and all references from now on lie an offset (2,), m, further on."""
        self.state[0] += offset
        self._last[0] += offset
