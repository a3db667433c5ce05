#!/usr/bin/env python3
"""Writes the network file of a torch.nn.Module (PyTorch >= 1.13, nothing else).

    from_torch.py torchvision.models:resnet50 --input 1,3,224,224 -o resnet50.json
    from_torch.py model.py:build --input 1,seq=128:int64 -o model.json

The first dimension of every input is the batch. The module runs twice on meta tensors, with batches of 2 and 3, and every
operator below autograd is seen: dimensions that differ hold the batch. Layers are named by the paths of their modules. An
operator that no layer kind expresses becomes a `custom` layer with its FLOPs and elements, told on stderr; --strict
refuses it. A size with a name becomes a symbol where all sizes are multiples of it. Behind a last linear layer stands a
loss.

Exit status: 0 written; 1 --strict refused, or the module cannot be traced; 2 bad arguments; 6 no torch.
"""

import argparse
import contextlib
import functools
import importlib
import importlib.util
import itertools
import json
import math
import os
import re
import sys
import traceback

try:
    import torch
    import torch.nn.functional as F
    import torch.nn.modules.module as hooks
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten, tree_map
except ImportError as missing:
    torch, TorchDispatchMode = missing, object

BATCHES, size = (2, 3), math.prod
VIEWS = set("_to_copy view _unsafe_view reshape _reshape_alias t transpose permute expand squeeze unsqueeze detach alias lift_fresh "
            "lift_fresh_copy as_strided unflatten movedim view_as_real view_as_complex".split())
ACTIVATIONS = set("relu gelu sigmoid tanh silu hardswish hardsigmoid leaky_relu elu".split())
IN_PLACE = set("relu relu6 sigmoid tanh leaky_relu elu".split())  # backward reads what they write
PARTS = set("slice select split split_with_sizes unsafe_split unsafe_split_with_sizes chunk unsafe_chunk unbind".split())
BESIDE = {"reshape", "transpose", "slice", "parameter", "custom"}  # never have the name of a module alone
RECURRENT = {"LSTM": "lstm", "GRU": "gru"}


class Refused(Exception):
    """A module or an argument that cannot be taken; says cause, then remedy."""


class BadArgument(Refused):
    """An argument that names or says nothing usable."""


class Unlike(Exception):
    """An operator that its layer kind does not express."""


class Tensor:
    """One tensor of a run: shape, storage, and whether it is a parameter."""

    def __init__(self, t, made):
        self.shape, self.stride, self.offset = tuple(t.shape), t.stride(), t.storage_offset()
        self.key, self.id, self.numel, self.size = storage(t), id(t), t.numel(), t.element_size()
        if t.is_complex():  # as what view_as_real gives
            self.shape, self.stride, self.offset = (*self.shape, 2), (*(2 * x for x in self.stride), 1), 2 * self.offset
            self.numel, self.size = 2 * self.numel, self.size // 2
        self.floating = t.is_floating_point() or t.is_complex()
        self.made = made


class Call:
    """One operator of a run."""

    def __init__(self, name, path, args, kwargs):
        self.name, self.path, self.args, self.kwargs = name, path, args, kwargs
        self.ins, self.outs, self.writes, self.before, self.after = [], [], [], set(), set()

    def arg(self, index, name=None, default=None):
        value = self.args[index] if index < len(self.args) else self.kwargs.get(name, default)
        return default if value is None else value


def storage(t):
    return getattr(t, "untyped_storage", t.storage)()._cdata


class Run(TorchDispatchMode):
    """Operators of one forward pass, in order, with what autograd saved around each."""

    def __init__(self, module):
        super().__init__()
        self.calls, self.alive, self.inside, self.hidden, self.packed = [], [], [], 0, set()
        self.paths = {each: path for path, each in module.named_modules()}
        self.saved = {}

    def tensor(self, t):
        self.alive.append(t)  # an id and a storage stay those of one tensor
        return Tensor(t, len(self.alive))

    def noted(self, value):
        if torch.is_tensor(value):
            return self.tensor(value)
        return [self.noted(x) for x in value] if isinstance(value, (list, tuple)) else value

    def pack(self, t):
        self.alive.append(t)
        self.packed.add(storage(t))
        self.saved[storage(t)] = t
        return t

    def record(self, name, args, kwargs, out, writes=()):
        call = Call(name, self.inside[-1] if self.inside else "", self.noted(args),
                    {key: self.noted(x) for key, x in kwargs.items()})
        call.ins = [x for x in tree_flatten((call.args, list(call.kwargs.values())))[0] if isinstance(x, Tensor)]
        call.outs = [self.tensor(x) for x in tree_flatten(out)[0] if torch.is_tensor(x)]
        call.writes = list(writes)
        call.before = self.packed
        if self.calls:
            self.calls[-1].after |= self.packed
        self.packed = set()
        self.calls.append(call)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [x for x in tree_flatten((args, kwargs))[0] if torch.is_tensor(x)]
        if len({x.device for x in given}) > 1:  # a constant that forward made meets an input
            args, kwargs = tree_map(lambda x: x.to("meta") if torch.is_tensor(x) else x, (args, kwargs))
        out = func(*args, **kwargs)
        if not self.hidden:
            schema = func._schema
            writes = [storage(x) for x, a in zip(args, schema.arguments)
                      if a.alias_info and a.alias_info.is_write and torch.is_tensor(x)]
            self.record(schema.name.split("::")[1], args, kwargs, out, writes)
        else:
            self.alive += [x for x in tree_flatten(out)[0] if torch.is_tensor(x)]
        return out

    def enter(self, module, given):
        self.inside.append(self.paths.get(module, self.inside[-1] if self.inside else ""))
        self.hidden += type(module).__name__ in RECURRENT

    def leave(self, module, given, out):
        kind = RECURRENT.get(type(module).__name__)
        if kind:
            self.hidden -= 1
            if not self.hidden:
                self.record(kind, [given[0], module, list(module.parameters())], {}, out)
        self.inside.pop()

    def attention(self, inner):
        """Stands for F.scaled_dot_product_attention, which meta tensors would split into products."""
        def call(query, key, value, *args, **kwargs):
            self.hidden += 1
            out = inner(query, key, value, *args, **kwargs)
            self.hidden -= 1
            names = ("attn_mask", "dropout_p", "is_causal")
            self.record("attention", [query, key, value], {**dict(zip(names, args)), **kwargs}, out)
            self.packed |= {storage(x) for x in (query, key, value, out)}
            return out
        return call


