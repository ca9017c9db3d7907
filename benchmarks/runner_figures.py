#!/usr/bin/env python3
"""How well `prequel bench` measures: its times beside hyperfine's on the same commands, and what a run costs around them.

    python3 benchmarks/runner_figures.py target/release/prequel [ROUNDS] [RUNS]

Both take turns (ROUNDS times, RUNS each) on the same core, so that whatever else the machine does disturbs both alike.
"""

import csv, json, pathlib, statistics, subprocess, sys, tempfile, time

COMMANDS = {
    "waits": ["sleep", "0.5"],
    "computes": ["sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"],
}
TINY = ["true"]
BATCH = 25


def suite(folder, commands, repetitions):
    """A suite that runs these commands as they are; each says nothing, so the answer is unknown."""
    (folder / "m.aut").write_text("des (0, 1, 1)\n(0, a, 0)\n")
    text = f'name = "figures"\nrepetitions = {repetitions}\n[limits]\ntime = "60s"\nmemory = "1G"\n'
    for name, command in commands.items():
        text += f'[[tool]]\nname = "{name}"\nversion = ["sh", "-c", "echo 1"]\nphases = [{json.dumps(command)}]\n'
        text += f'[[engine]]\nname = "{name}"\ntool = "{name}"\n'
    text += '[[model]]\npath = "m.aut"\nquery = ["--deadlock-free"]\n'
    path = folder / "figures.toml"
    path.write_text(text)
    return path


def bench(prequel, folder, commands, repetitions):
    """Seconds of each run by command, and of the whole command."""
    results = tempfile.mkdtemp(dir=folder)
    started = time.perf_counter()
    subprocess.run([prequel, "bench", suite(folder, commands, repetitions), "--results", results], check=True, capture_output=True)
    whole = time.perf_counter() - started
    times = {name: [] for name in commands}
    for file in pathlib.Path(results).glob("*.csv"):
        with open(file, newline="") as rows:
            for row in csv.DictReader(rows):
                times[row["engine"]].append(float(row["seconds"]))
    return times, whole


def hyperfine(folder, command, runs):
    out = folder / "hyperfine.json"
    line = " ".join(f"'{word}'" for word in command)
    subprocess.run(["taskset", "-c", "0", "hyperfine", "-N", "--runs", str(runs), "--export-json", out, line], check=True, capture_output=True)
    return json.loads(out.read_text())["results"][0]["times"]


def main():
    prequel = str(pathlib.Path(sys.argv[1]).resolve())
    rounds, runs = (int(word) for word in (sys.argv[2:4] + ["6", "5"][len(sys.argv) - 2 :]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours, theirs = {name: [] for name in COMMANDS}, {name: [] for name in COMMANDS}
        for _ in range(rounds):
            found, _ = bench(prequel, folder, COMMANDS, runs)
            for name, command in COMMANDS.items():
                ours[name] += found[name]
                theirs[name] += hyperfine(folder, command, runs)
        for name in COMMANDS:
            a, b = statistics.median(ours[name]), statistics.median(theirs[name])
            low, high = min(ours[name]), min(theirs[name])
            print(f"{name}: median {a:.4f} s here, {b:.4f} s by hyperfine ({100 * (a / b - 1):+.2f} %); least {low:.4f} s and {high:.4f} s ({100 * (low / high - 1):+.2f} %)")
        # What is there once is taken away: starting, versions, provenance.
        around = lambda runs: (lambda found: found[1] - sum(found[0]["tiny"]))(bench(prequel, folder, {"tiny": TINY}, runs))
        once = min(around(1) for _ in range(5))
        each = sorted((around(BATCH + 1) - once) / BATCH for _ in range(10))
        print(f"around a run: {1000 * each[0]:.2f} ms at least, {1000 * statistics.median(each):.2f} ms in the middle of {len(each)} batches of {BATCH} runs of `true`")


main()
