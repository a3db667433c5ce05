#!/usr/bin/env python3
"""What iterations of transformers take on this machine, in core and out of core, in PyTorch and Transformers.

--list prints the jobs, a JSON object a line, in the keys of `ooc-paleo predict`'s job files. Without it each is measured
and added to FILE as a line: times, peaks, clocks. What is there already is not measured again.
Exit status: 0 done; 1 some is left (time, memory, an error); 2 bad arguments; 5 no usable GPU; 6 a package is missing.
"""

import argparse
import collections
import contextlib
import json
import os
import statistics
import sys
import threading
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(HERE, "tables/training_jobs.json"), encoding="utf-8") as table:
    MODES, JOBS = map(json.load(table).get, ("modes", "jobs"))


def name_of(network, mode, batch, length, precision):
    path = network.split("/")
    name = path[-2] if path[-1] == "config.json" else path[-1][:-len(".json")]
    return ", ".join([name, mode, f"batch {batch}", *([f"length {length}"] if length else []), precision])


def job_of(network, mode, batch, length, precision):
    return {"network": network, "batch": batch, "precision": precision, **({"seq": length} if length else {}),
            "optimizer": "adam", "framework": "pytorch-2", "kernels": "sdpa", **MODES[mode]}


class Sampler(threading.Thread):
    """Clock and power of the device, 20 times a second."""

    def __init__(self, device):
        super().__init__(daemon=True)
        self.clocks, self.watts, self.ended = [], [], threading.Event()
        try:
            import pynvml
            pynvml.nvmlInit()
            self.nvml, self.handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(device)
        except Exception:  # no package, no permission
            self.nvml = None

    def run(self):
        while self.nvml and not self.ended.wait(0.05):
            self.clocks.append(self.nvml.nvmlDeviceGetClockInfo(self.handle, self.nvml.NVML_CLOCK_SM))
            self.watts.append(self.nvml.nvmlDeviceGetPowerUsage(self.handle) / 1e3)

    def end(self):
        self.ended.set()
        self.join()
        return {"sm_mhz": statistics.median(self.clocks), "watts": round(statistics.median(self.watts), 1)} \
            if self.clocks else {}


class FiveOut:
    """Saved tensors leave on a stream of their own, five at a time, and come back two ahead of their use."""

    def __init__(self, torch):
        self.torch, self.stream, self.kept, self.leaving = torch, torch.cuda.Stream(), [], collections.deque()

    def pack(self, tensor):
        if tensor.numel() < 1 << 18 or not tensor.is_cuda or tensor.is_leaf:
            return tensor
        now = self.torch.cuda.current_stream()
        self.stream.wait_stream(now)
        with self.torch.cuda.stream(self.stream):
            far = self.torch.empty_like(tensor, device="cpu", pin_memory=True)
            far.copy_(tensor, non_blocking=True)
            self.leaving.append((tensor, self.stream.record_event()))
        if len(self.leaving) > 5:
            now.wait_event(self.leaving.popleft()[1])
        self.kept.append([far, None, None])
        return len(self.kept) - 1

    def unpack(self, saved):
        if not isinstance(saved, int):
            return saved
        now = self.torch.cuda.current_stream()
        while self.leaving:
            now.wait_event(self.leaving.popleft()[1])
        for index in range(saved, max(saved - 3, -1), -1):
            if self.kept[index] and self.kept[index][1] is None:
                with self.torch.cuda.stream(self.stream):
                    self.kept[index][1] = self.kept[index][0].to("cuda", non_blocking=True)
                    self.kept[index][2] = self.stream.record_event()
        _, near, event = self.kept[saved]
        self.kept[saved] = None
        now.wait_event(event)
        near.record_stream(now)
        return near

    @contextlib.contextmanager
    def around(self):
        self.kept.clear()
        with self.torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack):
            yield


