#!/usr/bin/env python3
"""Does scripts/from_torch.py write what PyTorch does? Parameters and MACs exactly, saved bytes within 1.5 % of the storages
that autograd saves, for networks of torchvision (where it is) and small ones as people write them.
    from_torch_test.py SOURCE PROGRAM
    from_torch_test.py SOURCE PROGRAM all|NAME ...     those networks of torchvision, of detectors the backbone"""

import json
import math
import os
import subprocess
import sys
import tempfile

source, program = sys.argv[1:3]
try:
    import torch
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", "-W", "ignore", *sys.argv])  # Debian's has other packages
    print("SKIPPED: no torch (apt-get install python3-torch python3-torchvision)")
    sys.exit(0)
sys.path.insert(0, os.path.join(source, "scripts"))
import from_torch  # noqa: E402
from torch import nn  # noqa: E402

failures, rows = [], []


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.proj, self.drop = heads, nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(64, 64)))

    def forward(self, x):
        batch, steps, width = x.shape
        query, key, value = (t.view(batch, steps, self.heads, -1).transpose(1, 2) for t in self.qkv(x).split(width, 2))
        scores = (query @ key.transpose(2, 3)) * (width // self.heads) ** -0.5
        scores = scores.masked_fill(self.mask[:steps, :steps] == 0, -math.inf)
        return self.proj((self.drop(scores.softmax(-1)) @ value).transpose(1, 2).reshape(batch, steps, width))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), Attention(width, 4), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Language(nn.Module):
    """Shared weights, blocks that repeat, an output by name."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(100, 32), nn.Embedding(64, 32)
        self.h, self.head = nn.ModuleList(Block(32) for _ in range(3)), nn.Linear(32, 100, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return {"logits": self.head(x), "cache": None}


class Windows(nn.Module):
    """Attention within windows with biases of relative positions, a roll, layer scale and stochastic depth, by einsum."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.table = nn.Linear(32, 96), nn.Linear(32, 32), nn.Parameter(torch.empty(7, 2))
        self.scale = nn.Parameter(torch.empty(16, 1))
        self.register_buffer("places", torch.zeros(16, dtype=torch.int64))

    def forward(self, x):
        parts = self.qkv(torch.roll(x, 2, 1)).reshape(-1, 4, 3, 2, 16)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.einsum("bhid,bhjd->bhij", query * 0.25, key) + self.table[self.places].view(4, 4, 2).permute(2, 0, 1)
        y = self.out(torch.einsum("bhij,bhjd->bihd", scores.softmax(-1), value).reshape(x.shape))
        return x + y * self.scale * x.new_empty(len(x), 1, 1).bernoulli_(0.9).div_(0.9)


class Grouped(nn.Module):
    """Rotary places by complex numbers, two queries a key, a mask that is made once, one table that all samples read."""

    def __init__(self):
        super().__init__()
        self.qkv, self.table, self.mask = nn.Linear(32, 64), nn.Embedding(9, 8), None

    def forward(self, x):
        batch, steps, _ = x.shape
        if self.mask is None:
            self.mask = torch.full((steps, steps), -math.inf, device=x.device).triu(1)
        query, key, value = (t.view(batch, steps, -1, 8) for t in self.qkv(x).split([32, 16, 16], 2))
        turns = torch.polar(torch.ones(steps, 1, 4), torch.ones(steps, 1, 4))
        query, key = (torch.view_as_real(torch.view_as_complex(t.reshape(*t.shape[:3], 4, 2)) * turns).flatten(3)
                      for t in (query, key))
        key, value = (t.repeat_interleave(2, 2).transpose(1, 2) for t in (key, value))
        scores = query.transpose(1, 2) @ key.transpose(2, 3) / 8 ** 0.5 + self.mask
        places = (torch.arange(steps)[:, None] - torch.arange(steps)).clamp(-4, 4) + 4
        near = torch.einsum("bihd,ijd->bhij", query, self.table(places))
        return (scores.softmax(-1) @ value).transpose(1, 2).reshape(x.shape) + near.sum((1, 3))[..., None]


