#!/usr/bin/env python3
"""Fits the numbers of architectures (hwprofiles/architectures) to a table of measured operations.

    tools/fit_kernels.py TABLE -o FOLDER [--machines FILE] [--start neutral] [--keep simt.wave_tail,...]

TABLE: docs/calibration.md, "Tables of operations". Each name in its column gpu is a row of --machines (as
tests/data/kernels/machines.csv) or a profile. Prices are the program's, `ooc-paleo calibrate --prices`: no formula stands
here. Needs Python alone. FOLDER gets the architectures of the table's machines with their numbers fitted.

Loss: |log(predicted / measured)|, at most 1.5 a row, mean over the rows of a group (GPU, source, kind, type, pass), mean
over the groups: a GPU with many rows counts no more than one with few, and a kernel that the model has no form for no more
than one it misses by 4.5 times. A fifth of the shapes, by hash, is held out: it fits nothing and judges the fit. Beside the
numbers are fitted, and left out of the result, what measuring adds to each time of a source, and what kernels chosen by
a rule (selection heuristic) lose. A number that no row's price goes with stays. Stages follow one another, each with its
own rows: streaming kernels give the near shares that all others use.
"""

import argparse
import copy
import csv
import hashlib
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = ROOT / "hwprofiles" / "architectures"
MOST = 1.5  # of a miss
OLD = ("kepler", "maxwell", "pascal")  # what two numbers say they lack beside newer ones
# Path: where a neutral fit begins, lowest, highest (model/kernels/parameter_fields.cpp).
RANGES = {
    "simt.wide_tiles": (1, 0.01, 1.5), "simt.small_tiles": (0.6, 0.01, 1.5), "simt.wave_tail": (0.5, 1e-3, 4),
    "simt.extra_depth": (10, 1e-3, 500), "simt.generation": (0.8, 0.01, 1.5), "simt.pointwise_weights": (0.8, 0.01, 1.5),
    "simt.scatter_rate": (0.7, 0.01, 1.5), "simt.scatter_memory": (0.7, 0.01, 1.5), "simt.winograd_fused": (0.8, 0.01, 1.5),
    "simt.transformed": (1, 0.01, 1.5), "simt.transform_traffic": (1.5, 0.01, 4), "simt.depthwise": (0.25, 0.01, 1.5),
    "simt.linear_rate": (0.9, 0.01, 1.5), "simt.linear_memory": (0.7, 0.01, 1.5), "simt.linear_recent": (0.9, 0.01, 1.5),
    "tensor.tiles": (0.9, 0.01, 1.5), "tensor.operands": (3, 0.1, 100), "tensor.few_channels": (2, 1, 10),
    "recurrent.forward": (0.7, 0.01, 4), "recurrent.backward": (0.7, 0.01, 4), "recurrent.step": (20, 0.5, 200),  # us
    "recurrent.old_forward": (1.5, 0.01, 10), "recurrent.old_backward": (1.5, 0.01, 10),
    "recurrent.old_gru_backward": (2, 0.01, 10)}
BESIDE = {"measuring": (10e-6, 1e-6, 100e-6), "heuristic": (0.8, 0.4, 1.5)}


def plain(row):
    return (row.get("dtype") or "float32") == "float32"


STAGES = {
    "conv float32": lambda row: plain(row) and row["kind"] == "conv",
    "product float32": lambda row: plain(row) and row["kind"] == "product",
    "tensor cores": lambda row: row["kind"] in ("conv", "product") and row.get("dtype") in ("tf32", "float16", "bfloat16"),
    "recurrent float32": lambda row: plain(row) and row["kind"] == "recurrent"}
PREFIXES = {"tensor cores": "tensor.", "recurrent float32": "recurrent.", "product float32": "simt.linear"}


def paths_of(stage):
    if stage in PREFIXES:
        return [path for path in RANGES if path.startswith(PREFIXES[stage])]
    return [path for path in RANGES if path.startswith("simt.") and not path.startswith("simt.linear")]