def repeat_interleave(inner):
    """Stands for torch.repeat_interleave, which with a number reads it from a tensor."""
    def call(t, repeats, dim=None, **given):
        if not isinstance(repeats, int):
            return inner(t, repeats, dim, **given)
        t, dim = (t.flatten(), 0) if dim is None else (t, dim % len(t.shape))
        return t.unsqueeze(dim + 1).expand(*t.shape[:dim + 1], repeats, *t.shape[dim + 1:]).flatten(dim, dim + 1)
    return call


def run(module, inputs):
    """Runs `module` on meta tensors; returns the run, its inputs and its outputs."""
    trace = Run(module)
    given = [trace.tensor(x) for x in inputs]
    trace.alive += inputs
    stand_ins = [(F, "scaled_dot_product_attention", trace.attention),
                 (torch, "repeat_interleave", repeat_interleave), (torch.Tensor, "repeat_interleave", repeat_interleave)]
    with contextlib.ExitStack() as stack:
        stack.enter_context(hooks.register_module_forward_pre_hook(trace.enter))
        stack.enter_context(hooks.register_module_forward_hook(trace.leave))
        for place, name, stand_in in stand_ins:
            if inner := getattr(place, name, None):
                stack.callback(setattr, place, name, inner)
                setattr(place, name, stand_in(inner))
        stack.enter_context(trace)
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(trace.pack, lambda t: t))
        out = module(*inputs)
    if trace.calls:
        trace.calls[-1].after |= trace.packed
    return trace, given, [trace.tensor(x) for x in leaves(out)]


def is_new(name):
    """True for operators that take only the shape and type of a tensor."""
    return name.startswith("new_") or name.endswith("_like")


def scaled(call):
    """True for a product or quotient with one number."""
    return call.name in ("mul", "div") and not call.writes and len([t for t in call.ins if t.numel > 1]) == 1