class Decoder(nn.Module):
    """Queries of its own, keys and values by a part of the weights, one layer twice."""

    def __init__(self):
        super().__init__()
        self.queries, self.head = nn.Parameter(torch.empty(5, 32)), nn.Linear(32, 32)
        self.decoder = nn.TransformerDecoderLayer(32, 4, 64, batch_first=True)

    def forward(self, x):
        return self.head(self.head(self.decoder(self.queries.repeat(len(x), 1, 1), x)))


class Image(nn.Module):
    """Control flow by configuration, functions in place of modules, one activation in place."""

    def __init__(self, gate=True):
        super().__init__()
        self.gate, self.conv, self.norm = gate, nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16)
        self.down, self.up, self.fc = nn.Linear(16, 4), nn.Linear(4, 16), nn.Linear(16, 10)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.act(self.norm(self.conv(x)))
        if self.gate:
            x = x * torch.sigmoid(self.up(self.act(self.down(x.mean((2, 3))))))[:, :, None, None]
        return self.fc(nn.functional.leaky_relu(nn.functional.max_pool2d(x, 2)).exp().sum((2, 3)))


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: found {found}, expected {wanted}")


def storage(t):
    return getattr(t, "untyped_storage", t.storage)()


def measured(module, inputs):
    """Bytes saved and MACs a sample, by PyTorch: what a batch of 3 has more than one of 2. Masks of dropout are bytes."""
    totals = []
    with from_torch.on_meta(module):
        for batch in (2, 3):
            given = [torch.empty((batch, *x.shape[1:]), dtype=x.dtype, device="meta") for x in inputs]
            seen = from_torch.run(module, given)[0]
            own = {storage(t)._cdata for t in [*module.parameters(), *module.buffers()]}
            masks = {t.key for call in seen.calls if call.name == "bernoulli_" for t in call.outs}
            saved = sum(len(storage(t)) * (t.element_size() if torch.__version__ < "2" else 1) // (4 if key in masks else 1)
                        for key, t in seen.saved.items() if key not in own)
            macs = 0
            for call in seen.calls:
                if call.name in ("mm", "bmm", "addmm"):
                    macs += call.outs[0].numel * call.ins[-1].shape[-2]
                elif call.name == "convolution":
                    macs += call.outs[0].numel * math.prod(call.ins[1].shape[1:])
            totals.append((saved, macs))
    return [b - a for a, b in zip(*totals)]


def check(name, module, *inputs):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.json")
        from_torch.write(module, inputs, path)
        with open(path, encoding="utf-8") as file:
            network = json.load(file)
        without = dict(network, layers=[x for x in network["layers"] if x["name"] != "loss"])
        with open(path, "w", encoding="utf-8") as file:
            json.dump(without, file)
        ran = subprocess.run([program, "inspect", path, "--batch", "1", "--framework", "pytorch-2", "--format", "json"],
                             capture_output=True, text=True, check=False)
    if ran.returncode:
        failures.append(f"{name}: {ran.stderr}")
        return network
    found = json.loads(ran.stdout)
    saved, macs = measured(module, inputs)
    expect(f"{name}, parameters", found["parameters"], sum(p.numel() for p in module.parameters()))
    expect(f"{name}, MACs", found["forward_macs_per_sample"], macs)
    expect(f"{name}, saved bytes {found['saved_bytes']} within 1.5 % of {saved}", abs(found["saved_bytes"] / saved - 1) < 0.015,
           True)
    rows.append(f"{name}: {found['parameters']} parameters, {macs} MACs, saved bytes {found['saved_bytes'] / saved - 1:+.2%}")
    return network


def check_torchvision(name):
    """One network, with weights that nobody draws."""
    from torchvision import models
    for each in [x for x in dir(nn.init) if x.endswith("_")]:
        setattr(nn.init, each, lambda t, *_, **__: t)
    listed = [name in models.list_models(module=part) for part in (models.detection, models.segmentation, models.video)]
    module = models.get_model(name, weights=None, **({"weights_backbone": None} if any(listed[:2]) else {}))
    side = 299 if name == "inception_v3" else 300 if name.startswith("ssd") else 112 if listed[2] else 224
    check(name, module.backbone if listed[0] else module, torch.empty(1, 3, *[16] * listed[2], side, side))


