"""Applies a policy of `ooc-paleo predict --export-policy FILE` to a torch.nn.Module (docs/policy.md), PyTorch >= 1.13:
    with applied("policy.json", model): loss = loss_function(model(data), target)  # loss.backward() behind it
A layer is what runs in its module, else the next call of one of its functions. Dropped: its operations run again."""
import contextlib, functools, json, torch, torch.nn.modules.module as hooks, torch.utils._pytree as pytree, weakref

def storage(t): return getattr(t, "untyped_storage", t.storage)()
def place(t): return torch.multiprocessing.reductions.StorageWeakRef(storage(t))  # never that of another, even if gone
def flat(t): return t.detach().as_strided([storage(t).nbytes() // t.element_size()], [1], 0)
def tensors(*tree): return [x for x in pytree.tree_flatten(tree)[0] if isinstance(x, torch.Tensor)]

class Value:  # of a storage until it is written again; kind: "tensor" or "inner" of its layer, or "foreign"
    def __init__(self, entry, kind="tensor", again=None, index=0):
        self.entry, self.action, self.kind, self.again, self.index = entry, entry.get("action"), kind, again, index
        self.data, self.far = None, False

@contextlib.contextmanager
def applied(policy, model):
    policy, modules, layer, now = json.load(open(policy)), dict(model.named_modules()), {}, -1
    order = {each["name"]: i for i, each in enumerate(policy["layers"])}
    entries = {str(each.get("shape", each["name"])): each for each in policy["tensors"]}  # inputs by shape
    named = {modules[each["module"]]: each for each in policy["layers"] if each["module"] in modules}
    left = [each for each in policy["layers"] if each["module"] not in {None, *modules}]
    values = {place(t): None for t in [*model.parameters(), *model.buffers()]}  # those stay
    inside, moving, device = [{}], weakref.WeakSet(), next(model.parameters()).device
    side, rngs = (torch.cuda.Stream(), [torch, torch.cuda]) if device.type == "cuda" else (None, [torch])
    def copy(value, far):  # beside the computation, behind what has been asked of it so far
        if value.data is None or value.far == far: return
        new = torch.empty_like(value.data, device="cpu" if far else device, pin_memory=bool(far and side))
        if side: side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side): new.copy_(value.data, non_blocking=True)
        if side and far: value.data.record_stream(side)
        value.data, value.far = new, far
    def tensor(value, dtype, *lies):
        copy(value, far=False)
        if side and value in moving: torch.cuda.current_stream().wait_stream(side)
        return (value.again(value.index) if value.data is None else value.data).view(dtype).as_strided(*lies)
    def reference(x, saved=False):  # a function that gives it; a copy of statistics, which have had theirs
        value = values.setdefault(place(x), Value(entries.get(str(list(x.shape[1:])), {}), "foreign"))
        if not value or not x.dim() and not x.requires_grad: return (lambda: x) if saved or x.requires_grad else x.clone
        if (saved or not value.again) and value.data is None and value.action != "recompute": value.data = flat(x)
        if value.data is not None and value.action == "offload": moving.add(value)
        return functools.partial(tensor, value, x.dtype, x.shape, x.stride(), x.storage_offset())
    def unpack(cell):
        for value in [v for v in moving if order.get(v.entry["back_at"], len(order)) >= cell[1]]: copy(value, far=False)
        with torch.no_grad(), torch.autocast(device.type, enabled=False): return cell[0]()
    class Operations(torch.utils._python_dispatch.TorchDispatchMode):  # below autograd and autocast
        def __torch_dispatch__(self, func, _, args=(), kwargs=None):
            (given, tree), states = pytree.tree_flatten((args, kwargs or {})), [rng.get_rng_state() for rng in rngs]
            refs, made = [reference(x) if torch.is_tensor(x) else x for x in given], weakref.WeakValueDictionary()
            def again(index):
                args, kwargs = pytree.tree_unflatten([x() if callable(x) else x for x in refs], tree)
                with torch.random.fork_rng([device] if side else []):
                    for rng, state in zip(rngs, states): rng.set_rng_state(state)
                    out = [flat(x) for x in tensors(func(*args, **kwargs))]
                for i, value in made.items():
                    if value.data is None and value.action == "recompute": value.data = out[i]
                return out[index]
            out, places = func(*args, **(kwargs or {})), {place(x) for x in tensors(given)}
            for i, x in enumerate(tensors(out)):
                old = values.get(place(x), Value({}))
                if not old or place(x) in places and not func._schema.is_mutable: continue  # a parameter or a view
                kind = "inner" if i or "bernoulli" in str(func) else "foreign" if "empty" in str(func) else old.kind
                new = made[i] = values[place(x)] = Value(entries.get(layer.get(kind), old.entry), kind, again, i)
                old.action, old.data = None, None
                if kind == "foreign": new.data = flat(x)  # others may write there unseen
                if new.entry.get("saved") is False: reference(x, saved=True)
            return out
    class Functions(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, _, args=(), kwargs=None):
            nonlocal layer, now
            layer = inside[-1] or (left.pop(0) if left and getattr(func, "__name__", 0) in left[0]["functions"] else {})
            now = order.get(layer.get("name"), now)
            out, layer = func(*args, **(kwargs or {})), {}
            for value in [v for v in moving if order.get(v.entry["out_after"], -1) <= now]: copy(value, far=True)
            return out
    with hooks.register_module_forward_pre_hook(lambda module, _: inside.append(named.get(module, inside[-1]))), \
            hooks.register_module_forward_hook(lambda *_: inside.__delitem__(-1)), Functions(), Operations(), \
            torch.autograd.graph.saved_tensors_hooks(lambda x: (reference(x, saved=True), now), unpack): yield
    values.clear()
    if left: raise ValueError(f"the model did not call {[each['name'] for each in left]}")
