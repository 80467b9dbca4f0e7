"""Model benchmarks, alternating with llama.cpp when given its tools. Prints Markdown tables and writes JSON.

What is measured and how ratios are made: tests/bench/README.md. Schema of the JSON: tests/bench/results/README.md.
"""
import argparse
import datetime
import glob
import hashlib
import json
import os
import subprocess
import sys

from benchlib import child, machine, ours, peer, rounds, tables

CLI = "build/dev/app/cli/lanescope-cli"
KERNELS = "build/dev/tests/bench/kernel_bench"
MODELS = ("SmolLM2-135M-Instruct.Q4_1.gguf", "gemma-3-270m-q4_k_m.gguf", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
          "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf")


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse(argv):
    p = argparse.ArgumentParser(prog="./dev bench", description="Measures speed and memory; beside llama.cpp's with --peer.")
    p.add_argument("--peer", metavar="PATH", help="llama.cpp's folder of built tools (build/bin), or its llama-bench")
    p.add_argument("--tables", metavar="LIST", help=f"of {','.join(tables.TABLES)} (default {tables.DEFAULT})")
    p.add_argument("--rounds", type=int, default=5, metavar="N", help="counted rounds; one more warms up, but for long prompts (default 5)")
    p.add_argument("--threads", type=int, default=os.cpu_count(), metavar="N", help="of both sides (default: all)")
    p.add_argument("--out", metavar="FILE", help="the JSON (default out/bench/TIME.json)")
    p.add_argument("--kernels", action="store_true", help="the kernel benchmarks; alone unless --tables or --peer is given too")
    p.add_argument("--cli", default=CLI, metavar="PATH", help=f"our command line (default {CLI})")
    p.add_argument("--timeout", type=int, default=1800, metavar="S", help="seconds one run of a program may take (default 1800)")
    p.add_argument("-p", type=int, default=512, metavar="N", help="speed: prompt (default 512)")
    p.add_argument("-n", type=int, default=128, metavar="N", help="speed: tokens decoded (default 128)")
    p.add_argument("--batches", type=numbers, default=[16], metavar="LIST", help="batch: sequences (default 16)")
    p.add_argument("--batch-prompt", type=int, default=128, metavar="N", help="batch: prompt a sequence (default 128)")
    p.add_argument("--batch-tokens", type=int, default=32, metavar="N", help="batch: tokens a sequence (default 32)")
    p.add_argument("--long-prompt", type=int, default=4096, metavar="N", help="depth: prompt to the first token (default 4096)")
    p.add_argument("--depths", type=numbers, default=[0, 2048, 8192], metavar="LIST", help="depth: before decoding (default 0,2048,8192)")
    p.add_argument("--depth-tokens", type=int, default=64, metavar="N", help="depth: tokens decoded (default 64)")
    p.add_argument("--memory-prompt", type=int, default=512, metavar="N", help="memory: prompt (default 512)")
    p.add_argument("--memory-tokens", type=int, default=32, metavar="N", help="memory: tokens decoded (default 32)")
    p.add_argument("--text", metavar="FILE", help="quality: the text (default: the start of this repository's READMEs)")
    p.add_argument("--text-bytes", type=int, default=12000, metavar="N", help="quality: how much of those READMEs (default 12000)")
    p.add_argument("--window", type=int, default=512, metavar="N", help="quality: tokens a window (default 512)")
    p.add_argument("models", nargs="*", metavar="MODEL", help="GGUF files (default: those of ./dev models)")
    o = p.parse_args(argv)
    if o.rounds < 1:
        p.error("--rounds must be at least 1")
    o.tables = (o.tables or ("" if o.kernels and not o.peer else tables.DEFAULT)).split(",")
    unknown = [name for name in o.tables if name and name not in tables.TABLES]
    if unknown:
        p.error(f"no such table: {', '.join(unknown)}")
    if o.peer and not os.path.exists(o.peer):
        p.error(f"--peer: no such file or folder: {o.peer}")
    return o


def default_models():
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    folder = os.environ.get("LANESCOPE_MODELS", os.path.join(cache, "lanescope", "models"))
    return [path for path in (os.path.join(folder, name) for name in MODELS) if os.path.exists(path)]


