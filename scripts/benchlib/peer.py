"""llama.cpp's tools, asked for the same figures. Every function returns {test: value}."""
import json
import os
import re

from . import child

BENCH, BATCHED, PERPLEXITY = "llama-bench", "llama-batched-bench", "llama-perplexity"


class Peer:
    def __init__(self, path, threads, timeout_s):
        """path: the folder of the tools, or its llama-bench."""
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        self.tools = {name: os.path.join(folder, name) for name in (BENCH, BATCHED, PERPLEXITY)}
        if os.path.isfile(path):
            self.tools[BENCH] = path
        self.threads, self.timeout_s = threads, timeout_s

    def missing(self, name):
        return not os.access(self.tools[name], os.X_OK)

    def run(self, name, model, *words):
        command = [self.tools[name], "-m", model, "-t", self.threads, "-ctk", "f16", "-ctv", "f16", *words]
        return child.run(list(map(str, command)), self.timeout_s)

    def bench(self, model, *words):
        result = self.run(BENCH, model, "-r", 1, "-o", "json", *words)
        try:
            return json.loads(result.out), result
        except ValueError:
            raise child.Failed(f"{BENCH}: no JSON: {child.last_words(result.err or result.out)}") from None

    def speeds(self, model, *words):
        rows, _ = self.bench(model, *words)
        out = {}
        for r in rows:
            name = f"pp{r['n_prompt']}" if r["n_prompt"] else f"tg{r['n_gen']}"
            out[name + (f"@d{r['n_depth']}" if r["n_depth"] else "")] = r["avg_ts"]
        return out

    def batch(self, model, sizes, depth, n):
        """speed_tg: all sequences' tokens over the time of the decode phase."""
        result = self.run(BATCHED, model, "-c", max(sizes) * (depth + n), "-npp", depth, "-ntg", n, "-npl", ",".join(map(str, sizes)),
                          "--output-format", "jsonl")
        rows = [json.loads(line) for line in result.out.splitlines() if line.startswith("{")]
        if len(rows) != len(sizes):
            raise child.Failed(f"{BATCHED}: {len(rows)} of {len(sizes)} results: {child.last_words(result.err)}")
        return {f"tg{n}x{row['pl']}": row["speed_tg"] for row in rows}

    def peak_bytes(self, model, prompt, n):
        # -pg: prompt and tokens in one context of prompt + n, as ours.
        return self.bench(model, "-p", 0, "-n", 0, "-pg", f"{prompt},{n}", "--no-warmup")[1].peak_bytes

    def load_seconds(self, model):
        return self.bench(model, "-p", 1, "-n", 0, "--no-warmup")[1].seconds

    def version(self):
        try:
            said = child.run([self.tools[BENCH], "--version"], 60)
        except child.Failed:
            return "unknown"
        lines = (said.out + said.err).splitlines()
        return next((line.strip() for line in lines if "version" in line), "unknown")

    def quality(self, model, window, base):
        """Divergence from the predictions saved in `base`; also the perplexity it finds in that file."""
        out = self.run(PERPLEXITY, model, "-c", window, "--kl-divergence-base", base, "--kl-divergence").out
        number = r"\s*:\s*(-?[\d.]+)"
        labels = {"ppl": r"Mean PPL\(Q\)", "ppl of reference": r"Mean PPL\(base\)", "kld mean": r"Mean\s+KLD", "kld median": r"Median\s+KLD",
                  "kld p99": r"99\.0%\s+KLD", "kld max": r"Maximum KLD", "same best token": r"Same top p"}
        found = {name: re.search(label + number, out) for name, label in labels.items()}
        if not all(found.values()):
            raise child.Failed(f"{PERPLEXITY}: no statistics (it wants at least 100 scored tokens)")
        values = {name: float(match.group(1)) for name, match in found.items()}
        values["same best token"] /= 100.0
        return values
