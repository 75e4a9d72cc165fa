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
AGREEMENT = 0.1  # figures within this share of the larger one agree
CHANGES = (("step", "time step"), ("friction", "friction"), ("seed", "start"))  # what varies besides the model


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
FIGURES = (  # name, words, unit, and what is too little to tell two of them apart
    ("speed", "speed", "m/s", 1e-3),
    ("mean_force", "mean total force", "weights", 1e-2),
    ("largest_force", "largest force on a point", "weights", 1e-2),
    ("contact_work", "work of contact", "J", 1e-2),
    ("end_height", "height at the end", "m", 1e-3),
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
    if not any(claim.needs in run.figures for run in runs):
        return None
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
    for attribute, what in CHANGES:
        changed = [
            variant.label
            for variant, value in known.items()
            if changes(variant, attribute) and variant.model in nominal and value != nominal[variant.model]
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

    A run that ended in an error keeps no claim; one that was cut may have broken it, but has not kept it. One that
    could not begin says nothing.
    """
    if run.error and run.figures:
        return False
    if claim.needs not in run.figures:
        return None
    holds = bool(claim.holds(run.figures, duration))
    return None if run.cut and (holds or not claim.lasting) else holds


def names(truth: dict[str, bool], wanted: bool) -> str:
    """Return the models of which something is, or is not, true."""
    return ", ".join(model for model, value in truth.items() if value is wanted)


def judge_figure(name: str, words: str, unit: str, least: float, runs: list[Run]) -> Verdict | None:
    """Say whether the models agree on a figure, and whether it stays what it is where something else changes."""
    found = {run.variant: run.figures[name] for run in runs if not run.cut and name in run.figures}
    nominal = {variant.model: value for variant, value in found.items() if variant.nominal}
    low, high = (choice(nominal, key=nominal.__getitem__, default="") for choice in (min, max))
    reasons = []
    if nominal and apart(nominal[low], nominal[high], least) > AGREEMENT:
        span = f"{shown(nominal[low], least)} to {shown(nominal[high], least)} {unit}"
        reasons.append(f"on the law of contact ({span}, {low} to {high})")
    for attribute, what in CHANGES:
        known = [one for one in found if changes(one, attribute) and one.model in nominal]
        shares = {one: apart(found[one], nominal[one.model], least) for one in known}
        changed = [one for one in known if shares[one] > AGREEMENT]
        if changed:
            most = max(changed, key=shares.__getitem__)
            others = dict.fromkeys(one.model for one in changed if one.model != most.model)
            also = f"; also under {', '.join(others)}" if others else ""
            pair = f"{shown(nominal[most.model], least)} {unit}, {shown(found[most], least)} with {most.label}"
            reasons.append(f"on the {what} ({pair}{also})")
    span = " to ".join(dict.fromkeys(shown(nominal[model], least) for model in (low, high) if model))
    if not reasons:
        agreed = Verdict(words, True, f"The models agree on the {words}: {span} {unit}.")
        return agreed if len(nominal) > 1 else None
    begin = f"The {words} depends"
    if len(nominal) > 1 and "law" not in reasons[0]:
        begin = f"The models agree on the {words}, {span} {unit}, but it depends"
    return Verdict(words, None, f"{begin} {', and '.join(reasons)}.")


def changes(variant: Variant, attribute: str) -> bool:
    """Return whether a variant differs from its model as it is in an attribute."""
    return bool(getattr(variant, attribute) != getattr(Variant(variant.model), attribute))


def apart(a: float, b: float, least: float) -> float:
    """Return how far two figures are from one another, as a share of the larger one; 0: by less than matters."""
    return 0.0 if abs(a - b) < least else abs(a - b) / max(abs(a), abs(b))


def shown(value: float, least: float) -> str:
    """Return a figure for people, who need not see rounding."""
    return f"{0.0 if abs(value) < 1e-3 * least else value:.4g}"


def verdicts(runs: list[Run], duration: float) -> list[Verdict]:
    """Return everything that a comparison concludes."""
    judged = [judge_claim(claim, runs, duration) for claim in CLAIMS]
    judged += [judge_figure(*figure, runs) for figure in FIGURES]
    found = [verdict for verdict in judged if verdict is not None]
    return found + [failed(run) for run in runs if run.error] + slow_runs(runs, duration)


def failed(run: Run) -> Verdict:
    """Say why a run ended early or could not begin."""
    label, what = run.variant.label, "ended early" if run.figures else "cannot begin"
    return Verdict(f"{label} comes to its end", False, f"{label} {what}: {run.error}.")


def counted(judged: list[Verdict]) -> str:
    """Return how many conclusions survive, in a sentence."""
    kept, broken, depending = (sum(verdict.holds is wanted for verdict in judged) for wanted in (True, False, None))
    parts = [f"{kept} hold whatever the law of contact is", f"{depending} depend on something"]
    parts += [f"{broken} do{'es' * (broken == 1)} not hold"] * (broken > 0)
    return f"Of {len(judged)} conclusions {', '.join(parts)}."


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
