"""Model benchmarks, alternating with llama.cpp's llama-bench when given one. Prints a Markdown table and writes JSON.

Usage: bench.py [--peer PATH] [--rounds N] [--threads N] [--out FILE] [--kernels] [MODEL.gguf ...]
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

CLI = "build/dev/app/cli/lanescope-cli"


def models_folder():
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return os.environ.get("LANESCOPE_MODELS", os.path.join(cache, "lanescope", "models"))


def ours(model, threads, prompt, n):
    out = subprocess.run([CLI, "bench", model, "-p", str(prompt), "-n", str(n), "-r", "1", "--threads", str(threads), "--json"],
                         check=True, capture_output=True, text=True).stdout
    return {row["test"]: row["tps"]["mean"] for row in json.loads(out)}


def peer(binary, model, threads, prompt, n):
    out = subprocess.run([binary, "-m", model, "-p", str(prompt), "-n", str(n), "-r", "1", "-t", str(threads), "-o", "json"],
                         check=True, capture_output=True, text=True).stdout
    return {(f"pp{r['n_prompt']}" if r["n_prompt"] else f"tg{r['n_gen']}"): r["avg_ts"] for r in json.loads(out)}


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--peer")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("-p", type=int, default=512)
    p.add_argument("-n", type=int, default=128)
    p.add_argument("--out")
    p.add_argument("--kernels", action="store_true", help="also run the kernel benchmarks")
    p.add_argument("models", nargs="*")
    a = p.parse_args()
    models = a.models or [os.path.join(models_folder(), f) for f in
                          ("SmolLM2-135M-Instruct.Q4_1.gguf", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf")]
    models = [m for m in models if os.path.exists(m)]
    if not models:
        sys.exit("bench: no model found; run ./dev models first")
    if a.kernels:
        subprocess.run(["build/dev/tests/bench/kernel_bench"], check=True)
    results = {"cpu": cpu_name(), "threads": a.threads, "rounds": a.rounds, "models": {}}
    print(f"CPU: {results['cpu']}, {a.threads} threads, {a.rounds} alternating rounds\n")
    head = "| model | test | tok/s | sd |" + (" peer tok/s | sd | ratio |" if a.peer else "")
    print(head + "\n|" + "---|" * (head.count("|") - 1))
    for model in models:
        mine, theirs = {}, {}
        for i in range(a.rounds + 1):  # the first round warms up both
            runs = [lambda: ours(model, a.threads, a.p, a.n)]
            if a.peer:
                runs.append(lambda: peer(a.peer, model, a.threads, a.p, a.n))
            order = range(len(runs)) if i % 2 == 0 else reversed(range(len(runs)))
            for k in order:
                for test, tps in runs[k]().items():
                    if i:
                        (mine, theirs)[k].setdefault(test, []).append(tps)
        name = os.path.basename(model)
        results["models"][name] = {"ours": mine, "peer": theirs}
        for test, values in mine.items():
            sd = statistics.stdev(values) if len(values) > 1 else 0.0
            row = f"| {name} | {test} | {statistics.mean(values):.1f} | {sd:.1f} |"
            if a.peer and test in theirs:
                t = theirs[test]
                tsd = statistics.stdev(t) if len(t) > 1 else 0.0
                row += f" {statistics.mean(t):.1f} | {tsd:.1f} | {statistics.median(values) / statistics.median(t):.2f} |"
            print(row)
    if a.out:
        with open(a.out, "w") as f:
            json.dump(results, f, indent=1)


main()
