"""Applies a policy of `ooc-paleo predict --export-policy FILE` to a torch.nn.Module (docs/policy.md), PyTorch >= 1.13:
    policy = Policy("policy.json")      # names={"a layer": "path.of.its.module" or None} where they do not tell
    with policy.applied(model): loss = loss_function(model(data), target)
    loss.backward()                     # policy.done: by action, the names of the tensors that it was done to
A layer is what runs in the module with its name; else, in order, the next torch function of its kind. A storage is one
tensor, whoever views or overwrites it; one that was dropped is made by running again the functions that wrote it."""
import collections, contextlib, json, math, re, torch, types, weakref
from torch.utils._pytree import tree_flatten, tree_unflatten
SAME = {"iadd": "add", "cat": "concat", "mul": "multiply", "scaleddotproductattention": "attention",
        "crossentropy": "softmaxcrossentropy", "globalavgpool": "adaptiveavgpool"}
def kind_of(name): return SAME.get(kind := re.sub("[123]d$", "", name.lower().replace("_", "")), kind)
def storage(t): return t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()
def place(t): return storage(t).data_ptr()
def flat(t): return t.detach().as_strided([storage(t).nbytes() // t.element_size()], [1], 0)
class Buffer:  # a storage: near, far, or made again by its writers, calls of functions; entry: what the policy says
    def __init__(self, entry=None): self.entry, self.writers, self.near, self.far = entry or {}, [], None, None
class Policy(torch.overrides.TorchFunctionMode):
    def __init__(self, policy, names=None):
        super().__init__()
        self.policy, self.names = json.load(open(policy)), names or {}
        self.side = torch.cuda.Stream() if torch.cuda.is_available() else None  # of copies
    @contextlib.contextmanager
    def applied(self, model):
        modules, layers = dict(model.named_modules()), {layer["name"]: layer for layer in self.policy["layers"]}
        paths = {name: self.names.get(name, name.replace("/", ".")) for name in layers}
        if bad := [n for n in self.names if paths.get(n, "?") not in {None, *modules}]: raise ValueError(f"names: {bad}")
        self.named = {path: layers[name] for name, path in paths.items() if path in modules}
        self.left = [layers[name] for name, path in paths.items() if path is not None and path not in modules]
        self.kinds, self.order = {kind_of(layer["type"]) for layer in self.left}, {n: i for i, n in enumerate(layers)}
        self.entries = {entry["name"]: entry for entry in self.policy["tensors"]}
        self.fixed = {place(t) for t in [*model.parameters(), *model.buffers()]}
        self.buffers, self.leaving, self.away, self.inside, self.packed, self.now = {}, [], [], [], None, -1
        self.done = collections.defaultdict(set)
        hooks = [m.register_forward_pre_hook(lambda *_, p=p: self.inside.append(p)) for p, m in modules.items()]
        hooks += [m.register_forward_hook(lambda *_: self.inside.__delitem__(-1)) for m in modules.values()]
        try:
            with self, torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack): yield self
        finally:
            for hook in hooks: hook.remove()
            self.buffers, self.leaving = {}, []
        if self.left: raise ValueError(f"the model did not call {[layer['name'] for layer in self.left]}")
    def layer_of(self, kind):
        if named := [self.named[path] for path in self.inside if path in self.named]: return named[-1]
        if kind not in self.kinds: return {}
        if self.left and kind_of(self.left[0]["type"]) == kind: return self.left.pop(0)
        want = "{name} ({type})".format(**self.left[0]) if self.left else "none"
        raise ValueError(f"{self.inside[-1:]}: found {kind}, expected {want}; names={{layer: module or None}} can tell")
    def __torch_function__(self, func, _, args=(), kwargs=None):
        given, tree = tree_flatten((args, kwargs or {}))
        counts = any(isinstance(x, torch.Tensor) and place(x) not in self.fixed for x in given)  # not a norm's counter
        layer = self.layer_of(kind_of(getattr(func, "__name__", ""))) if counts else {}
        self.now, self.packed, self.cells = self.order.get(layer.get("name"), self.now), [], []
        refs = [self.ref(x) for x in given]
        call = types.SimpleNamespace(func=func, refs=refs, tree=tree, made=[], settings=self.settings())
        out = func(*args, **(kwargs or {}))
        packed, self.packed, known = self.packed, None, {x[0] for x in refs if type(x) is tuple}
        found = given + tree_flatten(out)[0] + packed
        for i, x in enumerate(found):  # what was overwritten, what was returned, what else was saved
            if not isinstance(x, torch.Tensor) or place(x) in self.fixed: continue
            if i >= len(given) and self.buffers.get(place(x)) not in known: self.buffers[place(x)] = Buffer()
            elif i >= len(given) or x._version == refs[i][2]: continue
            b = self.buffers[place(x)]
            b.writers.append(call), call.made.append((weakref.ref(b), i)), known.add(b)
            inner = layer.get("inner") if i >= len(found) - len(packed) else None
            b.entry = self.entries.get(inner or layer.get("tensor"), b.entry)
            if b.entry: self.hold(b, x)
        for x, cell in zip(packed, self.cells): cell += [self.ref(x, saved=True), self.now]
        for b in self.leaving:
            if b.near is not None and self.order.get(b.entry["out_after"], -1) <= self.now: self.copy(b, "near", "far")
        return out
    def settings(self):  # states of random numbers and autocast
        if not self.side: return torch.get_rng_state(), None, torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype()
        cuda = torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype()
        return torch.get_rng_state(), torch.cuda.get_rng_state(), *cuda
    def ref(self, t, saved=False):  # a tensor as its buffer behind so many writers, and how it lies there
        if not isinstance(t, torch.Tensor) or place(t) in self.fixed: return t
        new = place(t) not in self.buffers or isinstance(t.grad_fn, torch.autograd.function.BackwardCFunction)
        if new:  # an input, or what no torch function made
            fits = [e for e in self.entries.values() if e["role"] == "input" and e["shape"] == list(t.shape[1:])]
            self.buffers[place(t)] = Buffer(fits and fits[0])
        b = self.buffers[place(t)]
        if new or saved and not b.entry: self.hold(b, t)
        return b, len(b.writers), t._version, t.requires_grad, t.dtype, t.shape, t.stride(), t.storage_offset()
    def hold(self, b, t):
        b.near, b.far = None if b.entry.get("action") == "recompute" else flat(t), None
        if b.entry.get("action") == "offload": self.leaving.append(b)
        if b.entry.get("action") == "keep": self.done["keep"].add(b.entry["name"])
    def pack(self, t):
        if self.packed is None: return t.detach()
        self.packed.append(t), self.cells.append([])
        return t if place(t) in self.fixed else self.cells[-1]
    def unpack(self, cell):
        if isinstance(cell, torch.Tensor): return cell
        for b in [b() for b in self.away]:
            if b and b.far is not None and self.order.get(b.entry["back_at"], math.inf) >= cell[1]: self.copy(b, "far", "near")
        return self.tensor(cell[0])
    def copy(self, b, source, target):  # beside the computation, behind what has been asked of it so far
        data, new = getattr(b, source), None
        if target == "far": self.done["offload"].add(b.entry["name"]), self.away.append(weakref.ref(b))
        with torch.cuda.stream(self.side):  # nothing without a GPU
            if self.side: self.side.wait_stream(torch.cuda.default_stream())
            if not self.side: new = data.clone()
            elif target == "near": new = data.to("cuda", non_blocking=True)
            else: new = torch.empty_like(data, device="cpu", pin_memory=True).copy_(data, non_blocking=True)
            if self.side and target == "far": data.record_stream(self.side)
            if self.side and target == "near": new.record_stream(torch.cuda.default_stream())
        setattr(b, target, new), setattr(b, source, None)
    def tensor(self, ref, base=None):
        b, version, _, grad, dtype, *lies = ref
        base = self.value(b, version) if base is None else base
        return base.view(dtype).as_strided(*lies).requires_grad_(grad)
    def value(self, b, version):
        if version == len(b.writers):
            if b.far is not None: self.copy(b, "far", "near")
            if self.side and b.entry: torch.cuda.current_stream().wait_stream(self.side)
            if b.near is not None: return b.near
        base = None
        for call in b.writers[:version]: base = self.again(call, b, base)
        return base
    def again(self, call, wanted, base):
        given, inner = [], []
        for i, x in enumerate(call.refs):
            statistics = isinstance(x, torch.Tensor) and not x.requires_grad  # running ones: they have had theirs
            if type(x) is tuple: x = self.tensor(x, base if x[0] is wanted else None)
            given.append(x.clone() if statistics or any(i == at for _, at in call.made) else x)
        args, kwargs = tree_unflatten(given, call.tree)
        cpu_state, cuda_state, casts, dtype = call.settings
        cast = torch.autocast("cuda" if self.side else "cpu", enabled=casts, dtype=dtype, cache_enabled=False)
        hooks = torch.autograd.graph.saved_tensors_hooks(inner.append, id)
        with torch.enable_grad(), torch.random.fork_rng(), cast, hooks:
            torch.set_rng_state(cpu_state)
            if cuda_state is not None: torch.cuda.set_rng_state(cuda_state)
            out = call.func(*args, **kwargs)
        found = given + tree_flatten(out)[0] + inner
        for b, i in [(b(), i) for b, i in call.made if b() is not None]:
            if b is wanted: base = flat(found[i])
            if b.entry.get("action") == "recompute" and b.near is None and b.writers[-1] is call:
                b.near = flat(found[i])
                self.done["recompute"].add(b.entry["name"])
        return base