def own_text(folder, size):
    """The start of our READMEs as one file; which text it was is told by its hash in the JSON."""
    path = os.path.join(folder, "text.txt")
    names = [name for name in sorted(glob.glob("*/**/README.md", recursive=True)) if not name.startswith(("build/", "out/"))]
    text = b""
    for name in ["README.md", *names]:
        with open(name, "rb") as f:
            text += f.read() + b"\n"
    with open(path, "wb") as f:
        f.write(text[:size].decode("utf-8", "ignore").encode())
    return path


def run_kernels(out):
    path = os.path.splitext(out)[0] + "-kernels.json"
    subprocess.run([KERNELS, f"--benchmark_out={path}", "--benchmark_out_format=json"], check=True)
    print(f"\nKernels: {path}", file=sys.stderr)


def save(path, results):
    with open(path + ".part", "w") as f:
        json.dump(results, f, indent=1)
    os.replace(path + ".part", path)


def run_tables(o, models):
    """Runs the tables; the JSON is written after each. True: nothing of ours failed."""
    mine, theirs = ours.Ours(o.cli, o.threads, o.timeout), peer.Peer(o.peer, o.threads, o.timeout) if o.peer else None
    results = {"schema": 1, "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "arguments": [os.path.basename(a.rstrip("/")) if "/" in a else a for a in sys.argv[1:]],
               "machine": machine.describe(o.threads) | {"isa": mine.isa(models[0])}, "rounds": o.rounds,
               "versions": {"ours": mine.run("--version").out.strip(), "commit": machine.commit()}, "tables": {}}
    if theirs:
        results["versions"]["peer"] = theirs.version()
    if "quality" in o.tables:
        o.text = o.text or own_text(o.scratch, o.text_bytes)
        results["text"] = {"bytes": os.path.getsize(o.text), "sha256": hashlib.sha256(open(o.text, "rb").read()).hexdigest(), "window": o.window}
    m = results["machine"]
    print(f"{m['cpu']}, {m['isa']}, {o.threads} threads, {o.rounds} alternating rounds, medians; ratio = ours / peer, ↓: lower is better")
    good = True
    for name in filter(None, o.tables):
        make, tool, title = tables.TABLES[name]
        print(f"\n## {name}: {title}\n", flush=True)
        notes = []
        if theirs and theirs.missing(tool):
            notes.append(f"skipped: the peer has no {tool} ({theirs.tools[tool]})")
        else:
            print(rounds.heading(bool(theirs)), flush=True)
        rows = []
        for model in models if not notes else []:
            try:
                found, said = make(tables.Bench(mine, theirs, o), model)
            except child.Failed as e:
                found, said = [], [f"ours: {e}"]
            rows += found
            notes += said
            for row in found:
                print(row.to_markdown(bool(theirs)), flush=True)
        print("".join(f"\n- {note}" for note in notes), flush=True)
        good = good and not any(note.startswith("ours:") for note in notes)
        results["tables"][name] = {"rows": [row.to_json() for row in rows], "notes": notes}
        save(o.out, results)
    return good


def main():
    o = parse(sys.argv[1:])
    models = o.models or default_models()
    if not models and any(o.tables):
        sys.exit("bench: no model found; run ./dev models first")
    o.out = o.out or f"out/bench/{datetime.datetime.now():%Y-%m-%d-%H%M%S}.json"
    o.scratch = os.path.dirname(os.path.abspath(o.out))
    os.makedirs(o.scratch, exist_ok=True)
    try:
        if o.kernels:
            run_kernels(o.out)
        good = run_tables(o, models) if any(o.tables) else True
    except child.Failed as e:
        sys.exit(f"bench: {e}")
    except subprocess.CalledProcessError as e:
        sys.exit(f"bench: {os.path.basename(e.cmd[0])} ended with {e.returncode}")
    if any(o.tables):
        print(f"\nResults: {o.out}", file=sys.stderr)
    if not good:
        sys.exit("bench: a measurement of ours failed (see above)")


main()
