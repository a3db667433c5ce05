#!/usr/bin/env python3
"""Writes the network file of a torch.nn.Module (PyTorch >= 1.13, nothing else).

    from_torch.py torchvision.models:resnet50 --input 1,3,224,224 -o resnet50.json
    from_torch.py model.py:build --input 1,128:int64 -o model.json

The first dimension of every input is the batch. The module runs twice on meta tensors, with batches of 2 and 3, and every
operator below autograd is seen: dimensions that differ hold the batch. Layers are named by the paths of their modules. An
operator that no layer kind expresses becomes a `custom` layer with its FLOPs and bytes, told on stderr; --strict refuses
it. Where the output is that of a linear layer, a loss follows.

Exit status: 0 written; 1 --strict refused, or the module cannot be traced; 2 bad arguments; 6 no torch.
"""

import argparse
import contextlib
import importlib
import importlib.util
import json
import math
import os
import sys

try:
    import torch
    import torch.nn.functional as F
    import torch.nn.modules.module as hooks
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten, tree_map
except ImportError as missing:
    torch, TorchDispatchMode = missing, object

BATCHES = (2, 3)
VIEWS = set("view _unsafe_view reshape _reshape_alias t transpose permute expand squeeze unsqueeze detach alias lift_fresh "
            "lift_fresh_copy as_strided unflatten movedim view_as_real".split())
ACTIVATIONS = set("relu gelu sigmoid tanh silu hardswish hardsigmoid leaky_relu elu".split())
IN_PLACE = set("relu relu6 sigmoid tanh leaky_relu elu".split())  # backward reads what they write
PARTS = set("slice select split split_with_sizes unsafe_split unsafe_split_with_sizes chunk unsafe_chunk unbind".split())
RECURRENT = {"LSTM": "lstm", "GRU": "gru"}


class Refused(Exception):
    """A module or an argument that cannot be taken; says cause, then remedy."""


class Unlike(Exception):
    """An operator that its layer kind does not express."""


class Tensor:
    """One tensor of a run: shape, storage, and whether it is a parameter."""

    def __init__(self, t, made):
        self.shape, self.stride, self.offset = tuple(t.shape), t.stride(), t.storage_offset()
        self.key, self.id, self.numel, self.size = storage(t), id(t), t.numel(), t.element_size()
        self.floating = t.is_floating_point()
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
                self.record(kind, [given[0], module], {}, out)
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


def run(module, inputs):
    """Runs `module` on meta tensors; returns the run, its inputs and its outputs."""
    trace = Run(module)
    given = [trace.tensor(x) for x in inputs]
    trace.alive += inputs
    flash = getattr(F, "scaled_dot_product_attention", None)
    with contextlib.ExitStack() as stack:
        stack.enter_context(hooks.register_module_forward_pre_hook(trace.enter))
        stack.enter_context(hooks.register_module_forward_hook(trace.leave))
        if flash:
            stack.callback(setattr, F, "scaled_dot_product_attention", flash)
            F.scaled_dot_product_attention = trace.attention(flash)
        stack.enter_context(trace)
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(trace.pack, lambda t: t))
        out = module(*inputs)
    if trace.calls:
        trace.calls[-1].after |= trace.packed
    return trace, given, [trace.tensor(x) for x in leaves(out)]


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


def size(shape):
    return math.prod(shape)


class Value:
    """A tensor as layers know it: the layer that made it and its shape there. No layer: constant or parameter."""

    def __init__(self, layer=None, shape=(), parameter=None, noise=None):
        self.layer, self.shape, self.parameter, self.noise = layer, shape, parameter, noise


CONSTANT = Value()


