"""The tables: each yields rows for one model. To add one: a function here and its line in TABLES."""
import os
import tempfile

from . import peer as peers
from .rounds import Row, Side, alternate


class Bench:
    """What all tables share."""

    def __init__(self, ours, peer, options):
        self.ours, self.peer, self.options = ours, peer, options

    def compare(self, model, ours, peer, unit="tok/s", lower_is_better=False, rounds=None, warm_up=True):
        """ours, peer: functions of the model that return {test: value}, or lists of them."""
        listed = lambda f: f if isinstance(f, list) else [f]
        sides = [Side("ours", lambda f=f: f(model)) for f in listed(ours)]
        if self.peer:
            sides += [Side("peer", lambda f=f: f(model)) for f in listed(peer)]
        values, errors = alternate(sides, self.options.rounds if rounds is None else rounds, warm_up)
        tests = list(dict.fromkeys([*values["ours"], *values["peer"]]))
        name = os.path.basename(model)
        return [Row(name, t, unit, lower_is_better, values["ours"].get(t, []), values["peer"].get(t, [])) for t in tests], errors


def speed(bench, model):
    words = ("-p", bench.options.p, "-n", bench.options.n)
    return bench.compare(model, lambda m: bench.ours.speeds(m, *words), lambda m: bench.peer.speeds(m, *words))


def batch(bench, model):
    o = bench.options
    how = (o.batches, o.batch_prompt, o.batch_tokens)
    return bench.compare(model, lambda m: bench.ours.batch(m, *how), lambda m: bench.peer.batch(m, *how))


def depth(bench, model):
    o = bench.options
    trained = bench.ours.trained_context(model) or float("inf")
    notes = [f"skipped: {os.path.basename(model)} was trained on {trained} tokens, fewer than {what} needs"
             for what, need in [(f"pp{o.long_prompt}", o.long_prompt)] + [(f"tg{o.depth_tokens}@d{d}", d) for d in o.depths]
             if need > trained]
    long_prompt = o.long_prompt if o.long_prompt <= trained else 0
    at_zero = o.depth_tokens if 0 in o.depths else 0
    deep = [d for d in o.depths if 0 < d <= trained]

    def speeds(side, depth_option, *cold):
        # A long prompt needs no warming up, and the one before each test at depth warms up what the test uses.
        out = side.speeds(model, "-p", long_prompt, "-n", 0, *cold) if long_prompt else {}
        if at_zero:
            out |= side.speeds(model, "-p", 0, "-n", at_zero)
        if deep:
            out |= side.speeds(model, "-p", 0, "-n", o.depth_tokens, depth_option, ",".join(map(str, deep)), *cold)
        return out
    rows, errors = bench.compare(model, lambda _: speeds(bench.ours, "--depth", "--warmup", 0),
                                 lambda _: speeds(bench.peer, "-d", "--no-warmup"), warm_up=False)
    for r in [r for r in rows if r.test.startswith("pp")]:  # the time a reader waits
        seconds = lambda speeds: [long_prompt / tps for tps in speeds]
        rows.insert(0, Row(r.model, f"TTFT at {long_prompt}", "s", True, seconds(r.ours), seconds(r.peer)))
    return rows, errors + notes


def memory(bench, model):
    prompt, n = bench.options.memory_prompt, bench.options.memory_tokens
    mib = lambda size: size / 2**20
    packed, stored = (f"pp{prompt}+tg{n}, {how}" for how in ("packed", "--no-pack"))

    def of_peer(m):  # one run, held against both of ours
        return dict.fromkeys((packed, stored), mib(bench.peer.peak_bytes(m, prompt, n)))
    return bench.compare(model, [lambda m: {packed: mib(bench.ours.peak_bytes(m, prompt, n))},
                                 lambda m: {stored: mib(bench.ours.peak_bytes(m, prompt, n, "--no-pack"))}], of_peer, "MiB peak", True)


def quality(bench, model):
    """Deterministic: one round, in a fixed order, because ours writes the reference that the peer reads."""
    o = bench.options
    with tempfile.TemporaryDirectory(dir=o.scratch) as folder:
        base = os.path.join(folder, "reference")
        rows, errors = bench.compare(model, lambda m: bench.ours.quality(m, o.text, o.window, base),
                                     lambda m: bench.peer.quality(m, o.window, base), "", True, rounds=1, warm_up=False)
    for row in rows:
        row.unit = "nats" if row.test.startswith("kld") else "share" if row.test.startswith("same") else ""
        row.lower_is_better = not row.test.startswith("same")
    return rows, errors


def load(bench, model):
    """Start of the process to the end of one token, with the file in the page cache."""
    return bench.compare(model, lambda m: {"load, pp1": bench.ours.load_seconds(m)}, lambda m: {"load, pp1": bench.peer.load_seconds(m)}, "s", True)


#: name: (function, the peer's tool it needs, what it shows)
TABLES = {
    "speed": (speed, peers.BENCH, "prefill and decode of one sequence"),
    "batch": (batch, peers.BATCHED, "sequences decoding together, decode phase only"),
    "depth": (depth, peers.BENCH, "long prompts"),
    "memory": (memory, peers.BENCH, "peak resident memory of the process, KV in f16"),
    "quality": (quality, peers.PERPLEXITY, "distance from the exact path of the same file"),
    "load": (load, peers.BENCH, "warm start of the process to its first token"),
}
DEFAULT = "speed,batch,depth,memory"