class FarStates:
    """AdamW on the GPU, its moments in pinned memory: two parameters' are near at a time."""

    def __init__(self, torch, parameters):
        self.torch, self.parameters = torch, list(parameters)
        self.come, self.go = torch.cuda.Stream(), torch.cuda.Stream()
        self.far = [torch.zeros((2, *p.shape), dtype=p.dtype, pin_memory=True) for p in self.parameters]
        self.count = torch.zeros((), device="cuda")

    def step(self):
        torch, now, left = self.torch, self.torch.cuda.current_stream(), collections.deque()
        self.count += 1

        def fetch(far):
            if len(left) == 2:  # the host waits: what is on its way must not be allocated twice
                left.popleft().synchronize()
            with torch.cuda.stream(self.come):
                return far.to("cuda", non_blocking=True), self.come.record_event()
        coming = fetch(self.far[0])
        for index, parameter in enumerate(self.parameters):
            near, event = coming
            now.wait_event(event)
            torch._fused_adamw_([parameter], [parameter.grad], [near[0]], [near[1]], [], [self.count], lr=1e-5,
                                beta1=0.9, beta2=0.999, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False)
            near.record_stream(now)
            self.go.wait_stream(now)
            with torch.cuda.stream(self.go):
                self.far[index].copy_(near, non_blocking=True)
                near.record_stream(self.go)
                left.append(self.go.record_event())
            if index + 1 < len(self.parameters):
                coming = fetch(self.far[index + 1])
        now.wait_stream(self.go)


class FarAdam:
    """AdamW on the host: each gradient leaves when it is complete, each parameter is updated and comes back."""

    def __init__(self, torch, parameters):
        self.torch, self.stream, self.ready = torch, torch.cuda.Stream(), []
        self.far = {}
        for parameter in parameters:
            far = torch.empty_like(parameter, device="cpu", pin_memory=True)
            far.copy_(parameter.detach())
            far.grad = torch.empty_like(far, pin_memory=True)
            self.far[id(parameter)] = far, torch.optim.AdamW([far], lr=1e-5, fused=True)  # no cycle: hooks hold self
            parameter.register_post_accumulate_grad_hook(self.leave)

    def leave(self, parameter):
        self.stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(self.stream):
            self.far[id(parameter)][0].grad.copy_(parameter.grad, non_blocking=True)
        parameter.grad.record_stream(self.stream)
        self.ready.append((parameter, self.stream.record_event()))
        parameter.grad = None

    def step(self):
        for parameter, event in self.ready:
            event.synchronize()
            far, optimizer = self.far[id(parameter)]
            optimizer.step()
            with self.torch.cuda.stream(self.stream):
                parameter.data.copy_(far, non_blocking=True)
        self.ready.clear()
        self.torch.cuda.current_stream().wait_stream(self.stream)


