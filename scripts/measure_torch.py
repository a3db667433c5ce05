#!/usr/bin/env python3
"""What PyTorch's kernels and iterations take on this machine.

PREFIX.csv    products, convolutions in both layouts and all passes, element-wise kernels in float32, tf32, bfloat16 and
              float16, as rows for `ooc-paleo calibrate --from-operations`
PREFIX.json   whole iterations of networks of torchvision: in core, with saved tensors in pinned memory
              (torch.autograd.graph.save_on_cpu), and with policies of `ooc-paleo predict --export-policy`

Written after each measurement; what is there already is not measured again.
Exit status: 0 done; 1 some is left (time, memory); 2 bad arguments; 5 no usable GPU; 6 no torch.
"""

import argparse
import csv
import json
import os
import statistics
import sys
import time

NETWORKS = "vgg16:32 resnet50:64 inception_v3:64 googlenet:128 alexnet:256"
TYPES = ("float32", "tf32", "bfloat16", "float16")
COLUMNS = ("gpu", "kind", "pass", "dtype", "source", "ms", "m", "n", "k", "count", "bytes", "batch", "channels", "height",
           "width", "filters", "kernel_h", "kernel_w", "stride_h", "stride_w", "pad_h", "pad_w", "groups", "note")
# batch, channels, side, filters, kernel, stride, groups: of ResNet-50, VGG-16, Inception-v3, MobileNet-v2.
CONVOLUTIONS = ((32, 3, 224, 64, 7, 2, 1), (32, 64, 56, 64, 3, 1, 1), (32, 64, 56, 256, 1, 1, 1),
                (32, 128, 28, 128, 3, 1, 1), (32, 256, 56, 128, 1, 1, 1), (32, 256, 14, 256, 3, 1, 1),
                (32, 512, 7, 512, 3, 1, 1), (32, 1024, 14, 256, 1, 1, 1), (32, 128, 56, 128, 3, 2, 1),
                (32, 64, 224, 64, 3, 1, 1), (32, 256, 56, 256, 3, 1, 1), (32, 96, 35, 96, 3, 1, 1),
                (32, 144, 56, 144, 3, 1, 144), (32, 384, 14, 384, 3, 1, 384), (128, 64, 28, 96, 5, 1, 1))
PRODUCTS = ((256, 4096, 9216), (256, 4096, 4096), (32, 1000, 2048), (512, 512, 512), (1024, 1024, 1024),
            (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (4096, 12288, 4096), (2048, 50304, 1024))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, metavar="PREFIX", help="of the two files")
    parser.add_argument("--device", default="0", metavar="N", help="number of the GPU, or cpu; default 0")
    parser.add_argument("--seconds", type=float, default=240, metavar="S", help="begin nothing after so long")
    parser.add_argument("--networks", default=NETWORKS, metavar="LIST", help=f"NAME:BATCH …; default: {NETWORKS}")
    parser.add_argument("--policies", nargs="*", default=[], metavar="FILE",
                        help="exported policies of these networks, NAME[-…].json")
    parser.add_argument("--small", action="store_true", help="few and small ones, to try the script")
    arguments = parser.parse_args()
    arguments.cases = []
    for item in arguments.networks.split():
        name, _, batch = item.partition(":")
        if not batch.isdigit() or int(batch) < 1:
            parser.error(f"--networks: found '{item}', expected NAME:BATCH")
        arguments.cases.append((name, int(batch)))
    return arguments


try:
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    torch = missing