if len(sys.argv) > 3:
    from torchvision.models import list_models
    names = sys.argv[3:] if sys.argv[3] != "all" else [  # but pairs of images, and 3D max pools, which 1.13 has not on meta
        x for x in list_models() if not x.startswith(("quantized", "raft", "mvit", "s3d"))]
    if len(names) == 1:
        check_torchvision(names[0])
    for each in names if len(names) > 1 else []:  # one process each: memory
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", *sys.argv[:3], each], capture_output=True, text=True,
                              check=False)
        print(*(done.stdout + done.stderr).splitlines()[-1:], flush=True)
        failures += [each] if done.returncode else []
    print("\n".join(failures) or (rows[0] if len(names) == 1 else f"all {len(names)} networks as expected"))
    sys.exit(1 if failures else 0)


def run_script(*words):
    return subprocess.run([sys.executable, "-B", "-W", "ignore", os.path.join(source, "scripts", "from_torch.py"), *words],
                          capture_output=True, text=True, check=False)


language = check("language", Language(), torch.zeros(1, 16, dtype=torch.int64))
repeat = next(x for x in language["layers"] if x["type"] == "repeat")
expect("the blocks", (repeat["name"], repeat["times"]), ("h", 3))
expect("a layer's name", "attn.qkv" in [x["name"] for x in repeat["layers"]], True)
expect("attention written out", [{key: x[key] for key in x if key not in ("name", "inputs")} for x in repeat["layers"]
                                 if x["type"] == "attention"], [{"type": "attention", "heads": 4, "dropout": 0.1}])
expect("the tied head", [x["tied_to"] for x in language["layers"] if "tied_to" in x], ["tokens"])
windows = check("windows", Windows(), torch.empty(1, 16, 32))
expect("windows", [(x.get("windows"), x.get("bias_table")) for x in windows["layers"] if x["type"] == "attention"],
       [(4, {"buckets": 7, "heads": 2})])
expect("only kinds", [x["name"] for x in windows["layers"] if x["type"] == "custom"], [])
pair = nn.Sequential(Windows(), Windows())
pair[1].table = pair[0].table
expect("a shared table", [x.get("tied_to") for x in check("pair", pair, torch.empty(1, 16, 32))["layers"]
                          if x["type"] == "attention"], [None, "0.attention"])
def below_autograd(name):
    def call(*given):
        guard = torch._C._AutoDispatchBelowAutograd()
        try:
            return getattr(torch.ops.later, name)(*given)
        finally:
            del guard
    return call


later = torch.library.Library("later", "DEF")  # operators that PyTorch 2 has, of the same names
for schema, result in (("_fused_rms_norm(Tensor x, int[] shape, Tensor? weight, float? eps) -> (Tensor, Tensor)",
                        lambda x, shape, weight, eps: (torch.empty_like(x), torch.empty_like(x[..., :1]))),
                       ("_safe_softmax(Tensor x, int dim) -> Tensor", lambda x, dim: torch.empty_like(x)),
                       ("_grouped_mm(Tensor x, Tensor weights, Tensor? offsets) -> Tensor",
                        lambda x, weights, offsets: x.new_empty(len(x), weights.shape[2]))):
    later.define(schema)
    later.impl(schema.split("(")[0], result, "Meta")
    later.impl(schema.split("(")[0], below_autograd(schema.split("(")[0]), "AutogradMeta")


class Later(nn.Module):
    """RMS norm, attention with a mask added in place, as F.scaled_dot_product_attention runs on meta; experts."""

    def __init__(self):
        super().__init__()
        self.norm, self.experts = nn.Parameter(torch.empty(32)), nn.Parameter(torch.empty(4, 32, 64))

    def forward(self, x):
        x = torch.ops.later._fused_rms_norm(x, [32], self.norm, 1e-6)[0]
        heads = x.view(*x.shape[:2], 4, 8).transpose(1, 2)
        scores = (heads * 0.5) @ (heads.transpose(2, 3) * 0.5)
        scores.add_(torch.zeros(16, 16))
        x = (torch.ops.later._safe_softmax(scores, -1) @ heads).transpose(1, 2).reshape(-1, 32)
        return torch.ops.later._grouped_mm(x, self.experts, torch.zeros(4, dtype=torch.int32, device="meta"))


