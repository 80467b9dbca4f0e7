#!/usr/bin/env python3
"""Checks the one-way flow between layers by their #include lines (see README). Exit 1 with one line a violation."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# layer -> what it may include of the project
ALLOWED = {
    "kernels": ("kernels/",),
    "engine": ("kernels/", "engine/"),
    "profiler": ("engine/base/", "engine/trace/", "profiler/"),
    "app": ("kernels/", "engine/", "profiler/", "app/"),
}
# rooms of the engine in order of dependence: a room may include itself and earlier ones
ROOMS = ["base", "trace", "checkpoint", "text", "model", "cache", "backend", "decode", "schedule", "lane"]
QT = re.compile(r"^(Q[A-Z]\w*|Qt\w*/.*)$")
CUDA = re.compile(r"cuda|cupti|nvml|nvtx|nvtoolsext|cublas", re.I)
CUDA_ROOMS = ("kernels/cuda/", "engine/backend/cuda", "profiler/collect/cupti", "profiler/collect/nvml", "profiler/collect/nvtx")


def violations(path):
    rel = path.relative_to(ROOT).as_posix()
    layer = rel.split("/")[0]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not m:
            continue
        quote, target = m.groups()
        if quote == '"' and "/" in target and target.split("/")[0] in ("kernels", "engine", "profiler", "app", "tests"):
            if not target.startswith(ALLOWED[layer]):
                yield f"{rel}:{number}: {layer} must not include {target}"
            if layer == "engine" and target.startswith("engine/"):
                room, other = rel.split("/")[1], target.split("/")[1]
                if room in ROOMS and other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                    yield f"{rel}:{number}: engine/{room} must not include {target} (a later room)"
        if QT.match(target) and (layer != "app" or rel.startswith("app/cli/")):
            yield f"{rel}:{number}: Qt header {target} outside the app"
        # Our own headers of those rooms hold no CUDA; the plugin's do.
        ours = target.startswith(("profiler/collect/", "engine/backend/cuda/")) and "/plugin/" not in target
        if CUDA.search(target) and not ours and not rel.startswith(CUDA_ROOMS):
            yield f"{rel}:{number}: CUDA header {target} outside the CUDA rooms"


def main():
    found = []
    for layer in ALLOWED:
        for path in sorted((ROOT / layer).rglob("*")):
            if path.suffix in (".h", ".cpp", ".cuh", ".cu"):
                found += violations(path)
    print("\n".join(found) if found else "layering: fine")
    sys.exit(1 if found else 0)


main()