class Measurement:
    """The machine, the clock, and the two files."""

    def __init__(self, arguments):
        self.end = time.monotonic() + arguments.seconds
        self.prefix = arguments.output
        self.cuda = arguments.device != "cpu"
        self.device = torch.device(f"cuda:{arguments.device}" if self.cuda else "cpu")
        self.left_out = 0
        self.rows = self.read_rows()
        self.others = self.read_others()
        name = torch.cuda.get_device_properties(self.device).name if self.cuda else "cpu"
        self.gpu = name
        self.others["conditions"] = {"device_name": name, "torch": torch.__version__, "cuda": torch.version.cuda,
                                     "cudnn": torch.backends.cudnn.version() if self.cuda else None}

    def read_rows(self):
        try:
            with open(self.prefix + ".csv", encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        except FileNotFoundError:
            return []

    def read_others(self):
        try:
            with open(self.prefix + ".json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {"iterations": []}

    def write(self):
        """Whole or not at all: a reader never sees half of it."""
        with open(self.prefix + ".csv.new", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        with open(self.prefix + ".json.new", "w", encoding="utf-8") as file:
            json.dump(self.others, file, indent=1)
        for suffix in (".csv", ".json"):
            os.replace(self.prefix + suffix + ".new", self.prefix + suffix)

    def synchronize(self):
        if self.cuda:
            torch.cuda.synchronize(self.device)

    def time_ms(self, work, repeats=10):
        """Median of five times of `repeats` calls that are queued before the first runs."""
        for _ in range(3):
            work()
        self.synchronize()
        times = []
        for _ in range(5):
            if self.cuda:
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                torch.cuda._sleep(2_000_000)  # a millisecond, in which the calls are queued
                begin.record()
                for _ in range(repeats):
                    work()
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end) / repeats)
            else:
                start = time.perf_counter()
                work()
                times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times)

    def attempt(self, what, measure):
        """Runs `measure` unless there is no time; out of memory and refusals of kernels cost themselves alone."""
        if time.monotonic() > self.end:
            self.left_out += 1
            return
        try:
            measure()
            self.write()
        except (RuntimeError, NotImplementedError) as error:
            self.left_out += 1
            print(f"{what}: {str(error).splitlines()[0]}", file=sys.stderr)
            if self.cuda:
                try:
                    torch.cuda.synchronize(self.device)
                except RuntimeError:  # an error that stays: nothing more can be measured in this process
                    self.write()
                    sys.exit(1)
                torch.cuda.empty_cache()

    def row(self, work, **fields):
        fields = {key: str(value) for key, value in fields.items()} | {"gpu": self.gpu}
        if any(all(old.get(key) == value for key, value in fields.items()) for old in self.rows):
            return
        what = " ".join(fields.values())

        def measure():
            self.rows.append(fields | {"ms": f"{self.time_ms(work()):.6f}"})
        self.attempt(what, measure)

    def iteration(self, name, work, **more):
        if any(old["name"] == name for old in self.others["iterations"]):
            return

        def measure():
            self.others["iterations"].append({"name": name, **more, **work()})
        self.attempt(name, measure)


def dtype_of(name):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = name == "tf32"
    return torch.float32 if name == "tf32" else getattr(torch, name)


def products(at, name, shapes):
    dtype = dtype_of(name)
    for m, n, k in shapes:
        def work():
            a, b = torch.randn(m, k, device=at.device, dtype=dtype), torch.randn(k, n, device=at.device, dtype=dtype)
            return lambda: a @ b
        at.row(work, kind="product", dtype=name, source="torch", m=m, n=n, k=k)


def convolutions(at, name, shapes):
    dtype = dtype_of(name)
    for layout in ("nchw", "nhwc"):
        form = torch.channels_last if layout == "nhwc" else torch.contiguous_format
        for batch, channels, side, filters, kernel, stride, groups in shapes:
            pad = kernel // 2
            sizes = {"batch": batch, "channels": channels, "height": side, "width": side, "filters": filters,
                     "kernel_h": kernel, "kernel_w": kernel, "stride_h": stride, "stride_w": stride, "pad_h": pad,
                     "pad_w": pad, "groups": groups}
            for which in ("forward", "backward_data", "backward_weights"):
                def work():
                    x = torch.randn(batch, channels, side, side, device=at.device, dtype=dtype).to(memory_format=form)
                    w = torch.randn(filters, channels // groups, kernel, kernel, device=at.device,
                                    dtype=dtype).to(memory_format=form)
                    y = F.conv2d(x, w, None, stride, pad, 1, groups)
                    mask = [which == "backward_data", which == "backward_weights", False]
                    if which == "forward":
                        return lambda: F.conv2d(x, w, None, stride, pad, 1, groups)
                    g = torch.randn_like(y)
                    return lambda: torch.ops.aten.convolution_backward(
                        g, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups, mask)
                at.row(work, kind="conv", dtype=name, source="torch-" + layout, note=layout, **{"pass": which}, **sizes)


