#!/usr/bin/env python3
"""What PyTorch does by itself: iteration time and peak memory of a network in near memory, with saved tensors moved
to pinned host memory by torch.autograd.graph.save_on_cpu, and with an asynchronous offload on two streams of its own.

A yardstick for out-of-core training that nobody of this project has written but for the few hooks below. Each case
is written to the output as it ends; a case that is there already is not measured again.

Exit status: 0 all cases measured; 1 some are left (time, memory); 2 bad arguments; 5 no usable GPU; 6 no torch or
torchvision.
"""

import argparse
import json
import os
import statistics
import sys
import time

NETWORKS = "vgg16:32 resnet50:64 inception_v3:64 googlenet:128 alexnet:256"
MODES = ("in_core", "save_on_cpu", "async_offload")
SMALL = 1 << 20  # bytes; smaller tensors stay where they are in async_offload
IN_FLIGHT = 4  # copies out that may hold their sources at a time
AHEAD = 4  # tensors that are brought back before they are asked for


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0],
                                     epilog="Exit status 6: torch or torchvision is missing.")
    parser.add_argument("--output", required=True, metavar="FILE", help="JSON, rewritten after each case")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the GPU; default 0")
    parser.add_argument("--seconds", type=float, default=120, metavar="S",
                        help="begin no case after so long; default 120")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="timed iterations; default 10")
    parser.add_argument("--warmup", type=int, default=3, metavar="N", help="iterations before them; default 3")
    parser.add_argument("--networks", default=NETWORKS, metavar="LIST",
                        help=f"NETWORK:BATCH …, names of torchvision.models; default: {NETWORKS}")
    arguments = parser.parse_args()
    try:
        pairs = [item.split(":") for item in arguments.networks.split()]
        arguments.cases = [(name, int(batch)) for name, batch in pairs]
        if not arguments.cases or min(batch for _, batch in arguments.cases) < 1:
            raise ValueError
    except ValueError:
        parser.error(f"--networks: found '{arguments.networks}', expected NETWORK:BATCH …")
    return arguments


def import_torch():
    try:
        import torch
        import torchvision
    except ImportError as error:
        print(f"no baseline: {error} (pip install torch torchvision)", file=sys.stderr)
        sys.exit(6)
    if not torch.cuda.is_available():
        print("no baseline: torch finds no CUDA device", file=sys.stderr)
        sys.exit(5)
    return torch, torchvision


def write_json(path, document):
    """Whole or not at all: a reader never sees half of it."""
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
    os.replace(temporary, path)


def conditions(torch, torchvision, device):
    properties = torch.cuda.get_device_properties(device)
    found = {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "device_name": properties.name,
        "memory_total_bytes": properties.total_memory,
        "tf32": False,
        "cudnn_benchmark": True,
        "optimizer": "sgd",
        "dtype": "float32",
    }
    for key, read in (("clock_sm_mhz", "clock_rate"), ("temperature_c", "temperature")):
        try:  # need a package that may be missing
            found[key] = getattr(torch.cuda, read)(device)
        except Exception:  # noqa: BLE001
            found[key] = None
    return found


class AsyncOffload:
    """Saved tensors go to pinned memory on one stream while forward goes on, and come back on another, some ahead of
    their use, while backward goes on. Parameters and small tensors stay. Host buffers are kept for the next
    iteration: to pin them takes longer than to fill them."""

    def __init__(self, torch, parameters):
        self.torch = torch
        self.to_far = torch.cuda.Stream()
        self.to_near = torch.cuda.Stream()
        self.kept = {parameter.data_ptr() for parameter in parameters}
        self.free = {}  # by size and type: pinned buffers
        self.begin()

    def begin(self):
        self.saved = []  # [host, near, event of the copy out, event of the copy in] in the order of saving
        self.numbers = {}  # by address and size: the number of a tensor that is saved more than once
        self.pending = []  # numbers whose source is still held

    def finish(self):
        self.torch.cuda.synchronize()
        for host, *_ in self.saved:
            self.free.setdefault((host.numel(), host.dtype), []).append(host)
        self.begin()

    def hooks(self):
        return self.torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)

    def host_buffer(self, tensor):
        found = self.free.get((tensor.numel(), tensor.dtype))
        if found:
            return found.pop()
        return self.torch.empty(tensor.numel(), dtype=tensor.dtype, pin_memory=True)

    def pack(self, tensor):
        torch = self.torch
        size = tensor.numel() * tensor.element_size()
        if not tensor.is_cuda or size < SMALL or not tensor.is_contiguous() or tensor.data_ptr() in self.kept:
            return tensor
        # The same storage may be saved by two layers (an output that is the next one's input), but only while it is
        # held do equal addresses mean equal tensors.
        number = self.numbers.get((tensor.data_ptr(), size, tensor._version))
        if number is None:
            number = self.copy_out(tensor, size)
        return (number, tensor.shape)

    def copy_out(self, tensor, size):
        torch = self.torch
        host = self.host_buffer(tensor)
        self.to_far.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.to_far):
            host.copy_(tensor.detach().view(-1), non_blocking=True)
            event = torch.cuda.Event()
            event.record()
        number = len(self.saved)
        key = (tensor.data_ptr(), size, tensor._version)
        self.saved.append([host, tensor.detach(), event, None])
        self.numbers[key] = number
        self.pending.append((number, key))
        while len(self.pending) > IN_FLIGHT:
            self.let_go(*self.pending.pop(0))
        return number

    def let_go(self, number, key):
        """Gives the source back, behind its copy, without waiting on the host."""
        self.torch.cuda.current_stream().wait_event(self.saved[number][2])
        self.saved[number][1] = None
        self.numbers.pop(key, None)

    def fetch(self, number):
        torch = self.torch
        entry = self.saved[number]
        if entry[1] is not None:
            return
        near = torch.empty(entry[0].shape, dtype=entry[0].dtype, device="cuda")
        # Its memory may have belonged to something that the compute stream has yet to finish.
        self.to_near.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.to_near):
            near.copy_(entry[0], non_blocking=True)
            event = torch.cuda.Event()
            event.record()
        entry[1], entry[3] = near, event

    def unpack(self, packed):
        if not isinstance(packed, tuple):
            return packed
        number, shape = packed
        self.fetch(number)
        entry = self.saved[number]
        if entry[3] is not None:
            self.torch.cuda.current_stream().wait_event(entry[3])
        for ahead in range(max(0, number - AHEAD), number):
            self.fetch(ahead)
        near = entry[1]
        # Tensors with higher numbers have been read: backward runs the other way.
        for done in self.saved[number + AHEAD:number + 2 * AHEAD]:
            if done[3] is not None:  # its memory goes back to the compute stream, behind the copy
                self.torch.cuda.current_stream().wait_event(done[3])
                done[1], done[3] = None, None
        return near.view(shape)


