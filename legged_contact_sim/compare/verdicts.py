"""What a comparison concludes, in words: what holds under every law of contact, and what depends on what."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .running import Run
from .variants import Variant

SPEED_ERROR = 0.15  # of the commanded speed
SLIP_SPEED = 0.05  # m/s, all feet together
DEEPEST = 5e-3  # m
ENERGY_SHARE = 1e-3  # of the work of contact, that is rounding
AGREEMENT = 0.1  # figures of models within this share of their mean agree


@dataclass(frozen=True)
class Claim:
    """Something that one would like to conclude from a run: in words, and as a test of its figures.

    ``lasting``: what broke it in a part of a run has broken it for the whole.
    """

    words: str
    holds: Callable[[dict[str, Any], float], bool]
    needs: str
    lasting: bool = True


CLAIMS = (
    Claim("it stays upright", lambda found, duration: not found["fell"], "fell"),
    Claim(
        f"it keeps the commanded speed within {SPEED_ERROR:.0%}",
        lambda found, duration: found["speed_error"] <= SPEED_ERROR,
        "speed_error",
        lasting=False,
    ),
    Claim(
        f"its feet slip by less than {SLIP_SPEED:g} m each second, all together",
        lambda found, duration: found["slip"] <= SLIP_SPEED * duration,
        "slip",
    ),
    Claim(
        f"it sinks into the ground by less than {1e3 * DEEPEST:g} mm",
        lambda found, duration: found["penetration"] <= DEEPEST,
        "penetration",
    ),
    Claim(
        "contact never gives more energy than it has taken",
        lambda found, duration: found["energy_from_contact"] <= ENERGY_SHARE * max(1.0, abs(found["contact_work"])),
        "energy_from_contact",
    ),
)
FIGURES = (
    ("speed", "speed", "m/s"),
    ("mean_force", "mean total force", "weights"),
    ("largest_force", "largest force on a point", "weights"),
    ("contact_work", "work of contact", "J"),
    ("end_height", "height at the end", "m"),
)


@dataclass(frozen=True)
class Verdict:
    """A claim with where it holds: under all runs, under none, or depending on something."""

    words: str
    holds: bool | None  # None: it depends
    sentence: str

    @property
    def label(self) -> str:
        """The verdict in a word or two."""
        return {True: "holds", False: "does not hold", None: "depends"}[self.holds]


def judge_claim(claim: Claim, runs: list[Run], duration: float) -> Verdict | None:
    """Return the verdict on a claim; None: nothing can be said of it."""
    truth = {run.variant: claim_of(claim, run, duration) for run in runs}
    known = {variant: value for variant, value in truth.items() if value is not None}
    if not known:
        return None
    if len(set(known.values())) == 1:
        holds = next(iter(known.values()))
        where = f"under every {scope(list(known))} that was tried" if holds else "in none of the runs"
        return Verdict(claim.words, holds, f"That {claim.words} holds {where}.")
    nominal = {variant.model: value for variant, value in known.items() if variant.nominal}
    reasons = []
    if len(set(nominal.values())) > 1:
        yes, no = names(nominal, True), names(nominal, False)
        reasons.append(f"on the law of contact (yes: {yes}; no: {no})")
    for attribute, what in (("step", "time step"), ("friction", "friction"), ("seed", "start")):
        changed = [
            variant.label
            for variant, value in known.items()
            if getattr(variant, attribute) != (0 if attribute == "seed" else 1.0)
            and variant.model in nominal
            and value != nominal[variant.model]
        ]
        if changed:
            reasons.append(f"on the {what} (otherwise with {'; '.join(changed)})")
    return Verdict(claim.words, None, f"Whether {claim.words} depends {', and '.join(reasons)}.")


def scope(tried: list[Variant]) -> str:
    """Return what differs between variants, in words."""
    kinds = {"time step": "step", "friction": "friction", "start": "seed"}
    words = ["model", *(word for word, name in kinds.items() if len({getattr(one, name) for one in tried}) > 1)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def claim_of(claim: Claim, run: Run, duration: float) -> bool | None:
    """Return whether a claim holds of a run; None: it cannot be said.

    A run that ended in an error keeps no claim; one that was cut may have broken it, but has not kept it.
    """
    if run.error:
        return False
    if claim.needs not in run.figures:
        return None
    holds = bool(claim.holds(run.figures, duration))
    return None if run.cut and (holds or not claim.lasting) else holds


def names(truth: dict[str, bool], wanted: bool) -> str:
    """Return the models of which something is, or is not, true."""
    return ", ".join(model for model, value in truth.items() if value is wanted)


def judge_figure(name: str, words: str, unit: str, runs: list[Run]) -> Verdict | None:
    """Say whether the models agree on a figure."""
    whole = [run for run in runs if run.variant.nominal and not run.cut]
    found = {run.variant.model: run.figures[name] for run in whole if name in run.figures}
    if len(found) < 2:
        return None
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    spread = found[high] - found[low]
    scale = max(abs(found[low]), abs(found[high]))
    span = f"{found[low]:.4g} to {found[high]:.4g} {unit}"
    if spread <= AGREEMENT * scale or scale < 1e-9:
        return Verdict(words, True, f"The models agree on the {words}: {span}.")
    return Verdict(words, None, f"The {words} depends on the law of contact: {span} ({low} to {high}).")


def verdicts(runs: list[Run], duration: float) -> list[Verdict]:
    """Return everything that a comparison concludes."""
    judged = [judge_claim(claim, runs, duration) for claim in CLAIMS]
    judged += [judge_figure(*figure, runs) for figure in FIGURES]
    errors = [Verdict(run.variant.label, False, f"{run.variant.label}: {run.error}.") for run in runs if run.error]
    return [verdict for verdict in judged if verdict is not None] + errors + slow_runs(runs, duration)


def counted(judged: list[Verdict]) -> str:
    """Return how many conclusions survive, in a sentence."""
    kept, depending = (sum(verdict.holds is wanted for verdict in judged) for wanted in (True, None))
    return f"Of {len(judged)} conclusions {kept} hold whatever the law of contact is, {depending} depend on something."


def slow_runs(runs: list[Run], duration: float) -> list[Verdict]:
    """Say which runs took too long, a sentence for each model."""
    found = []
    for model in dict.fromkeys(run.variant.model for run in runs if run.cut):
        mine = [run for run in runs if run.cut and run.variant.model == model]
        begun = [run.figures["simulated"] for run in mine if run.figures]
        span = f"{min(begun):.2g} s" if len(begun) == 1 else f"{min(begun):.2g} to {max(begun):.2g} s"
        took = (
            f"{len(begun)} run{'s' * (len(begun) > 1)} under {model} took too long and reached {span} of {duration:g} s"
        )
        others = f", {len(mine) - len(begun)} more were not begun" * (len(mine) > len(begun))
        sentence = f"{took}{others}: whether claims hold there is not known (--limit gives more time)."
        found.append(Verdict(f"{model} comes to its end", False, sentence))
    return found
