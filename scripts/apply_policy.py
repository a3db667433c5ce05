"""Applies a policy of `ooc-paleo predict --export-policy FILE` to a torch.nn.Module (docs/policy.md), PyTorch >= 1.13:
    policy = Policy("policy.json")      # names={"a layer": "path.of.its.module" or None} where they do not tell
    with policy.applied(model):
        loss = loss_function(model(data), target)
    loss.backward()                     # policy.done: by action, the names of the tensors that it was done to
A layer is what runs in the module with its name; else, in order, the next torch function of its kind. A storage is one
tensor, whoever views or overwrites it; one that was dropped is made by running again the functions that wrote it."""
import collections, contextlib, json, math, re, torch, types, weakref  # noqa: E401
from torch.utils._pytree import tree_flatten, tree_unflatten
SAME = {"iadd": "add", "cat": "concat", "mul": "multiply", "scaleddotproductattention": "attention",
        "crossentropy": "softmaxcrossentropy", "globalavgpool": "adaptiveavgpool"}
def kind_of(name): return SAME.get(kind := re.sub("[123]d$", "", name.lower().replace("_", "")), kind)
def key(t): return (t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()
def flat(t): return t.detach().as_strided([t.storage().nbytes() // t.element_size()], [1], 0)
class Buffer:  # a storage: near, far, or made again by its writers, which are calls; what the policy says of it
    def __init__(self, entry=None): self.entry, self.writers, self.near, self.far = entry or {}, [], None, None
class Ref:  # a tensor: a buffer behind so many of its writers, and how it lies there
    def __init__(self, t, buffer):
        self.buffer, self.version, self.grad, self.changes = buffer, len(buffer.writers), t.requires_grad, t._version
        self.dtype, self.lies = t.dtype, (t.shape, t.stride(), t.storage_offset())
class Policy(torch.overrides.TorchFunctionMode):
    def __init__(self, policy, names=None):
        super().__init__()
        self.policy, self.names = json.load(open(policy)), names or {}
        self.side = torch.cuda.Stream() if torch.cuda.is_available() else None  # for copies
    @contextlib.contextmanager
    def applied(self, model):
        modules, layers = dict(model.named_modules()), self.policy["layers"]
        paths = [self.names.get(layer["name"], layer["name"].replace("/", ".")) for layer in layers]
        self.named = {path: layer for path, layer in zip(paths, layers) if path in modules}
        self.left = [layer for path, layer in zip(paths, layers) if path not in modules and path is not None]
        self.kinds = {kind_of(layer["type"]) for layer in self.left}
        self.position = {layer["name"]: i for i, layer in enumerate(layers)}
        self.entries = {entry["name"]: entry for entry in self.policy["tensors"]}
        self.fixed = {key(t) for t in [*model.parameters(), *model.buffers()]}
        self.buffers, self.leaving, self.away, self.inside, self.packed, self.now = {}, [], [], [], None, -1
        self.done = collections.defaultdict(set)
        hooks = [m.register_forward_pre_hook(lambda *_, p=p: self.inside.append(p)) for p, m in modules.items()]
        hooks += [m.register_forward_hook(lambda *_: self.inside.__delitem__(-1)) for m in modules.values()]
        try:
            with self, torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack): yield self
        finally:
            for hook in hooks: hook.remove()
            self.buffers, self.leaving = {}, []
        if self.left: raise ValueError("the model did not call " + ", ".join(layer["name"] for layer in self.left))
    def layer_of(self, kind):
        for path in reversed(self.inside):
            if path in self.named: return self.named[path]
        if kind not in self.kinds: return {"name": kind}
        if self.left and kind_of(self.left[0]["type"]) == kind: return self.left.pop(0)
        want = "{name} ({type})".format(**self.left[0]) if self.left else "none"
        raise ValueError(f"{self.inside[-1:]}: found {kind}, expected {want}; names={{layer: module or None}} can tell")
    def __torch_function__(self, func, _, args=(), kwargs=None):
        layer, (given, tree) = self.layer_of(kind_of(getattr(func, "__name__", ""))), tree_flatten((args, kwargs or {}))
        self.now, self.packed = self.position.get(layer["name"], self.now), []
        refs = [self.ref(x) if isinstance(x, torch.Tensor) else x for x in given]
        call = types.SimpleNamespace(func=func, refs=refs, tree=tree, made=[], rng=torch.get_rng_state())
        try: out = func(*args, **(kwargs or {}))
        finally: packed, self.packed = self.packed, None
        found, known = given + tree_flatten(out)[0] + [s.t for s in packed], {r.buffer for r in refs if isinstance(r, Ref)}
        for i, x in enumerate(found):  # what was overwritten, returned, or saved and neither
            if not isinstance(x, torch.Tensor) or key(x) in self.fixed: continue
            if i >= len(given) and self.buffers.get(key(x)) not in known: self.buffers[key(x)] = Buffer()
            elif i >= len(given) or x._version == refs[i].changes: continue
            b = self.buffers[key(x)]
            b.writers.append(call), call.made.append((weakref.ref(b), i)), known.add(b)
            b.entry = self.entries.get(layer.get("tensor" if i < len(found) - len(packed) else "inner"), b.entry)
            self.hold(b, x)
        for s in packed:
            s.ref = self.ref(s.t)
            if isinstance(s.ref, Ref) and not s.ref.buffer.entry: self.hold(s.ref.buffer, s.t, "keep")
            s.t = None
        for b in self.leaving:
            if self.position.get(b.entry["out_after"], -1) <= self.now and b.near is not None: self.copy(b, "near", "far")
        return out
    def ref(self, t):
        if key(t) in self.fixed: return t
        if key(t) not in self.buffers or isinstance(t.grad_fn, torch.autograd.function.BackwardCFunction):
            fits = [e for e in self.entries.values() if e["role"] == "input" and e["shape"] == list(t.shape[1:])]
            self.buffers[key(t)] = Buffer(fits and fits[0])  # not made by a torch function: an input
            self.hold(self.buffers[key(t)], t, "keep")
        return Ref(t, self.buffers[key(t)])
    def hold(self, b, t, action=None):
        action = b.entry.get("action", action)
        b.near = flat(t) if action in ("keep", "offload") else None
        if action == "offload": self.leaving.append(b)
        if action == "keep": self.done["keep"].add(b.entry.get("name"))
    def pack(self, t):
        if self.packed is None: return t.detach()
        self.packed.append(types.SimpleNamespace(t=t, ref=None, now=self.now))
        return t if key(t) in self.fixed else self.packed[-1]
    def unpack(self, saved):
        if isinstance(saved, torch.Tensor): return saved
        for b in self.away:
            if b() and b().far is not None and self.position.get(b().entry["back_at"], math.inf) >= saved.now: self.copy(b(), "far", "near")
        return self.tensor(saved.ref)
    def copy(self, b, source, target):  # beside what is computed, behind what has been asked for so far
        data = getattr(b, source)
        if target == "far": self.done["offload"].add(b.entry["name"]), self.away.append(weakref.ref(b))
        if self.side is None: new = data.clone()
        else:
            self.side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.side):
                new = torch.empty_like(data, device="cpu", pin_memory=True) if target == "far" else torch.empty_like(data, device="cuda")
                new.copy_(data, non_blocking=True)
                if target == "far": data.record_stream(self.side)
        setattr(b, target, new), setattr(b, source, None)
    def tensor(self, ref, base=None):
        base = self.value(ref.buffer, ref.version) if base is None else base
        return base.view(ref.dtype).as_strided(*ref.lies)
    def value(self, b, version):
        if version == len(b.writers):
            if b.far is not None: self.copy(b, "far", "near")
            if b.near is not None:
                if self.side and b.entry: torch.cuda.current_stream().wait_stream(self.side), b.near.record_stream(torch.cuda.current_stream())
                return b.near
        base = None
        for call in b.writers[:version]: base = self.rerun(call, b, base)
        return base
    def rerun(self, call, wanted, base):
        given, inner = [], []
        for i, ref in enumerate(call.refs):
            if isinstance(ref, Ref):
                t = self.tensor(ref, base if ref.buffer is wanted else None).requires_grad_(ref.grad)
                given.append(t.clone() if any(at == i for _, at in call.made) else t)
            else: given.append(ref.clone() if isinstance(ref, torch.Tensor) and not ref.requires_grad else ref)
        args, kwargs = tree_unflatten(given, call.tree)
        with torch.enable_grad(), torch.random.fork_rng(), torch.autograd.graph.saved_tensors_hooks(inner.append, id):
            torch.set_rng_state(call.rng)
            out = call.func(*args, **kwargs)
        found = given + tree_flatten(out)[0] + inner
        for weak, i in call.made:
            if (b := weak()) is wanted: base = flat(found[i])
            if b and b.entry.get("action") == "recompute" and b.near is None and b.writers[-1] is call:
                b.near = flat(found[i])
                self.done["recompute"].add(b.entry["name"])
        return base
