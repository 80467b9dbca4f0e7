"""Alternating rounds: what is compared runs within the same minutes, in an order that turns round every time."""
import statistics
import sys

from . import child


class Side:
    def __init__(self, who, measure):
        """who: "ours" or "peer"; measure(): {test: value}."""
        self.who, self.measure = who, measure


def alternate(sides, rounds, warm_up=True):
    """({who: {test: [value a round]}}, errors). With `warm_up` one round more comes first and is not counted. A side that fails
    leaves the rest to the others."""
    values, errors, dead = {"ours": {}, "peer": {}}, [], set()
    for i in range(rounds + warm_up):
        for k in list(range(len(sides)))[:: 1 if i % 2 == 0 else -1]:
            if k in dead:
                continue
            try:
                found = sides[k].measure()
            except (child.Failed, ValueError, KeyError, IndexError) as e:
                dead.add(k)
                said = str(e) if isinstance(e, child.Failed) else f"its output could not be read ({type(e).__name__}: {e})"
                errors.append(f"{sides[k].who}: {said}")
                print(f"bench: {errors[-1]}", file=sys.stderr, flush=True)
                continue
            for test, value in found.items() if i or not warm_up else ():
                values[sides[k].who].setdefault(test, []).append(value)
    return values, errors


class Row:
    """One test of one model. Ratios are ours / peer, of the same round."""

    def __init__(self, model, test, unit, lower_is_better, ours, peer):
        self.model, self.test, self.unit, self.lower_is_better = model, test, unit, lower_is_better
        self.ours, self.peer = ours, peer
        self.ratios = [a / b for a, b in zip(ours, peer) if b]

    def to_json(self):
        out = {"model": self.model, "test": self.test, "unit": self.unit, "better": "lower" if self.lower_is_better else "higher",
               "ours": self.ours, "peer": self.peer, "ratios": self.ratios}
        if self.ratios:
            out["ratio"] = {"median": statistics.median(self.ratios), "min": min(self.ratios), "max": max(self.ratios)}
        return out

    def to_markdown(self, with_peer):
        cells = [self.model, self.test, self.unit + (" ↓" if self.lower_is_better else ""), median(self.ours)]
        if with_peer:
            cells += [median(self.peer)]
            cells += [f"{statistics.median(self.ratios):.2f}", f"{min(self.ratios):.2f}–{max(self.ratios):.2f}"] if self.ratios else ["–", "–"]
        return "| " + " | ".join(cells) + " |"


def median(values):
    return f"{statistics.median(values):.4g}" if values else "–"


def heading(with_peer):
    names = ["model", "test", "unit", "ours"] + (["peer", "ratio", "spread"] if with_peer else [])
    return "| " + " | ".join(names) + " |\n|" + "---|" * 3 + "---:|" * (len(names) - 3)