def joined(calls, given, batch, parameters):
    """The calls, with attention that is written out (product, scale, mask or bias, softmax, dropout, product) as one call."""
    made, readers, depends, found, gone = {}, {}, {t.id for t in given}, {}, set()
    for call in calls:
        if any(t.id in depends for t in call.ins) and not is_new(call.name) or \
                call.name == "repeat" and call.ins[0].key in parameters and call.outs[0].numel == batch * call.ins[0].numel:
            depends |= {t.id for t in call.outs}
        for t in call.outs:
            made.setdefault(t.id, call)
        for t in call.ins:
            readers.setdefault(t.id, []).append(call)

    def source(t, rows):
        """What `t` is a view, a copy or a multiple of, and the heads that a shape on the way tells."""
        heads = None
        while True:
            if len(t.shape) > 3 and math.prod(t.shape[:-2]) == rows:
                heads = heads or t.shape[-3]
            call = made.get(t.id)
            if not call or call.writes or not (call.name in VIEWS or call.name in ("clone", "repeat") or scaled(call)):
                return t, heads
            t = next(x for x in call.ins if x.numel > 1)

    def match(soft):
        chain, t, beside, rate = [soft], soft.ins[0], [], 0
        while chain[-1].name not in ("bmm", "baddbmm"):
            call, added = made.get(t.id), [x for x in readers[t.id] if x.name == "add_" and x.ins[0].id == t.id]
            if not call or call.writes or len(readers[t.id]) > 1 + len(added) or \
                    not (call.name in VIEWS or scaled(call) or call.name in ("add", "masked_fill", "bmm", "baddbmm")):
                return None
            beside += [x for each in added for x in each.ins[1:] if x.floating]
            chain += [*added, call]
            t = max(call.ins, key=lambda x: x.numel if x.floating else 0)
            beside += [x for x in call.ins if x is not t and x.floating] if call.name == "add" else []
        first, t = chain[-1], soft.outs[0]
        beside += first.ins[:-2]
        while True:
            after = [x for x in readers.get(t.id, ()) if not is_new(x.name)]
            if len(after) != 1:
                return None
            chain += after
            call = after[0]
            if call.name == "bmm" and call.ins[0].id == t.id:
                break
            if call.name == "mul" and len(call.ins) == 2:
                noise = next(x for x in call.ins if x.id != t.id).key
                drop = next((x for x in calls if x.name == "bernoulli_" and x.outs[0].key == noise), None)
                if not drop:
                    return None
                rate = round(1 - drop.arg(1, "p", 0.5), 9)
            elif call.name not in VIEWS:
                return None
            t = call.outs[0]
        (q, k), v = first.ins[-2:], call.ins[1]
        (rows, steps, width), keys = q.shape, v.shape[1]
        parts = [source(x, rows) for x in (q, k, v)]
        heads = next((x for _, x in parts if x), rows // batch)
        windows = rows // (batch * heads)
        group = k.numel // parts[1][0].numel  # queries that share a key
        if any(x.numel * each != y.numel or x.id not in depends
               for (x, _), y, each in zip(parts, (q, k, v), (1, group, group))) or heads % group or \
                windows * batch * heads != rows or windows > 1 and steps != keys or any(x.id in depends for x in beside):
            return None
        sources, shared = [x for x, _ in parts], heads // group
        sizes = [(steps, heads * width), (keys, shared * width), (keys, shared * v.shape[2])]
        makers = [made.get(x.id) for x in sources]
        if all(x and x.name in PARTS and x.ins[0].numel == 3 * q.numel and x.ins[0].id == makers[0].ins[0].id for x in makers):
            sources, sizes = [makers[0].ins[0]], [(steps, 3 * heads * width)]  # three in one
        joint = Call("joined", call.path, sources, {
            "shapes": [(windows * x, y) for x, y in sizes], "result": (windows * steps, heads * v.shape[2]),
            "macs": rows // batch * steps * keys * (width + v.shape[2]), "beside": beside,
            "heads": heads, "kv_heads": shared, "windows": windows, "dropout": rate})
        joint.ins, joint.outs, joint.before, joint.after = sources + beside, call.outs, first.before, call.after
        return joint, chain

    for soft in calls:
        result = match(soft) if soft.name in ("_softmax", "_safe_softmax") and soft.outs[0].shape[-1] == soft.outs[0].shape[soft.arg(1)] else None
        if result:
            found[id(result[1][-1])] = result[0]
            gone |= {id(x) for x in result[1]}
    return [found.get(id(x), x) for x in calls if id(x) in found or id(x) not in gone]


def leaves(out):
    """Tensors of an output, of dataclasses and objects like dicts as well."""
    if torch.is_tensor(out):
        return [out]
    if isinstance(out, dict) or hasattr(out, "items"):
        out = [x for _, x in out.items()]
    elif hasattr(out, "__dict__") and not isinstance(out, (list, tuple)):
        out = list(vars(out).values())
    return [y for x in out for y in leaves(x)] if isinstance(out, (list, tuple)) else []


def sample(a, b):
    """Shape of one sample from those of both runs: a dimension of k batches counts k, one of the batch is left out."""
    shape = []
    for x, y in zip(a.shape, b.shape):
        if x * BATCHES[1] == y * BATCHES[0]:
            shape += [x // BATCHES[0]] if x != BATCHES[0] else []
        elif x == y:
            shape.append(x)
        else:
            raise Refused(f"a shape {list(b.shape)} does not grow with the batch; the module mixes samples")
    return tuple(shape)


class Value:
    """A tensor as layers know it: the layer that made it and its shape there. Without a layer: made of parameters
    (their storages), random (what bernoulli was asked), or constant."""

    def __init__(self, layer=None, shape=(), parameter=(), noise=None):
        self.layer, self.shape, self.parameter, self.noise = layer, shape, parameter, noise


CONSTANT = Value()


def made_of(values):
    """A tensor of the parameters that `values` are made of."""
    return Value(parameter=tuple(dict.fromkeys(key for v in values for key in v.parameter)))


class Network:
    """Layers from the calls of both runs."""

    def __init__(self, module, runs):
        self.runs, self.layers, self.names, self.custom, self.inputs, self.integers = runs, [], set(), [], [], []
        self.leaf = {path for path, each in module.named_modules() if not list(each.children())}
        self.parameters = {storage(p): (path, p) for path, p in module.named_parameters()}
        self.values, self.version, self.reshaped, self.tables, self.free = {}, {}, {}, {}, {}
        self.whole = {key: Value(parameter=(key,)) for key in self.parameters}  # of a storage, with its elements
        self.numel = {key: p.numel() for key, (_, p) in self.parameters.items()}
        self.counted, self.macs, self.work, self.path, self.call = {}, 0, 0, "", None
        self.pairs = None  # the first operator on pairs of samples
        self.sums = {}  # by layer: parameters and multiplications of the operator whose last layer it is

    def add(self, kind, sources, result, **fields):
        """A layer named by the module that it runs in."""
        own = self.path in self.leaf and kind not in BESIDE
        base = (self.path if own else f"{self.path}.{kind}".lstrip(".")) or kind
        more = (f"{base}_{n}" for n in itertools.count(1))
        name = next(x for x in itertools.chain([base], more) if x not in self.names)
        self.names.add(name)
        inputs = {"inputs": [x.layer for x in sources]} if sources else {}
        self.layers.append({"name": name, "type": kind, **inputs, **fields})
        return Value(name, tuple(result) or (1,))

    def reshape(self, value, shape):
        shape = tuple(shape) or (1,)
        if not value.layer or size(value.shape) != size(shape):
            raise Unlike
        if value.shape == shape:
            return value
        key = value.layer, shape
        if key not in self.reshaped:
            self.reshaped[key] = self.add("reshape", [value], shape, shape=list(shape))
        return self.reshaped[key]

    def sample(self, t):
        if sum(x != y for x, y in zip(t.shape, self.twin[id(t)].shape)) > 1:
            self.pairs = self.pairs or f"{self.call.name} in '{self.call.path}'"
        return sample(t, self.twin[id(t)]) or (1,)

    def grows(self, t):
        return t.shape != self.twin[id(t)].shape

    def axis(self, t, dim):
        """Number of a dimension within a sample."""
        grows = [x != y for x, y in zip(t.shape, self.twin[id(t)].shape)]
        if grows[dim]:
            raise Unlike
        return sum(1 for d in range(dim) if not grows[d] or t.shape[d] != BATCHES[0])

    def value(self, t):
        found = self.values.get(t.id)
        if self.version.get(t.key, 0) > (found[1] if found else t.made):  # written since
            whole = self.whole[t.key]
            same = not whole.layer or t.numel == self.numel[t.key]
            return whole if same else self.stated([t], [(t, whole)], still=True)
        return found[0] if found else self.whole.get(t.key, CONSTANT)

    def put(self, t, value, written=False):
        self.values[t.id] = value, t.made
        self.numel.setdefault(t.key, t.numel)
        if written or t.key not in self.whole:
            if t.numel == self.numel[t.key]:
                self.whole[t.key] = value
            self.version[t.key] = t.made if written else 0

    def shaped(self, t, shape=None):
        return self.reshape(self.value(t), shape or self.sample(t))

    def parameter(self, t):
        return self.value(t).parameter if isinstance(t, Tensor) else ()

    def claims(self, *tensors):
        """The parameters behind `tensors`, or the parts of them that these are: elements by storage and offset."""
        found = {}
        for t, key in ((t, key) for t in tensors for key in self.parameter(t)):
            part = key == t.key and t.numel < self.numel[key]
            found[key, t.offset if part else None] = t.numel if part else self.numel[key]
        return found

    def left(self, key):
        """Elements of a parameter that no layer has yet."""
        return self.numel[key] - sum(count for (each, _), count in self.counted.items() if each == key)

    def own(self, *tensors):
        """Number of parameters behind `tensors`, which are the next layer's. Those of another layer are not like a kind."""
        claims = self.claims(*tensors)
        if any(each in self.counted or count > self.left(each[0]) for each, count in claims.items()):
            raise Unlike
        self.counted.update(claims)
        return sum(claims.values())

    def freeze(self, *tensors):
        keys = [key for t in tensors for key in self.parameter(t)]
        if keys and not any(self.parameters[key][1].requires_grad for key in keys):
            self.layers[-1]["frozen"] = True

    def source(self, t, shape):
        """The value of an operand; a free parameter becomes a layer."""
        if self.parameter(t) and not self.value(t).layer:
            keys = self.parameter(t)
            if keys not in self.free or self.free[keys].layer not in self.names:
                if size(self.sample(t)) != size(shape) or sum(map(self.left, keys)) != size(shape):
                    raise Unlike
                self.own(t)
                self.free[keys] = self.add("parameter", [], shape, shape=list(shape))
                self.freeze(t)
            return self.reshape(self.free[keys], shape)
        return self.shaped(t, shape)

    def stated(self, outs, values=None, shape=None, still=False):
        """A custom layer for what the present call does; `still`: a view that no kind has."""
        call, out = self.call, next((t for t in outs if t.floating), outs[0])
        values = values or [(t, self.value(t)) for t in {t.key: t for t in call.ins}.values()]
        shape, saved = shape or self.sample(out), set() if still else call.before | call.after
        macs, written = 0 if still else self.products(call), 0 if still else size(shape)
        read = 0 if still else sum(min(size(self.sample(t)), size(v.shape)) for t, v in values if v.layer)
        reads = any(t.key in saved for t, v in values if v.layer)
        writes = out.key in saved and out.key not in {t.key for t, _ in values}
        fields = {"output_shape": list(shape), "forward_flops": 2 * macs or written, "forward_elements": read + written,
                  "backward_flops": 4 * macs or written, "backward_elements": read + 2 * written,
                  "saves": {(0, 0): "none", (1, 0): "input", (0, 1): "output", (1, 1): "both"}[reads, writes]}
        others = sum(size(self.sample(t)) * t.size // 4 for t in {t.key: t for t in outs if t is not out}.values()
                     if t.key in saved & call.after)
        new = {(key, None): self.left(key) for t, v in values for key in v.parameter if self.left(key)}
        self.counted.update(new)
        self.macs += macs
        for key, count in (("forward_macs", macs), ("saved_elements", others), ("parameters", sum(new.values()))):
            if count:
                fields[key] = count
        result = self.add("custom", list({v.layer: v for _, v in values if v.layer}.values()), shape, **fields)
        if not still:
            self.custom.append((self.layers[-1], call.name, 2 * macs, read + written))
        return result

    def products(self, call):
        """Multiplications of the present call in a sample."""
        if call.name == "joined":
            return call.kwargs["macs"]
        if call.name in RECURRENT.values():
            return size(self.sample(call.ins[0])[:-1]) * sum(w.numel for w in call.args[2] if len(w.shape) == 2)
        if call.name in ("mm", "bmm", "_scaled_mm", "_grouped_mm", "addmm", "baddbmm"):
            return size(self.sample(call.outs[0])) * call.ins[call.name in ("addmm", "baddbmm")].shape[-1]
        if call.name == "convolution":
            transposed = call.args[6]
            moved = self.sample(call.ins[0] if transposed else call.outs[0])
            return size(moved) * size(call.ins[1].shape[1:])
        return 0

    def translate(self):
        """Returns the layers that give the module's outputs."""
        (a, given, outs), (b, given_b, outs_b) = self.runs
        self.twin = {id(x): y for x, y in zip(given + outs, given_b + outs_b)}
        for x, y in zip(a.calls, b.calls):
            self.twin.update((id(t), u) for t, u in zip(x.ins + x.outs, y.ins + y.outs))
        for i, t in enumerate(given):
            value = Value("data" if len(given) == 1 else f"input{i}", self.sample(t))
            self.inputs.append({"name": value.layer, "shape": list(value.shape)})
            self.names.add(value.layer)
            self.put(t, value if t.floating else CONSTANT)
            self.integers += [] if t.floating else [value]
        for self.call in a.calls:
            self.path = self.call.path.replace("/", ".")
            if self.call.outs:
                self.one(self.call)
        ends = list(dict.fromkeys(self.value(t).layer for t in outs if self.value(t).layer))
        if not ends:
            raise Refused("the module's output does not depend on its inputs; return a tensor that does")
        return ends

    def one(self, call):
        name, first, in_place = call.name.rstrip("_"), call.outs[0], bool(call.writes)
        values, known = [self.value(t) for t in call.ins], sum(self.counted.values())
        if name == "bernoulli" and in_place:
            self.put(first, Value(noise=call.arg(1, "p", 0.5)), written=True)
        elif name == "div" and in_place and values[0].noise is not None:
            self.values[first.id] = values[0], first.made
        elif is_new(name) or not self.layered(call, values) and name != "embedding":
            for t in call.outs:
                self.put(t, made_of(values), written=in_place)
        elif name in VIEWS or name == "clone" and call.ins[0].stride in (first.stride, contiguous(first.shape)):
            for t in call.outs:
                self.put(t, values[0])
        elif name in PARTS:
            self.parts(call, name)
        else:
            self.work += sum(size(self.sample(t)) for t in {t.key: t for t in call.ins + call.outs}.values() if t.floating)
            count, names, counted, macs = len(self.layers), set(self.names), dict(self.counted), self.macs
            try:
                if name not in ACTIVATIONS and not hasattr(self, "on_" + name):
                    raise Unlike
                result = self.activation(call, name) if name in ACTIVATIONS else getattr(self, "on_" + name)(call)
                self.freeze(*call.ins)
            except Unlike:
                del self.layers[count:]
                self.names, self.counted, self.macs = names, counted, macs
                self.reshaped = {key: v for key, v in self.reshaped.items() if v.layer in self.names}
                result = self.unlike(call, in_place)
            if result.layer:
                old = self.sums.get(result.layer, (0, 0))
                self.sums[result.layer] = old[0] + sum(self.counted.values()) - known, old[1] + self.macs - macs
            for t in call.outs:
                self.put(t, result if t is first or t.floating else CONSTANT, written=in_place)

    def layered(self, call, values):
        """True if an operand is a layer's, or if parameters that were repeated for each sample are and the call computes."""
        if any(v.layer for v in values):
            return True
        free = [t for t, v in zip(call.ins, values) if v.parameter and self.grows(t)]
        if not free or not hasattr(self, "on_" + call.name) or call.name in ("cat", "clone"):
            return False
        try:
            for t in free:
                self.put(t, self.source(t, self.sample(t)))
        except Unlike:
            return False
        return True

    def unlike(self, call, in_place):
        first, values = call.outs[0], [self.value(t) for t in call.ins]
        if not any(t.floating for t in call.outs):
            return CONSTANT
        if not any(v.layer for v in values) and not self.grows(first):  # a table, looked up for all samples at once
            return made_of(values)
        if not in_place or first.numel == self.numel.get(first.key):
            return self.stated(call.outs)
        base = self.whole[first.key]  # a part of it is written
        values = [(first, base), *((t, self.value(t)) for t in call.ins[1:])]
        self.whole[first.key] = self.stated(call.outs, values, base.shape or None)
        return self.whole[first.key]

    def parts(self, call, name):
        """Slices, where they leave something out."""
        t, one = call.ins[0], name in ("select", "unbind")
        source, dim = self.value(t), call.arg(1 if name in ("slice", "select", "unbind") else 2, "dim", 0) % len(t.shape)
        begin = call.arg(2, "start" if name == "slice" else "index", 0) if name in ("slice", "select") else 0
        begin += t.shape[dim] if begin < 0 else 0
        for out in call.outs:
            end = begin + (1 if one else out.shape[dim])
            if out.numel == t.numel:
                self.put(out, source)
                continue
            try:
                axis, shape = self.axis(t, dim), self.sample(t)
                value = self.add("slice", [self.reshape(source, shape)], (*shape[:axis], end - begin, *shape[axis + 1:]),
                                 axis=axis, begin=begin, end=end)
            except Unlike:
                value = self.stated([out], still=True)
            self.put(out, value)
            begin = end

    def remarks(self, names):
        """Custom layers by operator, with their shares."""
        groups, lines = {}, []
        if self.pairs:
            lines.append(f"pairs of samples, first of {self.pairs}, count as those of a batch of 1")
        for layer, operator, flops, moved in self.custom:
            if layer["name"] in names:
                groups.setdefault(operator, []).append((moved, flops, layer["name"]))
        for operator, found in sorted(groups.items(), key=lambda each: -sum(x[0] for x in each[1])):
            flops, moved = sum(x[1] for x in found) / max(1, 2 * self.macs), sum(x[0] for x in found) / max(1, self.work)
            lines.append(f"custom layers: {len(found)} of {operator} ({found[0][2]}{', …' * (len(found) > 1)}): {flops:.1%} of "
                         f"FLOPs of products, {moved:.1%} of elements moved")
        return lines

    # Operators that kinds express

    def activation(self, call, kind):
        fields = {"in_place": bool(call.writes)} if kind in IN_PLACE else {}
        return self.add(kind, [self.shaped(call.ins[0])], self.sample(call.outs[0]), **fields)

    def on_hardtanh(self, call):
        if (call.arg(1, "min_val", -1), call.arg(2, "max_val", 1)) != (0, 6):
            raise Unlike
        return self.activation(call, "relu6")

    def on_convolution(self, call):
        x, w, bias, stride, padding, dilation, transposed, extra, groups = call.args[:9]
        if not self.parameter(w) or any(extra) or len(self.sample(x)) != len(w.shape) - 1:
            raise Unlike
        self.own(w, bias)
        fields = {"filters": w.shape[1] * groups if transposed else w.shape[0], "kernel": list(w.shape[2:])}
        for key, sizes, default in (("stride", stride, 1), ("padding", padding, 0), ("dilation", dilation, 1)):
            if any(each != default for each in sizes):
                fields[key] = list(sizes)
        fields.update({"groups": groups} if groups != 1 else {}, **({"bias": False} if bias is None else {}))
        self.macs += self.products(call)
        return self.add("conv_transpose" if transposed else "conv", [self.shaped(x)], self.sample(call.outs[0]), **fields)

    def linear(self, x, w, bias=None):
        keys, features = tuple(self.claims(w)), x.shape[-1]
        units, rows = size(w.shape[-2:]) // features, size(self.sample(x)) // features
        front = (rows,) if rows > 1 else ()
        source, fields = self.shaped(x, (*front, features)), {"units": units}
        if all(each in self.counted for each in keys):
            if keys not in self.tables:
                raise Unlike
            fields["tied_to"] = self.tables[keys]
        elif self.own(w) != units * features:
            raise Unlike
        if bias is None or "tied_to" in fields and all(each in self.counted for each in self.claims(bias)):
            fields["bias"] = False
        else:
            self.own(bias)
        self.macs += rows * features * units
        result = self.add("linear", [source], (*front, units), **fields)
        self.tables.setdefault(keys, result.layer)
        return result

    def on_linear(self, call):
        return self.linear(*call.args[:3])

    on_mm = on_linear

    def on_addmm(self, call):
        bias, x, w = call.args[:3]
        if not self.parameter(w) or not self.parameter(bias) or call.kwargs.get("beta", 1) != 1:
            raise Unlike
        return self.linear(x, w, bias)

    def on_bmm(self, call):
        a, b = call.ins[-2:]
        if self.parameter(b):
            return self.linear(a, b)
        rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
        count = size(self.sample(call.outs[0])) // (rows * columns)
        front = (count,) if count > 1 else ()
        self.macs += count * rows * inner * columns
        return self.add("matmul", [self.shaped(a, (*front, rows, inner)), self.shaped(b, (*front, inner, columns))],
                        (*front, rows, columns))

    def on_baddbmm(self, call):
        if call.kwargs.get("beta", 1) != 0:
            raise Unlike
        return self.on_bmm(call)

    def norm(self, call, kind, weight, offset, shape=None, **fields):
        if weight is None:
            fields = {"affine": False, **{name: value for name, value in fields.items() if name != "bias"}}
        elif not isinstance(weight, Tensor):
            raise Unlike
        else:
            self.own(weight, offset)
        return self.add(kind, [self.shaped(call.ins[0], shape)], shape or self.sample(call.outs[0]), **fields)

    def on_native_batch_norm(self, call):
        x, weight, bias = call.args[:3]
        if x.shape[0] != 1 or self.twin[id(x)].shape[1] == x.shape[1]:
            return self.norm(call, "batch_norm", weight, bias)
        shape = self.sample(x)[1:]  # F.instance_norm
        return self.norm(call, "instance_norm", weight, bias, shape)

    on__native_batch_norm_legit = on__batch_norm_with_update = on_cudnn_batch_norm = on_native_batch_norm

    def on_native_layer_norm(self, call, kind="layer_norm"):
        x, shape, weight, bias = call.args[:4]
        rows = size(self.sample(x)) // size(shape)
        return self.norm(call, kind, weight, bias, (rows, size(shape)) if rows > 1 else (size(shape),),
                         **({"bias": False} if kind == "layer_norm" and not isinstance(bias, Tensor) else {}))

    on__fused_rms_norm = functools.partialmethod(on_native_layer_norm, kind="rms_norm")  # its fourth argument is a number

    def on_native_group_norm(self, call):
        return self.norm(call, "group_norm", call.args[1], call.args[2], groups=call.args[6])

    def pool(self, call, kind, ceil):
        x, kernel, stride, padding = (call.arg(i, n, []) for i, n in enumerate(("self", "kernel_size", "stride", "padding")))
        if len(self.sample(x)) != len(kernel) + 1 or kind == "max_pool" and any(d != 1 for d in call.arg(4, "dilation", [])):
            raise Unlike
        fields = {"kernel": list(kernel), **({"stride": list(stride)} if stride and list(stride) != list(kernel) else {}),
                  **({"padding": list(padding)} if any(padding) else {}),
                  **({"ceil": True} if call.arg(ceil, "ceil_mode", False) else {})}
        return self.add(kind, [self.shaped(x)], self.sample(call.outs[0]), **fields)

    on_max_pool2d_with_indices = on_max_pool3d_with_indices = functools.partialmethod(pool, kind="max_pool", ceil=5)
    on_avg_pool2d = on_avg_pool3d = functools.partialmethod(pool, kind="avg_pool", ceil=4)

    def on__adaptive_avg_pool2d(self, call):
        out = self.sample(call.outs[0])
        return self.add("adaptive_avg_pool", [self.shaped(call.ins[0])], out, output=list(out[1:]))

    on__adaptive_avg_pool3d = on__adaptive_avg_pool2d

    def on_mean(self, call):
        x = call.ins[0]
        shape, dims = self.sample(x), call.arg(1, "dim", [])
        if len(shape) < 2 or sorted(d % len(x.shape) for d in dims) != list(range(2, len(x.shape))):
            raise Unlike
        return self.add("global_avg_pool", [self.shaped(x)], shape[:1])

    on__softmax = on__safe_softmax = functools.partialmethod(activation, kind="softmax")

    def on_embedding(self, call):
        weight, steps = call.args[0], size(self.sample(call.args[1]))
        source = next((v for v in self.integers if size(v.shape) == steps), None)
        if source is None or self.own(weight) != weight.numel:
            raise Unlike
        result = self.add("embedding", [self.reshape(source, (steps,))], (steps, weight.shape[1]),
                          vocabulary=weight.shape[0], width=weight.shape[1])
        self.tables[tuple(self.claims(weight))] = result.layer
        return result

    def on_add(self, call):
        a, b = call.arg(0), call.arg(1, "other")
        if not isinstance(b, Tensor) or not isinstance(a, Tensor):
            raise Unlike
        last = self.layers[-1] if self.layers else {}
        if self.parameter(b) and len(b.shape) == 1 and self.value(a).layer == last.get("name") and \
                last["type"] == "linear" and not last.get("bias", True) and last["units"] == b.numel:
            self.own(b)
            del last["bias"]
            return self.value(a)
        shape = self.sample(call.outs[0])
        return self.add("add", [self.source(t, shape) for t in (a, b)], shape)

    def on_mul(self, call):
        a, b = call.arg(0), call.arg(1, "other")
        if not isinstance(b, Tensor) or not isinstance(a, Tensor):
            raise Unlike
        shape = self.sample(call.outs[0])
        for x, y in ((a, b), (b, a)):
            rate = self.value(y).noise
            if rate is not None and (x.numel == y.numel or size(self.sample(y)) == 1):
                fields = {"in_place": bool(call.writes), **({} if x.numel == y.numel else {"by_sample": True})}
                return self.add("dropout", [self.shaped(x)], shape, rate=round(1 - rate, 9), **fields)
        shapes = [self.sample(t) for t in (a, b)]
        if any(each != shape and (each[0] != shape[0] or size(each) != shape[0]) for each in shapes):
            raise Unlike  # neither of one shape nor a number a channel
        return self.add("multiply", [self.source(t, each if each == shape else each[:1]) for t, each in zip((a, b), shapes)],
                        shape)

    def on_cat(self, call):
        tensors, out = call.args[0], call.outs[0]
        if len(tensors) == 1:
            return self.value(tensors[0])
        dim, total = call.arg(1, "dim", 0) % len(out.shape), self.sample(out)
        axis = self.axis(out, dim)
        sources = [self.source(t, (*total[:axis], t.shape[dim], *total[axis + 1:])) for t in tensors]
        return self.add("concat", sources, total, **({"axis": axis} if axis else {}))

    def on_clone(self, call):
        """A copy in another order, written as a transpose of as many bytes."""
        shape = self.sample(call.ins[0])
        shape = shape if len(shape) > 1 else (1, *shape)
        swapped = self.shaped(call.ins[0], (shape[1], shape[0], *shape[2:]))
        return self.add("transpose", [swapped], shape, axes=[1, 0, *range(2, len(shape))])

    on_roll = on_clone

    def on_constant_pad_nd(self, call):
        if any(call.arg(1, "pad")):
            raise Unlike
        return self.on_clone(call)

    def on_upsample_nearest2d(self, call, mode="nearest"):
        a, b = self.sample(call.ins[0]), self.sample(call.outs[0])
        if len(a) != 3 or b[1] % a[1] or b[2] % a[2]:
            raise Unlike
        return self.add("upsample", [self.shaped(call.ins[0])], b, scale=[b[1] // a[1], b[2] // a[2]], mode=mode)

    on_upsample_bilinear2d = functools.partialmethod(on_upsample_nearest2d, mode="bilinear")

    def on_attention(self, call):
        query, key, value = call.args
        if len(query.shape) != 4 or self.parameter(call.kwargs.get("attn_mask")):
            raise Unlike
        heads, fields = query.shape[1], {}
        for name, given in (("kv_heads", key.shape[1] if key.shape[1] != heads else None),
                            ("causal", bool(call.kwargs.get("is_causal"))), ("dropout", call.kwargs.get("dropout_p"))):
            if given:
                fields[name] = given
        self.macs += heads * query.shape[2] * key.shape[2] * (query.shape[3] + value.shape[3])
        return self.add("attention", [self.shaped(t, (t.shape[2], t.shape[1] * t.shape[3])) for t in call.args],
                        (query.shape[2], heads * value.shape[3]), heads=heads, flash=True, **fields)

    def on_joined(self, call):
        fields = {key: call.kwargs[key] for key, otherwise in
                  (("kv_heads", call.kwargs["heads"]), ("windows", 1), ("dropout", 0)) if call.kwargs[key] != otherwise}
        heads, keys = call.kwargs["heads"], tuple(key for t in call.kwargs["beside"] for key in self.parameter(t))
        if keys:
            fields["bias_table"] = {"buckets": sum(self.numel[key] for key in keys) // heads, "heads": heads}
            fields.update({"tied_to": self.tables[keys]} if keys in self.tables else {})
            if "tied_to" not in fields:
                self.own(*call.kwargs["beside"])
        self.macs += call.kwargs["macs"]
        result = self.add("attention", [self.shaped(t, shape) for t, shape in zip(call.args, call.kwargs["shapes"])],
                          call.kwargs["result"], heads=heads, **fields)
        if keys:
            self.tables.setdefault(keys, result.layer)
        return result

    def on_lstm(self, call):
        (x, module, weights), shape = call.args, self.sample(call.args[0])
        if getattr(module, "proj_size", 0) or len(shape) != 2:
            raise Unlike
        self.own(*weights)
        self.macs += self.products(call)
        value, rate, result = self.shaped(x), module.dropout, self.sample(call.outs[0])
        fields = {"units": module.hidden_size, "bidirectional": module.bidirectional, "bias_vectors": 2 * module.bias}
        count = module.num_layers if rate else 1  # dropout stands between layers
        for layer in range(count):
            value = self.add("dropout", [value], result, rate=rate) if layer else value
            value = self.add(call.name, [value], result, layers=module.num_layers // count, **fields)
        return value

    on_gru = on_lstm


def contiguous(shape):
    return tuple(math.prod(shape[d + 1:]) for d in range(len(shape)))


def alive(layers, outputs):
    """Layers that an output needs."""
    wanted = set(outputs)
    for layer in reversed(layers):
        if layer["name"] in wanted:
            wanted |= set(layer.get("inputs", ()))
    return [layer for layer in layers if layer["name"] in wanted]


def body(layers, start, indices, before):
    """Layers of one copy as it names them."""
    out = []
    for layer in (layers[i] for i in indices):
        inputs = [x[len(start):] if x.startswith(start) else "@input" if x == before else x for x in layer.get("inputs", ())]
        out.append({**layer, "name": layer["name"][len(start):], **({"inputs": inputs} if inputs else {})})
    return out


def numbered(layers, depth):
    """Indices of layers by prefix and number of the copy, where word `depth` of a name ends in a number."""
    blocks = {}
    for i, layer in enumerate(layers):
        words = layer["name"].split(".")
        found = re.fullmatch(r"(.*?)(\d+)", words[depth]) if len(words) > depth + 1 and layer["type"] != "repeat" else None
        if found:
            blocks.setdefault(".".join([*words[:depth], found[1]]), {}).setdefault(int(found[2]), []).append(i)
    return sorted(blocks.items(), key=lambda each: min(i for copy in each[1].values() for i in copy))


def fold_one(layers, outputs, depth):
    """Writes the first run of equal copies as a repeat; returns whether there was one."""
    for prefix, copies in numbered(layers, depth):
        def copy(k, before=None):
            return body(layers, f"{prefix}{k}.", copies[k], layers[copies[k - 1][-1]]["name"] if before is None else before)
        for first in sorted(copies):
            if first + 1 not in copies:
                continue
            entry = {x for a, b in zip(copy(first, ""), copy(first + 1))
                     for x, y in zip(a.get("inputs", ()), b.get("inputs", ())) if y == "@input"}
            block, last = copy(first, next(iter(entry), "")), first
            while last + 1 in copies and copies[last + 1][0] == copies[last][-1] + 1 and copy(last + 1) == block:
                last += 1
            flat = [i for k in range(first, last + 1) for i in copies[k]]
            end, own = layers[flat[-1]]["name"], {each["name"] for each in block}
            inner = {layers[i]["name"] for i in flat} - {end}
            reads = {x for i in flat for x in layers[i].get("inputs", ())} - inner - entry
            outside = {x for i, layer in enumerate(layers) if not flat[0] <= i <= flat[-1]
                       for each in [layer, *layer.get("layers", ())]
                       for x in [*each.get("inputs", ()), each.get("tied_to")]} | set(outputs)
            if last == first or len(entry) != 1 or flat != list(range(flat[0], flat[-1] + 1)) or inner & outside or \
                    own & reads or any("tied_to" in each for each in block):
                continue
            whole = prefix.endswith(".") and len(copies) == last - first + 1
            name = prefix[:-1] if whole else f"{prefix}{first}-{last}"
            layers[flat[0]:flat[-1] + 1] = [{"name": name, "type": "repeat", "times": last - first + 1,
                                             "inputs": list(entry), "layers": block}]
            for layer in layers:
                for each in [layer, *layer.get("layers", ())]:
                    if "inputs" in each:
                        each["inputs"] = [name if x == end else x for x in each["inputs"]]
            outputs[:] = [name if x == end else x for x in outputs]
            return True
    return False


def fold(layers, outputs):
    """Writes copies `P.k.…` to `P.n.…` of equal layers once, as a repeat called P or P.k-n."""
    for depth in range(max(layer["name"].count(".") for layer in layers)):
        while fold_one(layers, outputs, depth):
            pass
    return layers


def shorten(layers, before=None):
    """Leaves out inputs that are the layer before."""
    for layer in layers:
        if layer.get("inputs") == [before]:
            del layer["inputs"]
        if layer["type"] == "repeat":
            shorten(layer["layers"], "@input")
        before = layer["name"]


@contextlib.contextmanager
def on_meta(module):
    """The module in training, with parameters and buffers on meta, shared ones still shared. Afterwards each module has the
    attributes that it had: what forward keeps of a run is on meta."""
    tables, made = ("_parameters", "_buffers"), {}
    kept = [(each, {key: dict(x) if key in tables else x for key, x in vars(each).items()}) for each in module.modules()]
    try:
        for each, own in kept:
            for table, (key, t) in ((table, x) for table in tables for x in own[table].items() if x[1] is not None):
                if id(t) not in made:
                    new = t.detach().to("meta")
                    made[id(t)] = torch.nn.Parameter(new, t.requires_grad) if isinstance(t, torch.nn.Parameter) else new
                getattr(each, table)[key] = made[id(t)]
            if "_flat_weights" in own:  # of LSTM and its kin
                each._flat_weights = [made[id(w)] for w in own["_flat_weights"]]
        module.train()
        yield
    finally:
        for each, own in kept:
            for table in tables:
                getattr(each, table).clear()
                getattr(each, table).update(own[table])
                own[table] = getattr(each, table)
            vars(each).clear()
            vars(each).update(own)


def line_of(error):
    """File and line of an error, the last that are not PyTorch's or ours."""
    own = (os.path.join(os.path.dirname(torch.__file__), ""), os.path.abspath(__file__))
    places = [x for x in traceback.extract_tb(error.__traceback__) if not os.path.abspath(x.filename).startswith(own)]
    return f", {os.path.basename(places[-1].filename)}:{places[-1].lineno}" if places else ""


def translate(module, inputs, name):
    """Returns the network as an object, remarks on custom layers and on what was left out, and sums to expect."""
    with on_meta(module):
        for again in (True, False):  # what forward makes once is there the second time
            try:
                runs = [run(module, [torch.empty((batch, *x.shape[1:]), dtype=x.dtype, device="meta") for x in inputs])
                        for batch in BATCHES]
            except Exception as error:  # whatever forward raises
                told = str(error).split(". ", 1)[0].partition("\n")[0][:200]
                raise Refused(f"forward on meta tensors{line_of(error)}: {type(error).__name__}: {told}; give --input as forward "
                              "takes it, and a module that does not read values of tensors") from error
            unlike = [(x, y) for x, y in itertools.zip_longest(*(trace.calls for trace, _, _ in runs))
                      if not x or not y or x.name != y.name]
            if not unlike:
                break
            if not again:
                found = [f"{x.name} in '{x.path}'" if x else "nothing" for x in unlike[0]]
                raise Refused(f"the operators depend on the batch: found {found[0]} with 2 samples, {found[1]} with 3; use a "
                              "module whose forward does not ask for its size")
        for (trace, given, _), batch in zip(runs, BATCHES):
            trace.calls = joined(trace.calls, given, batch, set(map(storage, module.parameters())))
        network, idle = Network(module, runs), dict(module.named_parameters())
        dtype = str(next((p.dtype for p in module.parameters()), torch.float32)).split(".")[1]
        outputs = network.translate()
        idle = [path for path, p in idle.items() if network.left(storage(p))]
    layers = alive(network.layers, outputs)
    sums = [network.sums.get(layer["name"], (0, 0)) for layer in layers]
    expect = dict(zip(("parameters", "forward_macs"), map(sum, zip(*sums))))
    remarks = network.remarks({layer["name"] for layer in layers})
    if idle:
        remarks.append(f"left out {len(idle)} parameters that no layer reads: {', '.join(idle[:3])}{', …' * (len(idle) > 3)}")
    used = {x for layer in layers for x in layer.get("inputs", ())}
    inputs = [x for x in network.inputs if x["name"] in used]
    if layers[-1]["type"] == "linear" and outputs == [layers[-1]["name"]]:
        layers.append({"name": "loss", "type": "softmax_cross_entropy", "inputs": outputs})
        outputs = ["loss"]
    fold(layers, outputs)
    repeats = [layer for layer in layers if layer["type"] == "repeat"]
    if repeats:
        max(repeats, key=lambda each: each["times"] * len(each["layers"]))["scale"] = True
    shorten(layers, inputs[0]["name"] if len(inputs) == 1 else None)
    source = f"{type(module).__module__}.{type(module).__qualname__}, by from_torch.py with torch {torch.__version__}"
    return {"$schema": "network.schema.json", "format": "ooc-paleo/network", "version": 1, "name": name, "source": source,
            "dtype": dtype, "inputs": inputs, "layers": layers,
            **({} if outputs == [layers[-1]["name"]] else {"outputs": outputs})}, remarks, expect


def merge(file, base, other, symbol, size, other_size):
    """`file` with "2*seq" where `base` and `other`, which are of two lengths, differ so."""
    if base == other:
        return file
    if isinstance(file, dict) and isinstance(other, dict) and base.keys() == other.keys():
        return {key: merge(x, base[key], other[key], symbol, size, other_size) for key, x in file.items()}
    if isinstance(file, list) and isinstance(other, list) and len(base) == len(other):
        return [merge(x, y, z, symbol, size, other_size) for x, y, z in zip(file, base, other)]
    if not isinstance(file, int) or base % size or base * other_size != other * size:
        raise Unlike
    return symbol if base == size else f"{base // size}*{symbol}"


def write(module, inputs, path, name=None, strict=False, source=None):
    """Writes the network file of `module`, called with `inputs` (tensors, batch first, or texts as --input takes them), to
    `path`; returns remarks. `source`: what the file says of it."""
    name, sizes = name or os.path.basename(path).rsplit(".", 1)[0], {}
    inputs = [read_input(x, sizes) if isinstance(x, str) else lambda _, x=x: x for x in inputs]
    base, remarks, expect = translate(module, [make(sizes) for make in inputs], name)
    file, symbols = base, {}
    for symbol, size_ in sizes.items():
        try:
            other = {**sizes, symbol: size_ // 2}
            file = merge(file, base, translate(module, [make(other) for make in inputs], name)[0], symbol, size_, size_ // 2)
            symbols[symbol] = size_
        except (Unlike, Refused):
            remarks.append(f"{symbol} is fixed at {size_}: some layers have sizes that are no multiples of it")
    refused = [x for x in remarks if x.startswith("custom")]
    if strict and refused:
        raise Refused("no layer kind: " + "; ".join(refused) + "; leave out --strict for custom layers")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text({**file, **({"source": source} if source else {}), **({"symbols": symbols} if symbols else {}), "expect": expect}))
    return remarks


def text(file):
    """JSON, one layer a line."""
    def block(layers, indent):
        lines = []
        for layer in layers:
            if layer["type"] == "repeat":
                inner = layer["layers"]
                head = json.dumps({key: x for key, x in layer.items() if key != "layers"})
                lines.append(f'{head[:-1]}, "layers": [\n{block(inner, indent + "  ")} ]}}')
            else:
                lines.append(json.dumps(layer))
        return ",\n".join(indent + line for line in lines)
    parts = [f'  {json.dumps(key)}: ' + (f"[\n{block(x, '    ')}\n  ]" if key == "layers" else json.dumps(x))
             for key, x in file.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def load(target):
    """The module that MODULE:CALLABLE or FILE.py:CALLABLE returns."""
    place, _, attribute = target.rpartition(":")
    if not place:
        raise BadArgument(f"found '{target}', expected MODULE:CALLABLE or FILE.py:CALLABLE")
    try:
        if place.endswith(".py"):
            sys.path.insert(0, os.path.dirname(os.path.abspath(place)))
            spec = importlib.util.spec_from_file_location(os.path.basename(place)[:-3], place)
            found = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = found
            spec.loader.exec_module(found)
        else:
            sys.path.insert(0, os.getcwd())
            found = importlib.import_module(place)
    except (ImportError, OSError) as error:
        raise BadArgument(f"{place}: {error}; give a module that Python finds or a file") from error
    made = getattr(found, attribute, None)
    made = made if isinstance(made, torch.nn.Module) else made() if callable(made) else None
    if not isinstance(made, torch.nn.Module):
        raise BadArgument(f"'{target}' gives no torch.nn.Module; name a module or what returns one without arguments")
    return made


def read_input(item, named):
    """What makes an input for given sizes of symbols; `named` gets those in `item`."""
    shape, _, dtype = item.partition(":")
    dtype = getattr(torch, dtype or "float32", None)
    words = [each.rpartition("=") for each in shape.split(",")]
    if not isinstance(dtype, torch.dtype) or not all(size_.isdigit() and int(size_) for _, _, size_ in words):
        raise BadArgument(f"--input: found '{item}', expected sizes, the batch first, and a type: 1,3,224,224 or 1,seq=128:int64")
    named.update((symbol, int(size_)) for symbol, _, size_ in words if symbol)
    return lambda sizes: torch.empty([sizes.get(symbol, int(size_)) for symbol, _, size_ in words], dtype=dtype, device="meta")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", metavar="MODULE:CALLABLE", help="or FILE.py:CALLABLE; returns the module")
    parser.add_argument("--input", action="append", required=True, metavar="SHAPE[:DTYPE]", help="of forward, in order")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the network file")
    parser.add_argument("--name", help="of the network; default: the file's")
    parser.add_argument("--strict", action="store_true", help="refuse operators that no layer kind expresses")
    arguments = parser.parse_args()
    if isinstance(torch, ImportError):
        print(f"from_torch: {torch} (pip install torch)", file=sys.stderr)
        return 6
    try:
        _ = [read_input(item, {}) for item in arguments.input]  # before the module is loaded, which takes longer
        remarks = write(load(arguments.module), arguments.input, arguments.output, arguments.name, arguments.strict)
    except OSError as error:
        print(f"from_torch: error: '{error.filename}': {error.strerror}; name another file", file=sys.stderr)
        return 2
    except Refused as error:
        print(f"from_torch: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, BadArgument) else 1
    for each in remarks:
        print(f"from_torch: {each}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