def get(architecture, path):
    section, name = path.split(".")
    value = architecture[section][name]
    return float(value.split()[0]) if path == "recurrent.step" else float(value)


def put(architecture, path, value):
    section, name = path.split(".")
    architecture[section][name] = f"{value:.3f} us" if path == "recurrent.step" else value


def is_held_out(row):
    sizes = " ".join(row.get(key) or "" for key in
                     "kind batch channels height width filters kernel_h kernel_w stride_h m n k cell hidden steps bytes".split())
    return hashlib.sha256(sizes.encode()).digest()[0] % 5 == 0


class Prices:
    """Of one table by the program: for each machine a profile and its rows, with kernels chosen by a rule apart."""

    def __init__(self, program, machines, rows, folder):
        self.program, self.machines, self.folder = program, machines, folder
        self.parts = {}
        for index, row in enumerate(rows):
            heuristic = row.get("selection") == "heuristic"
            self.parts.setdefault((row.get("gpu") or "", heuristic), []).append(index)
        columns = [key for key in rows[0] if key != "gpu"]
        for part, indices in self.parts.items():
            with open(self.file(part, "csv"), "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[index] for index in indices)

    def file(self, part, end):
        return self.folder / f"{list(self.parts).index(part)}.{end}"

    def seconds(self, architectures, heuristic):
        """By row, without what measuring adds."""
        found = {}
        for part, indices in self.parts.items():
            profile = copy.deepcopy(self.machines[part[0]])
            architecture = copy.deepcopy(architectures[profile["compute"]["architecture"]])
            if part[1]:
                put(architecture, "simt.generation", min(1.5, get(architecture, "simt.generation") * heuristic))
            profile["compute"]["architecture"] = architecture
            self.file(part, "json").write_text(json.dumps(profile), encoding="utf-8")
            out = subprocess.run([self.program, "calibrate", "--from-operations", self.file(part, "csv"), "--hardware",
                                  self.file(part, "json"), "--prices", "-"], capture_output=True, text=True, check=False)
            if out.returncode != 0:
                sys.exit(f"fit_kernels: {part[0] or 'the machine'}: {out.stderr.strip()}")
            prices = [float(line.rsplit(",", 1)[1]) / 1e3 for line in out.stdout.splitlines()[1:]]
            found.update(zip(indices, prices))
        return [found[index] for index in sorted(found)]


class Stage:
    def __init__(self, prices, rows):
        self.prices, self.rows = prices, rows
        self.groups = {}
        for index, row in enumerate(rows):
            key = tuple(row.get(name) or "" for name in ("gpu", "source", "kind", "dtype", "pass"))
            self.groups.setdefault((is_held_out(row), key), []).append(index)

    def predicted(self, architectures, beside):
        added = [0 if row["kind"] == "recurrent" else beside.get("measuring." + (row.get("source") or ""), 0)
                 for row in self.rows]
        return [a + b for a, b in zip(self.prices.seconds(architectures, beside.get("heuristic", 1)), added)]

    def loss(self, predicted, held_out=False):
        means = []
        for (held, _), indices in self.groups.items():
            if held == held_out:
                misses = [abs(math.log(predicted[i] / self.rows[i]["seconds"])) for i in indices]
                means.append(sum(min(miss, MOST) for miss in misses) / len(misses))
        return sum(means) / len(means) if means else 0


def search(ranges, start, loss, evaluations, seed, spread):
    """One candidate, multiplied by random factors, kept when better; the step grows with success and shrinks with failure."""
    chance = random.Random(seed)

    def moved(name, value, by):
        return min(max(value * math.exp(by), ranges[name][1]), ranges[name][2])

    best = {name: moved(name, value, spread * chance.gauss(0, 1)) for name, value in start.items()}
    least, step = loss(best), 0.2
    share = max(1.5 / max(len(best), 1), 0.25)
    for _ in range(evaluations):
        changes = {name: step * chance.gauss(0, 1) for name in best if chance.random() < share}
        found = best | {name: moved(name, best[name], by) for name, by in changes.items()}
        value = loss(found)
        better = value < least
        if better:
            best, least = found, value
        step = min(step * 1.3, 0.4) if better else max(step * 0.985, 0.01)
    return best, least


def fit_stage(name, stage, architectures, machines, options):
    of = sorted({machines[row.get("gpu") or ""]["compute"]["architecture"] for row in stage.rows})
    variables = {}
    for path in paths_of(name):
        old_only = path in ("simt.generation", "simt.linear_recent")
        targets = [each for each in of if each in OLD] if old_only and set(of) - set(OLD) else [] if old_only else of
        if targets and path not in options.keep:
            variables[path] = targets
    ranges = {path: RANGES[path] for path in variables}
    start = {path: RANGES[path][0] if options.start == "neutral" else
             min(max(get(architectures[targets[0]], path), RANGES[path][1]), RANGES[path][2])
             for path, targets in variables.items()}

    def with_values(values):
        changed = copy.deepcopy(architectures)
        for path, targets in variables.items():
            for target in targets:
                if path in values:
                    put(changed[target], path, values[path])
        return changed

    # What no row's price goes with is left alone.
    given = stage.predicted(architectures, {})
    for path in list(variables):
        tries = (stage.predicted(with_values({path: value}), {}) for value in
                 (RANGES[path][1], start[path] / 2, min(start[path] * 2, RANGES[path][2]), RANGES[path][2]))
        if all(one == given for one in tries):
            del variables[path], ranges[path], start[path]
    beside = {}
    for row in stage.rows:
        if row["kind"] != "recurrent":
            beside["measuring." + (row.get("source") or "")] = BESIDE["measuring"]
        if row.get("selection") == "heuristic":
            beside["heuristic"] = BESIDE["heuristic"]
    ranges |= beside
    before, _ = search(beside, {key: value[0] for key, value in beside.items()},
                       lambda values: stage.loss(stage.predicted(architectures, values)), options.evaluations // 4, 0, 0)
    start |= {key: value[0] for key, value in beside.items()}
    count = max(len(stage.rows), 1)

    def loss(values):
        # From given numbers, how far one moves counts as the miss of one row, so that few rows do not carry numbers off.
        away = 0 if options.start == "neutral" else sum(abs(math.log(values[path] / start[path])) for path in variables)
        return stage.loss(stage.predicted(with_values(values), values)) + away / count

    best = min((search(ranges, start, loss, options.evaluations, seed, 0.5 if seed else 0)
                for seed in range(options.starts)), key=lambda result: result[1])[0]
    fitted = with_values({path: round(best[path], 4) for path in variables})
    now, then = stage.predicted(fitted, best), stage.predicted(architectures, before)
    print(f"{name}: {len(stage.rows)} rows; {stage.loss(then):.3f} -> {stage.loss(now):.3f}, "
          f"held out {stage.loss(then, True):.3f} -> {stage.loss(now, True):.3f}")
    for path, targets in variables.items():
        print(f"  {path:<28}{get(architectures[targets[0]], path):>10.4f} -> {best[path]:.4f}  {', '.join(targets)}")
    for key in beside:
        print(f"  beside: {key} {best[key]:.3g}")
    note(fitted, {path: targets for path, targets in variables.items()}, len(stage.rows), stage.loss(now))
    return fitted


def note(architectures, variables, rows, error):
    """In the entry of provenance that answers for the number: its own, else its section's."""
    for path, targets in variables.items():
        for target in targets:
            entries = {entry["fields"]: entry for entry in architectures[target]["provenance"]}
            entry = entries.get(path) or entries.get(path.split(".")[0])
            if entry and entry["kind"] == "fitted":
                entry |= {"rows": rows, "error": round(error, 3)}


def fit_near_shares(rows, architectures, machines, options):
    """Slopes between long streaming kernels, which what measuring adds is no part of."""
    rates = {}
    for gpu in sorted({row.get("gpu") or "" for row in rows}):
        points = [(float(row["bytes"]), row["seconds"]) for row in rows
                  if (row.get("gpu") or "") == gpu and row["seconds"] > 150e-6 and not is_held_out(row)][:2000]
        slopes = [(b - a) / (t - s) for i, (a, s) in enumerate(points) for b, t in points[i + 1:]
                  if abs(b - a) > 3e7 and (b - a) * (t - s) > 0]
        machine = machines[gpu]
        if slopes:
            peak = float(machine["near_memory"]["throughput"].split()[0]) * 1e9
            rates.setdefault(machine["compute"]["architecture"], []).append(statistics.median(slopes) / peak)
    for name, shares in rates.items():
        if "near_share" not in options.keep:
            share = round(min(max(statistics.median(shares), 0.01), 1), 4)
            print(f"streaming: near_share {architectures[name]['near_share']} -> {share}  {name}")
            architectures[name]["near_share"] = share


def read_machines(options, names):
    """Profiles by the table's names, their architecture by name."""
    machines = {}
    if options.machines:
        like = json.loads((ROOT / "hwprofiles" / "v100-16gb-pcie3.json").read_text(encoding="utf-8"))
        lines = [line for line in open(options.machines, encoding="utf-8") if not line.startswith("#")]
        for row in csv.DictReader(lines):
            machine = copy.deepcopy(like)
            types = ("float64", "float32", "tf32", "float16", "bfloat16")
            machine["compute"] = {
                "peak": {each: f"{row[each]} TFLOP/s" for each in types if row.get(each)},
                "architecture": row["architecture"], "multiprocessors": int(row["multiprocessors"]),
                "sustained": {each: float(row["sustained_" + each]) for each in types if row.get("sustained_" + each)}}
            machine["near_memory"]["throughput"] = row["near_gb_per_s"] + " GB/s"
            machines[row["name"]] = machine
    for name in names:
        path = pathlib.Path(options.hardware) if options.hardware else ROOT / "hwprofiles" / f"{name}.json"
        if name not in machines and path.is_file():
            machines[name] = json.loads(path.read_text(encoding="utf-8"))
        if name not in machines:
            sys.exit(f"fit_kernels: no machine {name!r}: --machines FILE, or --hardware PROFILE for a table of one")
    return machines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER")
    parser.add_argument("--machines", metavar="FILE", help="table (CSV) of the machines by the names in the column gpu")
    parser.add_argument("--hardware", metavar="PROFILE", help="file of the one machine that all rows are of")
    parser.add_argument("--start", choices=("given", "neutral"), default="given")
    parser.add_argument("--keep", default="", help="numbers that stay: simt.wave_tail,near_share")
    parser.add_argument("--evaluations", type=int, default=1300, help="of each search (default %(default)s)")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--program", default="ooc-paleo")
    options = parser.parse_args()
    options.keep = options.keep.split(",")
    lines = [line for line in open(options.table, encoding="utf-8") if not line.startswith("#")]
    rows = [row | {"seconds": float(row["ms"]) / 1e3} for row in csv.DictReader(lines)]
    machines = read_machines(options, sorted({row.get("gpu") or "" for row in rows}))
    architectures = {path.stem: json.loads(path.read_text(encoding="utf-8"))
                     for path in sorted(ARCHITECTURES.glob("*.json")) if not path.stem.endswith(".schema")}
    fit_near_shares([row for row in rows if row["kind"] == "streaming"], architectures, machines, options)
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, takes) in enumerate(STAGES.items()):
            some = [row for row in rows if takes(row)]
            if not some:
                continue
            folder = pathlib.Path(scratch, str(number))
            folder.mkdir()
            table = [{key: value for key, value in row.items() if key != "seconds"} for row in some]
            stage = Stage(Prices(options.program, machines, table, folder), some)
            architectures = fit_stage(name, stage, architectures, machines, options)
    pathlib.Path(options.output).mkdir(parents=True, exist_ok=True)
    for name in sorted({machine["compute"]["architecture"] for machine in machines.values()}):
        text = json.dumps(architectures[name], indent=2) + "\n"
        pathlib.Path(options.output, name + ".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