class Network:
    """Layers from the calls of both runs."""

    def __init__(self, module, runs):
        self.runs, self.layers, self.names, self.custom = runs, [], set(), []
        self.leaf = {path for path, each in module.named_modules() if not list(each.children())}
        self.values, self.whole, self.numel, self.version, self.seen = {}, {}, {}, {}, {}
        self.first, self.macs, self.work, self.path, self.call = {}, 0, 0, "", None
        trace = runs[0][0]
        self.parameters = {}
        for path, p in module.named_parameters():
            self.parameters[storage(p)] = (path, p)
            self.whole[storage(p)] = Value(parameter=(storage(p),))
            self.numel[storage(p)] = p.numel()
        self.counted, self.read, self.dtype = set(), set(), next((p.dtype for p in module.parameters()), torch.float32)
        self.inputs, self.integers, self.trace = [], [], trace

    # Names and layers

    def name(self, kind):
        base = self.path.replace("/", ".")
        if base not in self.leaf:
            base = f"{base}.{kind}" if base else kind
        elif base in self.names and kind in ("reshape", "transpose", "parameter"):
            base = f"{base}.{kind}"
        name, n = base or kind, 0
        while name in self.names:
            n += 1
            name = f"{base}_{n}"
        self.names.add(name)
        return name

    def add(self, kind, inputs, result, **fields):
        if kind in ("reshape", "transpose", "slice", "parameter", "custom") and self.path in self.leaf:
            name = self.name_beside(kind)
        else:
            name = self.name(kind)
        layer = {"name": name, "type": kind, "inputs": [x.layer for x in inputs], **fields}
        if not layer["inputs"]:
            del layer["inputs"]
        self.layers.append(layer)
        return Value(name, tuple(result) or (1,))

    def name_beside(self, kind):
        base, n = f"{self.path}.{kind}", 0
        name = base
        while name in self.names:
            n += 1
            name = f"{base}_{n}"
        self.names.add(name)
        return name

    def reshape(self, value, shape):
        shape = tuple(shape) or (1,)
        if value.shape == shape:
            return value
        if size(value.shape) != size(shape):
            raise Unlike
        key = (value.layer, shape)
        if key not in self.seen:
            self.seen[key] = self.add("reshape", [value], shape, shape=list(shape))
        return self.seen[key]

    # Tensors

    def sample(self, t):
        return sample(t, self.twin[id(t)]) or (1,)

    def value(self, t):
        if t.key in self.version and self.version[t.key] > t_made(self.values.get(t.id), t):
            whole = self.whole[t.key]
            if t.numel == self.numel[t.key]:
                return whole
            if whole.layer:
                self.path = self.path or ""
                return self.stated([t], "view", sources=[whole], shape=self.sample(t), moves=0)
        found = self.values.get(t.id)
        return found[0] if found else self.whole.get(t.key, CONSTANT)

    def shaped(self, t, shape=None):
        """The value of `t` in a shape, its own by default."""
        value = self.value(t)
        if not value.layer:
            raise Unlike
        return self.reshape(value, self.sample(t) if shape is None else shape)

    def put(self, t, value, written=False):
        self.values[t.id] = (value, t.made)
        if t.key not in self.numel or written:
            self.numel.setdefault(t.key, t.numel)
            if t.numel == self.numel[t.key]:
                self.whole[t.key] = value
            self.version[t.key] = t.made if written else 0

    def is_parameter(self, t):
        return isinstance(t, Tensor) and bool(self.value(t).parameter)

    def own(self, *tensors):
        """Counts the parameters behind `tensors` as those of the next layer. False: another layer has counted them."""
        keys = {key for t in tensors if isinstance(t, Tensor) for key in self.value(t).parameter or ()}
        new = keys - self.counted
        self.counted |= keys
        return len(new) == len(keys), sum(self.parameters[key][1].numel() for key in new)

    # Layers of kinds

    def stated(self, outs, kind, sources=None, shape=None, moves=None, macs=0):
        """A custom layer for what the present call does."""
        call = self.call
        ins = list({t.key: t for t in call.ins}.values())
        values = [self.value(t) for t in ins]
        if sources is None:
            sources = [v for v in values if v.layer]
        out = [t for t in outs if t.floating] or outs
        shape = shape or self.sample(out[0])
        written = size(shape)
        read = sum(min(size(self.sample(t)), size(v.shape)) if v.layer else 0 for t, v in zip(ins, values))
        forward = read + written if moves is None else moves
        saved = call.before | call.after
        fields = {"output_shape": list(shape), "forward_flops": 2 * macs or (written if moves is None else 0),
                  "forward_elements": forward, "backward_flops": 4 * macs or (written if moves is None else 0),
                  "backward_elements": forward + written if moves is None else moves}
        in_saved = any(t.key in saved and v.layer for t, v in zip(ins, values)) and moves is None
        out_saved = any(t.key in saved and t.key not in {x.key for x in ins} for t in out[:1]) and moves is None
        fields["saves"] = {(0, 0): "none", (1, 0): "input", (0, 1): "output", (1, 1): "both"}[in_saved, out_saved]
        extra = sum(size(self.sample(t)) * t.size // 4 for t in {t.key: t for t in outs if t is not out[0]}.values()
                    if t.key in call.after) if moves is None else 0
        if extra:
            fields["saved_elements"] = extra
        own = self.own(*[t for t in ins if self.value(t).parameter])[1]
        if own:
            fields["parameters"] = own
        result = self.add("custom", list({v.layer: v for v in sources}.values()), shape, **fields)
        if moves is None:
            self.custom.append((self.layers[-1], call.name, 2 * macs, forward))
        return result

    def translate(self):
        (a, given, outs), (b, given_b, outs_b) = self.runs
        if [call.name for call in a.calls] != [call.name for call in b.calls]:
            raise Refused("the operators depend on the batch; use a module whose forward does not ask for its size")
        self.twin = {id(x): y for x, y in zip(given + outs, given_b + outs_b)}
        for x, y in zip(a.calls, b.calls):
            self.twin.update((id(t), u) for t, u in zip(x.ins + x.outs, y.ins + y.outs))
        for i, t in enumerate(given):
            name = "data" if len(given) == 1 else f"input{i}"
            self.inputs.append({"name": name, "shape": list(self.sample(t))})
            self.names.add(name)
            value = Value(name, self.sample(t)) if t.floating else Value(noise=name)
            self.put(t, value)
            if not t.floating:
                self.integers.append(Value(name, self.sample(t)))
        for self.call in a.calls:
            self.path = self.call.path
            self.one(self.call)
        self.read = {self.parameters[key][0] for key in self.counted}
        ends = [self.value(t) for t in outs if self.value(t).layer]
        if not ends:
            raise Refused("the module's output does not depend on its inputs; return a tensor that does")
        self.path = ""
        return list(dict.fromkeys(v.layer for v in ends))

    def one(self, call):
        name = call.name.rstrip("_") if call.name not in ("mul_", "add_") else call.name[:-1]
        in_place = bool(call.writes)
        values = [self.value(t) for t in call.ins]
        if not call.outs:
            return
        if name in ("bernoulli", "dropout_noise") and in_place:
            self.put(call.outs[0], Value(noise=call.arg(1, "p", 0.5)), written=True)
            return
        if name in ("div", "copy") and in_place and values and values[0].noise is not None and not values[0].layer:
            self.values[call.outs[0].id] = (values[0], call.outs[0].made)
            return
        if name.endswith(("rand_like", "randn_like")) or not any(v.layer for v in values) and name != "embedding":
            keys = tuple(dict.fromkeys(key for v in values for key in v.parameter or ()))
            for t in call.outs:
                self.put(t, Value(parameter=keys or None), written=in_place)
            return
        if name in VIEWS or name == "clone" and self.same_order(call):
            for t in call.outs:
                self.put(t, values[0])
            return
        if name in PARTS:
            self.parts(call, name)
            return
        self.work += sum(size(self.sample(t)) for t in {t.key: t for t in call.ins + call.outs}.values() if t.floating)
        before = len(self.layers), set(self.names)
        try:
            method = getattr(self, "on_" + name, None)
            result = self.activation(call, name, in_place) if name in ACTIVATIONS else method(call) if method else None
            if result is None:
                raise Unlike
        except Unlike:
            del self.layers[before[0]:]
            self.names = before[1]
            self.seen = {key: v for key, v in self.seen.items() if v.layer in self.names}
            if not any(t.floating for t in call.outs):
                for t in call.outs:
                    self.put(t, CONSTANT, written=in_place)
                return
            outs = call.outs
            if in_place and call.outs[0].numel != self.numel.get(call.outs[0].key):
                base = self.whole[call.outs[0].key]
                result = self.stated(outs, name, sources=[base, *(v for v in values if v.layer)], shape=base.shape)
                self.whole[call.outs[0].key], self.version[call.outs[0].key] = result, call.outs[0].made
                return
            result = self.stated(outs, name, macs=self.macs_of(call, name))
        self.put(call.outs[0], result, written=in_place)
        for t in call.outs[1:]:
            self.put(t, CONSTANT if not t.floating else result)

    def macs_of(self, call, name):
        if name in ("mm", "bmm", "addmm", "baddbmm"):
            a = call.ins[-2]
            return size(self.sample(call.outs[0])) * a.shape[-1]
        if name == "convolution":
            return size(self.sample(call.outs[0])) * size(call.ins[1].shape[1:])
        return 0

    def same_order(self, call):
        a, b = call.ins[0], call.outs[0]
        return a.stride == b.stride or a.stride == contiguous(a.shape)

    def parts(self, call, name):
        """Slices, where they leave something out."""
        t = call.ins[0]
        source, shape = self.value(t), self.sample(t)
        dim = call.arg(1 if name in ("slice", "select") else 2, "dim", 0) if name != "unbind" else call.arg(1, "dim", 0)
        dim = dim % len(t.shape)
        begin = 0
        if name == "slice":
            begin = call.arg(2, "start", 0)
        elif name == "select":
            begin = call.arg(2, "index", 0)
        begin = begin + t.shape[dim] if begin < 0 else begin
        for out in call.outs:
            length = out.shape[dim] if name not in ("select", "unbind") else 1
            if out.numel == t.numel:
                self.put(out, source)
                continue
            try:
                if self.twin[id(t)].shape[dim] != t.shape[dim]:
                    raise Unlike  # along the batch
                axis = sum(1 for d in range(dim) if t.shape[d] == self.twin[id(t)].shape[d] or t.shape[d] != BATCHES[0])
                value = self.add("slice", [self.reshape(source, shape)], self.sample_part(shape, axis, length), axis=axis,
                                 begin=begin, end=begin + length)
            except Unlike:
                value = self.stated([out], name, moves=0)
            self.put(out, value)
            begin += length

    @staticmethod
    def sample_part(shape, axis, length):
        return (*shape[:axis], length, *shape[axis + 1:])

    def activation(self, call, kind, in_place):
        fields = {"in_place": in_place} if kind in IN_PLACE else {}
        return self.add(kind, [self.shaped(call.ins[0])], self.sample(call.outs[0]), **fields)

    def on_hardtanh(self, call):
        if (call.arg(1, "min_val", -1), call.arg(2, "max_val", 1)) != (0, 6):
            raise Unlike
        return self.activation(call, "relu6", bool(call.writes))

    def on_convolution(self, call):
        x, w, bias, stride, padding, dilation, transposed, extra, groups = call.args[:9]
        if not self.is_parameter(w) or any(extra) or not self.own(w, bias)[0]:
            raise Unlike
        shape = self.sample(x)
        if len(shape) != len(w.shape) - 1:
            raise Unlike
        filters = w.shape[1] * groups if transposed else w.shape[0]
        fields = {"filters": filters, "kernel": list(w.shape[2:])}
        for key, value, default in (("stride", stride, 1), ("padding", padding, 0), ("dilation", dilation, 1)):
            if any(each != default for each in value):
                fields[key] = list(value)
        if groups != 1:
            fields["groups"] = groups
        if bias is None:
            fields["bias"] = False
        out = self.sample(call.outs[0])
        rest = size(shape[1:]) if transposed else size(out[1:])
        self.macs += size(w.shape) * rest
        return self.add("conv_transpose" if transposed else "conv", [self.shaped(x)], out, **fields)

    def linear(self, call, x, w, bias):
        features = x.shape[-1]
        units = size(w.shape[-2:]) // features
        value = self.value(x)
        if not value.layer:
            raise Unlike
        total = size(self.sample(x))
        rows = total // features
        source = self.reshape(value, (rows, features) if rows > 1 else (features,))
        keys = self.value(w).parameter
        new, count = self.own(w)
        fields = {"units": units}
        tied = None
        if not new:
            tied = self.first.get(keys)
            if tied is None or count or len(keys) != 1:
                raise Unlike
            fields["tied_to"] = tied
        elif count != units * features:
            raise Unlike
        if bias is None or not self.own(bias)[0]:
            fields["bias"] = False
        self.macs += rows * features * units
        result = self.add("linear", [source], (rows, units) if rows > 1 else (units,), **fields)
        if tied is None:
            self.first[keys] = result.layer
        self.frozen(keys)
        return result

    def frozen(self, keys):
        if keys and not any(self.parameters[key][1].requires_grad for key in keys):
            self.layers[-1]["frozen"] = True

    def on_addmm(self, call):
        bias, x, w = call.args[:3]
        if not self.is_parameter(w) or not self.is_parameter(bias) or call.kwargs.get("beta", 1) != 1:
            raise Unlike
        counted = set(self.counted)
        try:
            return self.linear(call, x, w, bias)
        except Unlike:
            self.counted = counted
            raise

    def on_mm(self, call):
        x, w = call.args[:2]
        if not self.is_parameter(w):
            raise Unlike
        counted = set(self.counted)
        try:
            return self.linear(call, x, w, None)
        except Unlike:
            self.counted = counted
            raise

    def on_bmm(self, call):
        a, b = call.args[:2]
        if self.is_parameter(b):
            return self.on_mm(call)
        shape_a, shape_b, out = self.sample(a), self.sample(b), self.sample(call.outs[0])
        n = size(out) // (a.shape[1] * b.shape[2]) or 1
        front = (n,) if n > 1 else ()
        left = self.shaped(a, (*front, a.shape[1], a.shape[2]))
        right = self.shaped(b, (*front, b.shape[1], b.shape[2]))
        self.macs += n * a.shape[1] * a.shape[2] * b.shape[2]
        return self.add("matmul", [left, right], (*front, a.shape[1], b.shape[2]))

    def on_baddbmm(self, call):
        if call.kwargs.get("beta", 1) != 0:
            raise Unlike
        call.args = call.args[1:]
        return self.on_bmm(call)

    def norm(self, call, kind, weight, bias, shape=None, **fields):
        if not isinstance(weight, Tensor) or not self.own(weight, bias)[0]:
            raise Unlike
        return self.add(kind, [self.shaped(call.ins[0], shape)], shape or self.sample(call.outs[0]), **fields)

    def on_native_batch_norm(self, call):
        x, weight, bias = call.args[:3]
        if x.shape[0] == 1 and self.twin[id(x)].shape[1] != x.shape[1]:  # F.instance_norm
            return self.norm(call, "instance_norm", weight, bias, self.sample(x)[1:]) if isinstance(weight, Tensor) else \
                self.add("instance_norm", [self.shaped(x, self.sample(x)[1:])], self.sample(x)[1:], affine=False)
        return self.norm(call, "batch_norm", weight, bias)

    on__native_batch_norm_legit = on_cudnn_batch_norm = on_native_batch_norm
    on__native_batch_norm_legit_functional = on__native_batch_norm_legit_no_training = on_native_batch_norm

    def on_native_layer_norm(self, call):
        x, shape, weight, bias = call.args[:4]
        total, width = size(self.sample(x)), size(shape)
        rows = (total // width, width) if total > width else (width,)
        fields = {} if isinstance(bias, Tensor) else {"bias": False}
        return self.norm(call, "layer_norm", weight, bias, rows, **fields)

    def on_native_group_norm(self, call):
        return self.norm(call, "group_norm", call.args[1], call.args[2], groups=call.args[6])

    def pool(self, call, kind, dilation):
        given, rank = self.sample(call.ins[0]), len(call.arg(1, "kernel_size"))
        if len(given) != rank + 1 or any(each != 1 for each in dilation):
            raise Unlike
        kernel, stride, padding = (call.arg(i, n, []) for i, n in enumerate(("kernel_size", "stride", "padding"), 1))
        fields = {"kernel": list(kernel)}
        if stride and list(stride) != list(kernel):
            fields["stride"] = list(stride)
        if any(padding):
            fields["padding"] = list(padding)
        if call.arg(5 if kind == "max_pool" else 4, "ceil_mode", False):
            fields["ceil"] = True
        return self.add(kind, [self.shaped(call.ins[0])], self.sample(call.outs[0]), **fields)

    def on_max_pool2d_with_indices(self, call):
        return self.pool(call, "max_pool", call.arg(4, "dilation", [1]))

    on_max_pool3d_with_indices = on_max_pool2d_with_indices

    def on_avg_pool2d(self, call):
        return self.pool(call, "avg_pool", [])

    on_avg_pool3d = on_avg_pool2d

    def on__adaptive_avg_pool2d(self, call):
        return self.add("adaptive_avg_pool", [self.shaped(call.ins[0])], self.sample(call.outs[0]),
                        output=list(call.outs[0].shape[2:]))

    on__adaptive_avg_pool3d = on__adaptive_avg_pool2d

    def on_mean(self, call):
        t = call.ins[0]
        shape, dims = self.sample(t), call.arg(1, "dim", [])
        if len(shape) < 2 or sorted(d % len(t.shape) for d in dims) != list(range(2, len(t.shape))):
            raise Unlike
        return self.add("global_avg_pool", [self.shaped(t)], (shape[0],))

    def on__softmax(self, call):
        width = call.ins[0].shape[call.arg(1, "dim")]
        shape = self.sample(call.outs[0])
        return self.add("softmax", [self.shaped(call.ins[0])], shape) if width else None

    def on_embedding(self, call):
        weight, index = call.args[:2]
        steps = size(self.sample(index))
        source = next((v for v in self.integers if size(v.shape) == steps), None)
        new, count = self.own(weight)
        if source is None or not new:
            raise Unlike
        result = self.add("embedding", [self.reshape(source, (steps,))], (steps, weight.shape[1]),
                          vocabulary=weight.shape[0], width=weight.shape[1])
        self.first[self.value(weight).parameter] = result.layer
        self.frozen(self.value(weight).parameter)
        return result

    def operands(self, call):
        """Values of both operands in the output's shape; free parameters become layers."""
        a, b = call.arg(0), call.arg(1, "other")
        if not isinstance(a, Tensor) or not isinstance(b, Tensor):
            raise Unlike
        shape = self.sample(call.outs[0])
        values = []
        for t in (a, b):
            value = self.value(t)
            if value.parameter and not value.layer:
                whole = [self.parameters[key][1].numel() for key in value.parameter]
                if t.numel != size(shape) or whole != [t.numel] or not self.own(t)[0]:
                    raise Unlike
                value = self.add("parameter", [], shape, shape=list(shape))
            values.append(value)
        return values, shape

    def on_add(self, call):
        a, b = call.arg(0), call.arg(1, "other")
        if isinstance(b, Tensor) and self.is_parameter(b) and self.value(a).layer and len(b.shape) == 1:
            last = next(x for x in self.layers + self.inputs if x["name"] == self.value(a).layer)
            if last is self.layers[-1] and last["type"] == "linear" and not last.get("bias", True) and \
                    last["units"] == b.numel and self.own(b)[0]:
                del last["bias"]
                return self.value(a)
        values, shape = self.operands(call)
        if not all(v.layer for v in values):
            raise Unlike
        return self.add("add", [self.reshape(v, shape) for v in values], shape)

    def on_mul(self, call):
        a, b = call.arg(0), call.arg(1, "other")
        if not isinstance(b, Tensor) or not isinstance(a, Tensor):
            raise Unlike
        for x, y in ((a, b), (b, a)):
            value = self.value(y)
            if value.noise is not None and not value.layer and self.value(x).layer:
                if y.numel != x.numel:
                    raise Unlike
                return self.add("dropout", [self.shaped(x)], self.sample(call.outs[0]), rate=round(1 - value.noise, 9),
                                in_place=bool(call.writes))
        shape = self.sample(call.outs[0])
        values = []
        for t in (a, b):
            value, own = self.value(t), self.sample(t)
            if not value.layer:
                raise Unlike
            if own != shape and (own[:1] != shape[:1] or size(own) != shape[0]):
                raise Unlike
            values.append(self.reshape(value, own if own == shape else own[:1]))
        return self.add("multiply", values, shape)

    def joined(self, call, tensors, shapes, axis):
        values = []
        for t, shape in zip(tensors, shapes):
            value = self.value(t)
            if value.parameter and not value.layer:
                if size(shape) != sum(self.parameters[k][1].numel() for k in value.parameter) or not self.own(t)[0]:
                    raise Unlike
                value = self.add("parameter", [], shape, shape=list(shape))
            if not value.layer:
                raise Unlike
            values.append(self.reshape(value, shape))
        return self.add("concat", values, self.sample(call.outs[0]), **({"axis": axis} if axis else {}))

    def on_cat(self, call):
        tensors, dim = call.args[0], call.arg(1, "dim", 0) % len(call.outs[0].shape)
        out, twin = call.outs[0].shape, self.twin[id(call.outs[0])].shape
        if len(tensors) == 1:
            return self.value(tensors[0])
        if out[dim] != twin[dim]:
            raise Unlike
        axis = sum(1 for d in range(dim) if out[d] == twin[d] or out[d] != BATCHES[0])
        total = self.sample(call.outs[0])
        return self.joined(call, tensors, [(*total[:axis], t.shape[dim], *total[axis + 1:]) for t in tensors], axis)

    def on_clone(self, call):
        """A copy in another order."""
        t = call.ins[0]
        value, shape = self.value(t), self.sample(t)
        if len(shape) == 1:
            shape = (1, *shape)
        swapped = self.reshape(value, (shape[1], shape[0], *shape[2:]))
        return self.add("transpose", [swapped], shape, axes=[1, 0, *range(2, len(shape))])

    on_contiguous = on_clone

    def on__to_copy(self, call):
        return self.value(call.ins[0])

    def on_upsample_nearest2d(self, call, mode="nearest"):
        a, b = self.sample(call.ins[0]), self.sample(call.outs[0])
        if len(a) != 3 or b[1] % a[1] or b[2] % a[2]:
            raise Unlike
        return self.add("upsample", [self.shaped(call.ins[0])], b, scale=[b[1] // a[1], b[2] // a[2]], mode=mode)

    def on_upsample_bilinear2d(self, call):
        return self.on_upsample_nearest2d(call, "bilinear")

    def on_attention(self, call):
        query, key, value = call.args
        heads, kv_heads = query.shape[1], key.shape[1]
        if len(query.shape) != 4 or isinstance(call.kwargs.get("attn_mask"), Tensor) and self.is_parameter(
                call.kwargs["attn_mask"]):
            raise Unlike
        sources = [self.shaped(t, (t.shape[2], t.shape[1] * t.shape[3])) for t in call.args]
        fields = {"heads": heads, "flash": True}
        if kv_heads != heads:
            fields["kv_heads"] = kv_heads
        if call.kwargs.get("is_causal"):
            fields["causal"] = True
        if call.kwargs.get("dropout_p"):
            fields["dropout"] = call.kwargs["dropout_p"]
        width = heads * value.shape[3]
        self.macs += heads * query.shape[2] * key.shape[2] * (query.shape[3] + value.shape[3])
        return self.add("attention", sources, (query.shape[2], width), **fields)

    def recurrent(self, call, kind):
        x, module = call.args
        if getattr(module, "proj_size", 0) or module.dropout:
            raise Unlike
        shape = self.sample(x)
        units, ways = module.hidden_size, 2 if module.bidirectional else 1
        for p in module.parameters():
            self.counted.add(storage(p))
        fields = {"units": units}
        if module.num_layers > 1:
            fields["layers"] = module.num_layers
        if module.bidirectional:
            fields["bidirectional"] = True
        if not module.bias:
            fields["bias_vectors"] = 0
        gates = {"lstm": 4, "gru": 3}[kind]
        for layer in range(module.num_layers):
            self.macs += shape[0] * ways * gates * units * (units + (shape[-1] if not layer else ways * units))
        return self.add(kind, [self.shaped(x)], (shape[0], ways * units), **fields)

    def on_lstm(self, call):
        return self.recurrent(call, "lstm")

    def on_gru(self, call):
        return self.recurrent(call, "gru")


def t_made(found, t):
    return found[1] if found else t.made


def contiguous(shape):
    strides, step = [], 1
    for each in reversed(shape):
        strides.append(step)
        step *= each
    return tuple(reversed(strides))


# The file


def alive(layers, outputs):
    """Layers that an output needs."""
    wanted = set(outputs)
    for layer in reversed(layers):
        if layer["name"] in wanted:
            wanted |= set(layer.get("inputs", ()))
    return [layer for layer in layers if layer["name"] in wanted]


def fold(layers, outputs):
    """Writes copies `P.0.…` to `P.n.…` of equal layers once, as a repeat called P."""
    blocks = {}
    for i, layer in enumerate(layers):
        words = layer["name"].split(".")
        for j in range(1, len(words) - 1):
            if words[j].isdigit():
                blocks.setdefault(".".join(words[:j]), {}).setdefault(int(words[j]), []).append(i)
                break
    for prefix, copies in sorted(blocks.items(), key=lambda each: -each[1][min(each[1])][0]):
        flat = [i for k in sorted(copies) for i in copies[k]]
        if len(copies) < 2 or sorted(copies) != list(range(len(copies))) or flat != list(range(flat[0], flat[-1] + 1)):
            continue
        bodies = [body(layers, prefix, k, copies[k], layers[copies[k - 1][-1]]["name"] if k else None) for k in sorted(copies)]
        if any(each != bodies[1] for each in bodies[2:]):
            continue
        entry = [x for x, y in zip(flatten(bodies[0]), flatten(bodies[1])) if y == "@input"]
        first = json.loads(json.dumps(bodies[0]))
        for layer, like in zip(first, bodies[1]):
            if len(layer.get("inputs", ())) == len(like.get("inputs", ())):
                layer["inputs"] = ["@input" if y == "@input" else x for x, y in
                                   zip(layer.get("inputs", ()), like.get("inputs", ()))] or None
                if layer["inputs"] is None:
                    del layer["inputs"]
        inner = {layers[i]["name"] for i in flat}
        last = layers[flat[-1]]["name"]
        outside = {x for i, layer in enumerate(layers) if not flat[0] <= i <= flat[-1]
                   for x in [*layer.get("inputs", ()), layer.get("tied_to")]} | set(outputs)
        if first != bodies[1] or len(set(entry)) != 1 or (outside & inner) - {last} or \
                any("tied_to" in layers[i] for i in flat):
            continue
        repeat = {"name": prefix, "type": "repeat", "times": len(copies), "inputs": entry[:1], "layers": bodies[1]}
        layers[flat[0]:flat[-1] + 1] = [repeat]
        for layer in layers:
            if "inputs" in layer:
                layer["inputs"] = [prefix if x == last else x for x in layer["inputs"]]
        outputs[:] = [prefix if x == last else x for x in outputs]
    return layers


def flatten(block):
    return [x for layer in block for x in layer.get("inputs", ())]


def body(layers, prefix, k, indices, before):
    """Layers of copy k as it names them."""
    start, out = f"{prefix}.{k}.", []
    for i in indices:
        layer = dict(layers[i], name=layers[i]["name"][len(start):])
        if "inputs" in layer:
            layer["inputs"] = [x[len(start):] if x.startswith(start) else "@input" if x == before else x
                               for x in layer["inputs"]]
        out.append(layer)
    return out


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
    """The module in training, with parameters and buffers on meta, shared ones still shared."""
    modes, made, places = [(each, each.training) for each in module.modules()], {}, []
    flat = [(each, each._flat_weights) for each, _ in modes if hasattr(each, "_flat_weights")]  # of LSTM and its kin
    for each, _ in modes:
        for table in (each._parameters, each._buffers):
            places += [(table, key, t) for key, t in table.items() if t is not None]
    try:
        for table, key, t in places:
            if id(t) not in made:
                new = t.detach().to("meta")
                made[id(t)] = torch.nn.Parameter(new, t.requires_grad) if isinstance(t, torch.nn.Parameter) else new
            table[key] = made[id(t)]
        for each, weights in flat:
            each._flat_weights = [made[id(w)] for w in weights]
        module.train()
        yield
    finally:
        for each, weights in flat:
            each._flat_weights = weights
        for table, key, t in places:
            table[key] = t
        for each, mode in modes:
            each.training = mode


def translate(module, inputs, name):
    """Returns the network as an object, and the custom layers with their operators."""
    with on_meta(module):
        runs = [run(module, [torch.empty((batch, *x.shape[1:]), dtype=x.dtype, device="meta") for x in inputs])
                for batch in BATCHES]
        network = Network(module, runs)
    outputs = network.translate()
    layers = alive(network.layers, outputs)
    names = {layer["name"] for layer in layers}
    used = {x for layer in layers for x in layer.get("inputs", ())}
    if layers and len(outputs) == 1 and layers[-1]["type"] == "linear" and layers[-1]["name"] == outputs[0]:
        layers.append({"name": "loss", "type": "softmax_cross_entropy", "inputs": outputs})
        outputs = ["loss"]
    layers = fold(layers, outputs)
    repeats = [layer for layer in layers if layer["type"] == "repeat"]
    if repeats:
        max(repeats, key=lambda each: each["times"] * len(each["layers"]))["scale"] = True
    file = {"$schema": "network.schema.json", "format": "ooc-paleo/network", "version": 1, "name": name,
            "source": f"{type(module).__module__}.{type(module).__qualname__}, by from_torch.py with torch {torch.__version__}",
            "dtype": {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float64: "float64"}.get(network.dtype,
                                                                                                      "float32"),
            "inputs": [x for x in network.inputs if x["name"] in used], "layers": layers}
    shorten(layers, file["inputs"][0]["name"] if len(file["inputs"]) == 1 else None)
    if outputs != [layers[-1]["name"]]:
        file["outputs"] = outputs
    return file, [each for each in network.custom if each[0]["name"] in names], network


def write(module, inputs, path, name=None, strict=False):
    """Writes the network file of `module`, called with `inputs` (tensors, batch first), to `path`."""
    name = name or os.path.basename(path).rsplit(".", 1)[0]
    try:
        file, custom, network = translate(module, list(inputs), name)
    except Refused:
        raise
    except (RuntimeError, NotImplementedError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise Refused(f"forward on meta tensors: {type(error).__name__}: {str(error).splitlines()[0][:200]}; "
                      "give --input as forward takes it, and a module that does not read values of tensors") from error
    groups = {}
    for layer, operator, flops, moved in custom:
        group = groups.setdefault(operator, [0, 0, 0, layer["name"]])
        group[:3] = group[0] + 1, group[1] + flops, group[2] + moved
    lines = [f"custom layers: {count} of {operator} ({example}{', …' if count > 1 else ''}): {flops / max(1, 2 * network.macs + flops):.1%} "
             f"of FLOPs, {moved / max(1, network.work):.1%} of elements"
             for operator, (count, flops, moved, example) in sorted(groups.items(), key=lambda each: -each[1][2])]
    if lines and strict:
        raise Refused("no layer kind: " + "; ".join(lines) + "; leave out --strict for custom layers")
    idle = [path for path, p in module.named_parameters() if path not in network.read]
    if idle:
        lines.append(f"{len(idle)} parameters are read by no layer and left out: {', '.join(idle[:3])}{', …' * (len(idle) > 3)}")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text(file))
    return lines


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
        raise Refused(f"found '{target}', expected MODULE:CALLABLE or FILE.py:CALLABLE")
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
        raise Refused(f"{place}: {error}; give a module that Python finds or a file") from error
    made = getattr(found, attribute, None)
    made = made if isinstance(made, torch.nn.Module) else made() if callable(made) else None
    if not isinstance(made, torch.nn.Module):
        raise Refused(f"'{target}' gives no torch.nn.Module; name a module or what returns one without arguments")
    return made


def read_input(item):
    shape, _, dtype = item.partition(":")
    dtype = getattr(torch, dtype or "float32", None)
    sizes = shape.split(",")
    if not isinstance(dtype, torch.dtype) or not all(each.isdigit() and int(each) for each in sizes):
        raise Refused(f"--input: found '{item}', expected sizes and a type, the batch first, as 1,3,224,224 or 1,128:int64")
    return torch.empty([int(each) for each in sizes], dtype=dtype, device="meta")


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
        inputs = [read_input(item) for item in arguments.input]
        lines = write(load(arguments.module), inputs, arguments.output, arguments.name, arguments.strict)
    except (Refused, OSError) as error:
        print(f"from_torch: error: {error}", file=sys.stderr)
        return 1
    for line in lines:
        print(f"from_torch: {line}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
