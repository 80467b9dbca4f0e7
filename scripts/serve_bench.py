"""Time to first token and speed under load, beside llama.cpp's server on the same arrivals: rounds alternate.

  python3 scripts/serve_bench.py MODEL --package FOLDER [--arrivals burst:32] [--requests 32] [--rounds 5] [--out FILE]

FOLDER: where `pip install --target FOLDER xllamacpp` put the package.
"""
import argparse
import json
import os
import sys
import tempfile

from benchlib import child, machine, served


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("--package", required=True)
    p.add_argument("--cli", default="build/dev/app/cli/lanescope-cli")
    p.add_argument("--arrivals", default="burst:32")
    p.add_argument("--requests", type=int, default=32)
    p.add_argument("--prompt-tokens", default="16-256")
    p.add_argument("--output-tokens", default="16-128")
    p.add_argument("--sequences", type=int, default=16)
    p.add_argument("--budget", type=int, default=256)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--port", type=int, default=18080)
    p.add_argument("--out")
    return p.parse_args()


def main():
    o = parse()
    try:
        rows = measure(o)
    except child.Failed as e:
        sys.exit(f"serve_bench: {e}")
    print(served.table(rows))
    if o.out:
        with open(o.out, "w") as f:
            json.dump({"schema": 1, "machine": machine.describe(o.threads), "arrivals": o.arrivals, "requests": o.requests,
                       "promptTokens": o.prompt_tokens, "outputTokens": o.output_tokens, "sequences": o.sequences,
                       "budget": o.budget, "model": os.path.basename(o.model), "figures": rows}, f, indent=1)


def measure(o):
    """{figure: {"ours": [a round], "peer": [a round]}}."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "arrivals.jsonl")
        child.run([o.cli, "serve-sim", o.model, "--arrivals", o.arrivals, "--requests", str(o.requests), "--prompt-tokens",
                   o.prompt_tokens, "--output-tokens", o.output_tokens, "--save-arrivals", file], 60)
        with open(file) as f:
            arrivals = [json.loads(line) for line in f]
        context = max(len(a["tokens"]) + a["maxTokens"] for a in arrivals) + 8
        server = served.PeerServer(o.package, o.model, context, o.sequences, o.threads, o.port)
        try:
            sides = {"ours": lambda: served.ours(o.cli, o.model, file, o.sequences, o.threads, o.budget),
                     "peer": lambda: served.peer(server, arrivals)}
            for i in range(o.rounds + 1):  # the first warms up
                for who in list(sides)[:: 1 if i % 2 == 0 else -1]:
                    for name, value in sides[who]().items():
                        rows.setdefault(name, {"ours": [], "peer": []})[who] += [value] if i else []
        finally:
            server.close()
    return rows


main()
