"""What the figures were measured on."""
import os
import platform
import subprocess


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit():
    """Of the sources; "+" when they are changed; empty outside a repository."""
    try:
        words = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe(threads):
    return {"cpu": cpu_name(), "logicalCpus": os.cpu_count(), "threads": threads, "system": f"{platform.system()} {platform.release()}",
            "memoryBytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")}
