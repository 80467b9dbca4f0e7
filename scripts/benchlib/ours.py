"""Our command line, asked for figures. Every function returns {test: value}."""
import json

from . import child


class Ours:
    def __init__(self, cli, threads, timeout_s):
        self.cli, self.threads, self.timeout_s = cli, threads, timeout_s

    def run(self, *words):
        return child.run([self.cli, *map(str, words)], self.timeout_s)

    def bench(self, model, *words):
        """The rows of `bench`, in order, with the resources of the process."""
        result = self.run("bench", model, "--threads", self.threads, "--kv", "fp16", "-r", 1, "--json", *words)
        return json.loads(result.out), result

    def speeds(self, model, *words):
        rows, _ = self.bench(model, *words)
        return {row["test"]: row["tps"]["mean"] for row in rows}

    def batch(self, model, sizes, depth, n):
        """Decode phase only; each sequence's prompt is its own and is not timed."""
        # The prompt phase before each test warms up what it uses, as it does for the peer.
        rows, _ = self.bench(model, "-p", 0, "-n", n, "-b", ",".join(map(str, sizes)), "--depth", depth, "--warmup", 0)
        return {f"tg{n}x{size}": row["tps"]["mean"] for size, row in zip(sizes, rows)}

    def peak_bytes(self, model, prompt, n, *words):
        _, result = self.bench(model, "-p", prompt, "-n", n, "--context", prompt + n, "--warmup", 0, *words)
        return result.peak_bytes

    def load_seconds(self, model):
        return self.bench(model, "-p", 1, "-n", 0, "--warmup", 0)[1].seconds

    def trained_context(self, model):
        return json.loads(self.run("info", model, "--json").out)["contextLength"]

    def isa(self, model):
        """Named by the table only. Also measures the machine's roof, if this machine has none yet."""
        out = self.run("bench", model, "--threads", self.threads, "-p", 1, "-n", 0, "-r", 1, "--warmup", 0).out
        return out.splitlines()[2].split("|")[4].strip()

    def quality(self, model, text, window, base):
        """Against the exact path of the same file, whose predictions are saved as `base`."""
        j = json.loads(self.run("perplexity", model, "--threads", self.threads, "--kv", "fp16", "--file", text, "--ctx", window,
                                "--against", model, "--save-logits", base, "--json").out)
        return {"ppl": j["ppl"], "kld mean": j["kld"]["mean"], "kld median": j["kld"]["median"], "kld p99": j["kld"]["p99"],
                "kld max": j["kld"]["max"], "same best token": j["top1"]}