with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "later.json")
    from_torch.write(Later(), ["1,16,32"], path)
    with open(path, encoding="utf-8") as text:
        later_file = json.load(text)
    kinds = [x["type"] for x in later_file["layers"] if x["type"] not in from_torch.BESIDE - {"custom"}]
    expect("operators of PyTorch 2", (kinds, later_file["expect"]),
           (["rms_norm", "attention", "custom"],
            {"parameters": 32 + 4 * 32 * 64, "forward_macs": 2 * 16 * 16 * 32 + 16 * 32 * 64}))
grouped = Grouped()
expect("shared keys", [x.get("kv_heads") for x in check("grouped", grouped, torch.empty(1, 16, 32))["layers"]
                       if x["type"] == "attention"], [2])
expect("what forward keeps", grouped.mask, None)
decoder = check("decoder", Decoder(), torch.empty(1, 16, 32))["layers"]
expect("a decoder", [sum(x["type"] == kind for x in decoder) for kind in ("attention", "linear", "custom")], [2, 9, 0])
image = check("image", Image(), torch.empty(1, 3, 16, 16))
expect("in place", [x["in_place"] for x in image["layers"] if x["type"] == "relu"], [True, True])
with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "steps.json")
    from_torch.write(nn.LSTM(8, 8, 2, dropout=0.1, batch_first=True), ["1,16,8"], path)
    with open(path, encoding="utf-8") as text:
        steps = json.load(text)
    expect("dropout between recurrent layers", ([x["type"] for x in steps["layers"]], steps["expect"]),
           (["lstm", "dropout", "lstm"], {"parameters": 2 * 4 * (8 * 16 + 16), "forward_macs": 2 * 16 * 4 * 8 * 16}))
    if remarks := from_torch.write(Block(32), ["1,seq=16,32"], path, strict=True):
        failures.append(f"a symbol through attention: {remarks}")
    remarks = from_torch.write(nn.Sequential(nn.Linear(8, 8), nn.Flatten(), nn.GELU()), ["1,seq=16,8"], path)
    with open(path, encoding="utf-8") as text:
        steps = json.load(text)
    expect("a symbol", (remarks, steps["symbols"], steps["inputs"][0]["shape"], steps["layers"][1]["shape"]),
           ([], {"seq": 16}, ["seq", 8], ["8*seq"]))
try:
    import torchvision
except ImportError:
    print("no torchvision: its networks were left out")
else:
    for each in ("resnet18", "mobilenet_v2"):
        check(each, getattr(torchvision.models, each)(weights=None), torch.empty(1, 3, 224, 224))
with tempfile.TemporaryDirectory() as work:
    module = os.path.join(work, "own.py")
    with open(module, "w", encoding="utf-8") as text:
        text.write("import torch\nclass Own(torch.nn.Module):\n    def forward(self, x): return x.cumsum(1)\n"
                   "class Asks(torch.nn.Module):\n    def forward(self, x): return x if x.sum() > 0 else -x\n")
    where = os.path.join(work, "own.json")
    ran = run_script(f"{module}:Own", "--input", "1,8", "-o", where)
    expect("a custom layer is told", (ran.returncode, "1 of cumsum" in ran.stderr), (0, True))
    ran = run_script(f"{module}:Own", "--input", "1,8", "-o", where, "--strict")
    expect("--strict", (ran.returncode, "no layer kind" in ran.stderr), (1, True))
    ran = run_script(f"{module}:Asks", "--input", "1,8", "-o", where)
    expect("a forward that reads values", (ran.returncode, "does not read values" in ran.stderr), (1, True))
    ran = run_script(f"{module}:None", "--input", "1,x", "-o", where)
    expect("a bad shape", (ran.returncode, "--input: found '1,x'" in ran.stderr), (2, True))
print("\n".join(failures) or "from_torch_test: all as expected")
sys.exit(1 if failures else 0)