class Trainer:
    """One job: the model, its data, and `once`, an iteration."""

    def __init__(self, torch, network, mode, batch, length, precision):
        import transformers
        with open(os.path.join(HERE, network), encoding="utf-8") as file:
            fields = json.load(file)
        config = transformers.AutoConfig.for_model(fields.pop("model_type"), **fields)
        config._attn_implementation = "eager" if mode == "eager attention" else "sdpa"
        config.use_cache = False
        self.torch, self.autocast = torch, precision == "amp-bf16"
        dtype = torch.bfloat16 if precision == "bf16-pure" else torch.float32
        torch.manual_seed(1)
        torch.set_default_dtype(dtype)
        with torch.device("cuda"):
            model = getattr(transformers, fields["architectures"][0])(config)
        torch.set_default_dtype(torch.float32)
        model.to(dtype).train()
        self.around = contextlib.nullcontext
        if mode.endswith("save_on_cpu"):
            self.around = lambda: torch.autograd.graph.save_on_cpu(pin_memory=True)
        elif mode.endswith("own stream"):
            self.around = FiveOut(torch).around
        if self.around is not contextlib.nullcontext:
            self.wrap(model.base_model)
        if "checkpoint" in mode:
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        if mode.startswith("fsdp"):
            self.shard(model)
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        if mode == "states far, update near":
            self.optimizer = FarStates(torch, self.parameters)
        elif mode == "states far, update far":
            self.optimizer = FarAdam(torch, self.parameters)
        else:
            self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-5, fused=True)
        self.model = torch.compile(model) if mode == "compiled" else model
        if length is None:
            size = config.image_size
            self.data = {"pixel_values": torch.randn(batch, 3, size, size, device="cuda", dtype=dtype),
                         "labels": torch.randint(0, config.num_labels, (batch,), device="cuda")}
        else:
            ids = torch.randint(0, config.vocab_size, (batch, length), device="cuda")
            self.data = {"input_ids": ids, "labels": ids}

    def wrap(self, base):
        """What the blocks save moves; what the loss saves stays."""
        forward = base.forward

        def moved(*arguments, **keywords):
            with self.around():
                return forward(*arguments, **keywords)
        base.forward = moved

    def shard(self, model):
        from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
        distributed = self.torch.distributed
        if not distributed.is_initialized():
            distributed.init_process_group("nccl", store=distributed.HashStore(), rank=0, world_size=1)
        rules = {"mp_policy": MixedPrecisionPolicy(param_dtype=self.torch.bfloat16),
                 "offload_policy": CPUOffloadPolicy(pin_memory=True)}
        for layer in model.base_model.layers:
            fully_shard(layer, **rules)
        fully_shard(model, **rules)

    def once(self):
        with self.torch.autocast("cuda", self.torch.bfloat16, enabled=self.autocast):
            loss = self.model(**self.data).loss
        loss.backward()
        self.optimizer.step()
        for parameter in self.parameters:
            parameter.grad = None
        return loss.detach()

    def measure(self, device):
        torch, times, queued = self.torch, [], []
        losses = [self.once() for _ in range(3)]
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        sampler = Sampler(device)
        sampler.start()
        events = [torch.cuda.Event(enable_timing=True)]
        events[0].record()
        begin = time.monotonic()
        while len(events) < 4 or (time.monotonic() - begin < 2 and len(events) < 40):
            started = time.perf_counter()
            self.once()
            queued.append(1e3 * (time.perf_counter() - started))
            events.append(torch.cuda.Event(enable_timing=True))
            events[-1].record()
            events[-2].synchronize()  # at most one iteration is queued
        torch.cuda.synchronize()
        times = [a.elapsed_time(b) for a, b in zip(events, events[1:])]
        return {"ms": statistics.median(times), "times_ms": [round(t, 3) for t in times],
                "host_ms": round(statistics.median(queued), 3),
                "peak_allocated_bytes": torch.cuda.max_memory_allocated(),
                "peak_reserved_bytes": torch.cuda.max_memory_reserved(), **sampler.end(),
                "losses": [round(float(loss), 3) for loss in losses]}

    def kernels(self):
        """What one iteration ran on the device, longest first: name, (shapes,) how often, ms in all."""
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as profiler:
            self.once()
            self.torch.cuda.synchronize()

        def longest(on_device, **how):
            events = [e for e in profiler.key_averages(**how) if e.self_device_time_total > 0 and
                      (e.device_type == self.torch.autograd.DeviceType.CUDA) == on_device]
            events.sort(key=lambda e: -e.self_device_time_total)
            return [[e.key[:120], *([e.input_shapes] if how else []), e.count, round(e.self_device_time_total / 1e3, 3)]
                    for e in events]
        kernels = longest(True)
        return {"launches": sum(e[1] for e in kernels), "kernel_ms": round(sum(e[2] for e in kernels), 3),
                "kernels": kernels[:60], "operations": longest(False, group_by_input_shape=True)[:150]}


