"""Runs a program to its end: output, wall time, peak resident memory; a failure is one clear line."""
import os
import signal
import subprocess
import tempfile
import threading
import time


class Failed(Exception):
    """What a program said when it did not do its work."""


class Result:
    def __init__(self, out, err, seconds, peak_bytes):
        self.out, self.err, self.seconds, self.peak_bytes = out, err, seconds, peak_bytes


def last_words(text):
    """The last line that names an error, or else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "failed" in line.lower()]
    return (telling or lines or ["no output"])[-1][:300]


def run(command, timeout_s):
    """Raises Failed with the program's name and its own last words."""
    name = os.path.basename(command[0])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except OSError as e:
            raise Failed(f"{name}: {e.strerror}") from e
        timer = threading.Timer(timeout_s, child.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)  # not wait(): only this call tells the child's own peak
        except BaseException:
            child.kill()
            os.waitpid(child.pid, 0)
            raise
        finally:
            late = not timer.is_alive()
            timer.cancel()
            child.returncode = 0  # wait4 has collected it
        seconds = time.monotonic() - start
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        why = f"stopped after {timeout_s} s" if late else f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        raise Failed(f"{name}: {why}: {last_words(texts[1] or texts[0])}")
    return Result(texts[0], texts[1], seconds, usage.ru_maxrss * 1024)