def make_network(torchvision, name):
    options = {"weights": None}
    if name in ("googlenet", "inception_v3"):
        options.update(init_weights=False, aux_logits=False)
    return getattr(torchvision.models, name)(**options)


def measure(torch, torchvision, arguments, name, batch, mode):
    device = torch.device("cuda", arguments.device)
    side = 299 if name == "inception_v3" else 224
    model = make_network(torchvision, name).to(device).train()
    images = torch.randn(batch, 3, side, side, device=device)
    labels = torch.arange(batch, device=device) % 1000
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    offload = AsyncOffload(torch, model.parameters()) if mode == "async_offload" else None

    def forward():
        return torch.nn.functional.cross_entropy(model(images), labels)

    def step():
        optimizer.zero_grad(set_to_none=False)
        if mode == "save_on_cpu":
            with torch.autograd.graph.save_on_cpu(pin_memory=True):
                loss = forward()
            loss.backward()
        elif offload is not None:
            with offload.hooks():
                loss = forward()
            loss.backward()
        else:
            loss = forward()
            loss.backward()
        optimizer.step()
        if offload is not None:
            offload.finish()
        return loss

    losses = []
    for _ in range(arguments.warmup):
        losses.append(float(step().detach()))
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(arguments.iterations):
        begin = time.perf_counter_ns()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter_ns() - begin)
    return {
        "network": name,
        "batch": batch,
        "mode": mode,
        "iteration_time_ns": int(statistics.median(times)),
        "iterations_ns": times,
        "peak_allocated_bytes": torch.cuda.max_memory_allocated(),
        "peak_reserved_bytes": torch.cuda.max_memory_reserved(),
        # Equal in all three modes but for rounding and dropout: a wrong offload would show here.
        "first_losses": losses,
    }


def load(path, fallback):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document.get("format") == fallback["format"]:
            return document
    except (OSError, ValueError):
        pass
    return fallback


def main():
    arguments = parse_arguments()
    torch, torchvision = import_torch()
    torch.cuda.set_device(arguments.device)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    begin = time.monotonic()
    document = load(arguments.output, {"format": "ooc-paleo/torch-baseline", "version": 1, "sessions": [],
                                       "cases": []})
    document["sessions"].append(conditions(torch, torchvision, arguments.device))
    known = {(case["network"], case["batch"], case["mode"]) for case in document["cases"]}
    left = 0
    for mode in MODES:
        for name, batch in arguments.cases:
            if (name, batch, mode) in known:
                continue
            if time.monotonic() - begin > arguments.seconds:
                left += 1
                continue
            torch.manual_seed(1)
            try:
                case = measure(torch, torchvision, arguments, name, batch, mode)
            except (torch.cuda.OutOfMemoryError, AttributeError, TypeError) as error:
                print(f"{name} {mode}: {error}", file=sys.stderr)
                left += 1
                continue
            finally:
                torch.cuda.empty_cache()
            case["session"] = len(document["sessions"]) - 1
            document["cases"].append(case)
            write_json(arguments.output, document)
            print(f"{name} batch {batch} {mode}: {case['iteration_time_ns'] / 1e6:.2f} ms, "
                  f"{case['peak_allocated_bytes'] / 1e9:.2f} GB", flush=True)
    if left:
        print(f"{left} cases are left", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