def primitives(torch, device):
    """Products that last, the host's update, one launch from Python."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    rates, begin = [], time.monotonic()
    sampler = Sampler(device)
    sampler.start()
    a @ b
    while time.monotonic() - begin < 6:
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        for _ in range(50):
            a @ b
        last.record()
        last.synchronize()
        rates.append(round(50 * 2 * 8192 ** 3 / first.elapsed_time(last) / 1e9, 1))
    yield {"name": "product 8192, bfloat16, 6 s", "tflops": rates, **sampler.end()}
    for dtype in (torch.float32, torch.bfloat16):
        for fused in (True, False):
            parameter = torch.zeros(1 << 27, dtype=dtype)
            parameter.grad = torch.full_like(parameter, 1e-3)
            optimizer, times = torch.optim.AdamW([parameter], fused=fused), []
            for _ in range(4):
                start = time.perf_counter()
                optimizer.step()
                times.append(time.perf_counter() - start)
            yield {"name": f"AdamW on the host, {dtype}, {'fused' if fused else 'not fused'}",
                   "parameters_per_s": (1 << 27) / min(times), "threads": torch.get_num_threads()}
    small = torch.zeros(16, device="cuda")
    start = time.perf_counter()
    for _ in range(20000):
        small.add_(1)
    microseconds = (time.perf_counter() - start) / 20000 * 1e6
    yield {"name": "queueing add_", "us": microseconds, "host_speed": 6.95 / microseconds}
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", metavar="FILE", help="JSON lines, added to")
    parser.add_argument("--list", action="store_true", help="print the jobs")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the GPU; default 0")
    parser.add_argument("--seconds", type=float, default=240, metavar="S", help="begin nothing after so long")
    parser.add_argument("--first", type=int, default=len(JOBS), choices=range(1, len(JOBS) + 1), metavar="N",
                        help=f"only the first N jobs, 1 to {len(JOBS)}")
    parser.add_argument("--profile", type=int, nargs="*", default=[12, 13, 14, 16, 25],
                        choices=range(len(JOBS)), metavar="N", help="jobs whose kernels are listed, from 0; default: five")
    arguments = parser.parse_args()
    jobs = [(name_of(*job), job) for job in JOBS[:arguments.first]]
    if arguments.list:
        for name, job in jobs:
            print(json.dumps({"name": name, "job": job_of(*job)}))
        return 0
    if not arguments.output:
        parser.error("--output FILE is needed")
    try:
        import torch
        import transformers
    except ImportError as missing:
        print(f"nothing measured: {missing} (pip install torch transformers)", file=sys.stderr)
        return 6
    if not torch.cuda.is_available():
        print("nothing measured: torch finds no CUDA device", file=sys.stderr)
        return 5
    torch.cuda.set_device(arguments.device)
    end, left = time.monotonic() + arguments.seconds, 0
    try:
        with open(arguments.output, encoding="utf-8") as file:
            done = {json.loads(line)["name"] for line in file}
    except FileNotFoundError:
        done = set()

    def write(record):
        with open(arguments.output, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{time.monotonic() - end + arguments.seconds:6.1f} s  {record['name']}: {record.get('ms', '')}", flush=True)

    if "conditions" not in done:
        write({"name": "conditions", "device": torch.cuda.get_device_name(), "torch": torch.__version__,
               "transformers": transformers.__version__, "cuda": torch.version.cuda,
               "cudnn": torch.backends.cudnn.version(), "cores": os.cpu_count()})
        for record in primitives(torch, arguments.device):
            write(record)
    for profiled in (False, True):
        for index, (name, job) in enumerate(jobs):
            key = name + (": kernels" if profiled else "")
            if key in done or profiled and index not in arguments.profile:
                continue
            if time.monotonic() > end:
                left += 1
                continue
            trainer = None
            try:
                trainer = Trainer(torch, *job)
                if profiled:
                    trainer.once()
                    write({"name": key, **trainer.kernels()})
                else:
                    write({"name": name, "job": job_of(*job), **trainer.measure(arguments.device)})
            except Exception as error:  # costs itself alone
                left += 1
                where = error.__traceback__
                while where.tb_next:
                    where = where.tb_next
                print(f"{key}: {type(error).__name__}: {str(error).splitlines()[:1]} "
                      f"({where.tb_frame.f_code.co_filename}:{where.tb_lineno})", file=sys.stderr, flush=True)
                del where, error
            del trainer
            __import__("gc").collect()
            torch.cuda.empty_cache()
            if hasattr(torch._C, "_host_emptyCache"):  # pinned memory of this job
                torch._C._host_emptyCache()
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