def streams(at, name, sizes):
    dtype = dtype_of(name)
    for size in sizes:
        def pair():
            return (torch.randn(size, device=at.device).to(dtype) for _ in range(2))

        def add():
            a, b = pair()
            out = torch.empty_like(a)
            return lambda: torch.add(a, b, out=out)

        def relu():
            a, _ = pair()
            return lambda: torch.relu(a)
        element = torch.empty(0, dtype=dtype).element_size()
        at.row(add, kind="streaming", dtype=name, source="torch", bytes=3 * size * element, note="add")
        at.row(relu, kind="streaming", dtype=name, source="torch", bytes=2 * size * element, note="relu")


def iteration(at, model, batch, size, around):
    """Median time of an iteration and the peak of what the allocator has reserved."""
    data = torch.randn(batch, 3, size, size, device=at.device)
    target = torch.randint(0, 1000, (batch,), device=at.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    losses = []

    def once():
        optimizer.zero_grad(set_to_none=True)
        with around():
            out = model(data)
            loss = F.cross_entropy(getattr(out, "logits", out), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    for _ in range(3):
        once()
    if at.cuda:
        torch.cuda.empty_cache()  # what the choice of algorithms tried
        torch.cuda.reset_peak_memory_stats(at.device)
    ms = at.time_ms(once, repeats=1)
    peak = torch.cuda.max_memory_reserved(at.device) if at.cuda else None
    return {"ms": ms, "peak_reserved_bytes": peak, "first_losses": [round(float(x), 4) for x in losses[:3]]}


def networks(at, arguments):
    import contextlib
    try:
        import torchvision
    except ImportError:
        print("no torchvision: no iterations", file=sys.stderr)
        return
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    torch.backends.cudnn.benchmark = True
    for name, batch in arguments.cases:
        size = 299 if name == "inception_v3" else 224
        modes = {"in_core": contextlib.nullcontext,
                 "save_on_cpu": lambda: torch.autograd.graph.save_on_cpu(pin_memory=at.cuda)}
        policies = [path for path in arguments.policies if os.path.basename(path).startswith(name)]
        for dtype in ("float32", "tf32"):
            dtype_of(dtype)
            for mode, around in [*modes.items(), *((path, None) for path in policies)]:
                def work():
                    torch.manual_seed(1)
                    keyword = {"aux_logits": False} if name in ("inception_v3", "googlenet") else {}
                    model = torchvision.models.get_model(name, weights=None, **keyword).to(at.device).train()
                    if around is None:
                        from apply_policy import applied
                        return iteration(at, model, batch, size, lambda: applied(mode, model))
                    return iteration(at, model, batch, size, around)
                at.iteration(f"{name} {batch} {dtype} {os.path.basename(mode)}", work, batch=batch)


def main():
    arguments = parse_arguments()
    if isinstance(torch, ImportError):
        print(f"nothing measured: {torch} (pip install torch torchvision)", file=sys.stderr)
        return 6
    if arguments.device != "cpu" and not torch.cuda.is_available():
        print("nothing measured: torch finds no CUDA device", file=sys.stderr)
        return 5
    at = Measurement(arguments)
    small = arguments.small
    for name in TYPES if at.cuda else ("float32", "bfloat16"):
        products(at, name, ((8, 8, 8),) if small else PRODUCTS)
        streams(at, name, (1 << 10,) if small else (1 << 18, 1 << 22, 1 << 26))
    for name in TYPES if at.cuda else ("float32",):
        convolutions(at, name, ((1, 4, 8, 8, 3, 1, 1),) if small else CONVOLUTIONS)
    networks(at, arguments)
    at.write()
    return 1 if at.left_out else 0


if __name__ == "__main__":
    sys.exit(main())
