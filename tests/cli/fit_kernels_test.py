#!/usr/bin/env python3
"""tools/fit_kernels.py finds the numbers that a table was made with: fit_kernels_test.py ROOT PROGRAM"""

import json
import pathlib
import subprocess
import sys
import tempfile

TRUTH = {"near_share": 0.8, "simt.wide_tiles": 0.8, "simt.winograd_fused": 0.6, "simt.linear_rate": 0.6}
WITHIN = {"near_share": 0.001, "simt.wide_tiles": 0.1, "simt.winograd_fused": 0.1, "simt.linear_rate": 0.05}
FITTED = ("wide_tiles", "winograd_fused", "linear_rate")
MEASURING_MS = 12e-3


def table():
    rows = []
    for channels in (64, 96, 200, 512):
        for size in (14, 28, 56):
            for kernel in (1, 3):
                rows.append(f"conv,16,{channels},{size},{size},{2 * channels},{kernel},{kernel},{kernel // 2},{kernel // 2},,,,")
        rows += [f"product,,,,,,,,,,{channels},512,2048,", f"product,,,,,,,,,,4096,{16 * channels},1024,"]
    return rows + [f"streaming,,,,,,,,,,,,,{i}00000000" for i in range(1, 9)]


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    volta = json.loads((root / "hwprofiles/architectures/volta.json").read_text())
    card = json.loads((root / "hwprofiles/v100-16gb-pcie3.json").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = json.loads(json.dumps(volta))
        for path, value in TRUTH.items():
            section, _, number = path.rpartition(".")
            (made[section] if section else made)[number] = value
        (folder / "card.json").write_text(json.dumps(card))
        card["compute"]["architecture"] = made
        (folder / "truth.json").write_text(json.dumps(card))
        header = "kind,batch,channels,height,width,filters,kernel_h,kernel_w,pad_h,pad_w,m,n,k,bytes,ms\n"
        (folder / "ones.csv").write_text(header + "".join(row + ",1\n" for row in table()))
        prices = subprocess.run([program, "calibrate", "--from-operations", folder / "ones.csv", "--hardware",
                                 folder / "truth.json", "--prices", "-"], capture_output=True, text=True, check=True).stdout
        times = [float(line.split(",")[2]) + MEASURING_MS for line in prices.splitlines()[1:]]
        (folder / "ops.csv").write_text(header + "".join(f"{row},{ms:.9g}\n" for row, ms in zip(table(), times)))
        keep = ",".join(f"simt.{number}" for number in volta["simt"] if number not in FITTED)
        subprocess.run([sys.executable, root / "tools/fit_kernels.py", folder / "ops.csv", "--hardware", folder / "card.json",
                        "--program", program, "--keep", keep, "--starts", "1", "--evaluations", "100", "-o", folder / "out"],
                       check=True)
        found = json.loads((folder / "out/volta.json").read_text())
    for path, value in TRUTH.items():
        section, _, number = path.rpartition(".")
        got = (found[section] if section else found)[number]
        assert abs(got / value - 1) < WITHIN[path], f"{path}: {got} for {value}"


main()
