#!/usr/bin/env python3
"""Do the published JSON Schemas say what our readers do?

Every shipped network, profile and row must satisfy its schema. Files with one thing wrong must be rejected
by the schema and by the reader (exit status 2, one line); files with one unusual but right thing must
pass both. What only the reader can know (sums over the file) is listed as such.
"""

import argparse
import copy
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

try:
    import jsonschema
    validator_class = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    sys.exit("error: this test needs a python3-jsonschema that knows draft 2020-12 "
             "(apt-get install python3-jsonschema)")

failures = []
checks = 0


def check(condition, message):
    global checks
    checks += 1
    if not condition:
        failures.append(message)


def at(document, path):
    for step in path:
        document = document[step]
    return document


class Put:
    """The document with document[path] = value; path is a list of keys and indices."""

    def __init__(self, path, value):
        self.path, self.value = path, value

    def __call__(self, document):
        at(document, self.path[:-1])[self.path[-1]] = self.value


class Drop:
    def __init__(self, path):
        self.path = path

    def __call__(self, document):
        del at(document, self.path[:-1])[self.path[-1]]


conv, relu, pool, linear = (["layers", i] for i in (0, 1, 2, 8))

NETWORK_WRONG = {
    "another format": Put(["format"], "ooc-paleo/hardware-profile"),
    "a version to come": Put(["version"], 2),
    "no layers": Put(["layers"], []),
    "no inputs": Drop(["inputs"]),
    "an unknown key at the top": Put(["colour"], "red"),
    "an unknown key in a layer": Put(conv + ["kernal"], [3, 3]),
    "a key of another kind": Put(relu + ["kernel"], [3, 3]),
    "an unknown kind": Put(relu + ["type"], "prelu"),
    "a layer without a type": Drop(relu + ["type"]),
    "a layer without a name": Drop(relu + ["name"]),
    "a slash in a name": Put(relu + ["name"], "a/b"),
    "a name that starts with @": Put(relu + ["name"], "@input"),
    "a name of 201 characters": Put(relu + ["name"], "x" * 201),
    "no filters": Drop(conv + ["filters"]),
    "zero filters": Put(conv + ["filters"], 0),
    "a fraction of a filter": Put(conv + ["filters"], 16.5),
    "a kernel of zero": Put(conv + ["kernel"], [0, 3]),
    "a kernel in words": Put(conv + ["kernel"], "3x3"),
    "padding in unknown words": Put(conv + ["padding"], "as it is"),
    "negative padding": Put(conv + ["padding"], -1),
    "a dilated pool": Put(pool + ["dilation"], 2),
    "bias that is no truth value": Put(linear + ["bias"], 1),
    "no units": Drop(linear + ["units"]),
    "an empty list of producers": Put(relu + ["inputs"], []),
    "a shape with a zero": Put(["inputs", 0, "shape"], [3, 0, 32]),
    "an empty shape": Put(["inputs", 0, "shape"], []),
    "a batch of zero": Put(["batch"], 0),
    "an unknown element type": Put(["dtype"], "int8"),
    "an unknown expectation": Put(["expect", "macs"], 1),
    "a dropout rate above 1": Put(relu, {"name": "relu1", "type": "dropout", "rate": 1.5}),
    "a custom time without a unit":
        Put(relu, {"name": "relu1", "type": "custom", "output_shape": [16, 32, 32],
                   "forward_time": 5, "backward_time": "5 ms"}),
    "custom that saves something else":
        Put(relu, {"name": "relu1", "type": "custom", "output_shape": [16, 32, 32],
                   "forward_time": "5 ms", "backward_time": "5 ms", "saves": "all"}),
    "a repeat of zero times":
        Put(relu, {"name": "relu1", "type": "repeat", "times": 0,
                   "layers": [{"name": "r", "type": "relu"}]}),
    "a repeat that scales by a number":
        Put(relu, {"name": "relu1", "type": "repeat", "times": 2, "scale": 3,
                   "layers": [{"name": "r", "type": "relu"}]}),
    "a repeat of nothing": Put(relu, {"name": "relu1", "type": "repeat", "times": 2, "layers": []}),
    "a wrong layer inside a repeat":
        Put(relu, {"name": "relu1", "type": "repeat", "times": 2,
                   "layers": [{"name": "r", "type": "relu", "units": 3}]}),
    "an empty list of outputs": Put(["outputs"], []),
    "an lstm of zero units": Put(relu, {"name": "relu1", "type": "lstm", "units": 0}),
    "three bias vectors": Put(relu, {"name": "relu1", "type": "gru", "units": 4, "bias_vectors": 3}),
    "an embedding without a width":
        Put(relu, {"name": "relu1", "type": "embedding", "vocabulary": 10}),
    "attention without heads": Put(relu, {"name": "relu1", "type": "attention"}),
    "attention without heads of keys": Put(relu, {"name": "relu1", "type": "attention", "heads": 1, "kv_heads": 0}),
    "a window of no steps":
        Put(relu, {"name": "relu1", "type": "attention", "heads": 1, "causal": True, "window": 0}),
    "a table of biases without buckets":
        Put(relu, {"name": "relu1", "type": "attention", "heads": 1, "bias_table": {"heads": 1}}),
    "a softmax in half precision":
        Put(relu, {"name": "relu1", "type": "attention", "heads": 1, "softmax": "float16"}),
    "an unknown form of a norm": Put(relu, {"name": "relu1", "type": "rms_norm", "form": "compiled"}),
    "rotary of no channels": Put(relu, {"name": "relu1", "type": "rotary", "heads": 1, "fraction": 0}),
    "a parameter that reads something":
        Put(relu, {"name": "relu1", "type": "parameter", "shape": [1], "inputs": ["conv1"]}),
    "a symbol of no size": Put(["symbols"], {"seq": 0}),
    "a symbol that begins with a digit": Put(["symbols"], {"2seq": 1}),
    "a sum of symbols": Put(linear + ["units"], "seq+1"),
    "an unknown precision": Put(["precision"], "bf8"),
    "an unknown optimizer": Put(["optimizer"], "lion"),
    "a loss of another memory":
        Put(relu, {"name": "relu1", "type": "softmax_cross_entropy", "memory": "none"}),
    "a loss of chunks of nothing":
        Put(relu, {"name": "relu1", "type": "linear_cross_entropy", "vocabulary": 3, "chunk": 0}),
    "gated by nothing": Put(relu, {"name": "relu1", "type": "gated"}),
    "an unknown kind of attention":
        Put(relu, {"name": "relu1", "type": "attention", "heads": 1, "kind": "linear"}),
    "group_norm without groups": Put(relu, {"name": "relu1", "type": "group_norm"}),
    "group_norm of no groups": Put(relu, {"name": "relu1", "type": "group_norm", "groups": 0}),
    "instance_norm with groups": Put(relu, {"name": "relu1", "type": "instance_norm", "groups": 2}),
    "matmul with a key of another kind":
        Put(relu, {"name": "relu1", "type": "matmul", "units": 4}),
}

def put_sequence(document):
    """Every kind of sequence layer, with all of its keys."""
    document["inputs"] = [{"name": "data", "shape": [5]}]
    document["layers"] = [
        {"name": "table", "type": "embedding", "vocabulary": 10, "width": 6},
        {"name": "lstm", "type": "lstm", "units": 3, "layers": 2, "bidirectional": True, "bias_vectors": 1},
        {"name": "gru", "type": "gru", "units": 12, "bias_vectors": 0},
        {"name": "self", "type": "attention", "heads": 2, "kind": "dot_product", "flash": True, "causal": True},
        {"name": "again", "type": "attention", "heads": 1, "kind": "additive", "memory_efficient": True,
         "inputs": ["self", "self"]},
        {"name": "scores", "type": "matmul", "transpose_b": True, "inputs": ["again", "again"]},
    ]
    del document["expect"]


def put_transformer(document):
    """Every key of the kinds that transformers are made of."""
    document["inputs"] = [{"name": "data", "shape": [5]}]
    document["layers"] = [
        {"name": "table", "type": "embedding", "vocabulary": 10, "width": 8, "positions": 5},
        {"name": "norm", "type": "rms_norm", "width": 4, "form": "eager"},
        {"name": "q", "type": "linear", "units": 8, "bias": False},
        {"name": "turned", "type": "rotary", "heads": 4, "fraction": "100 %", "form": "fused",
         "in_place": True},
        {"name": "k", "type": "linear", "units": 4, "inputs": ["norm"]},
        {"name": "att", "type": "attention", "heads": 4, "kv_heads": 2, "causal": True, "window": 3, "dropout": 0.1,
         "softmax": "float32", "repeat_kv": False, "bias_table": {"buckets": 3, "heads": 4}, "inputs": ["turned", "k"]},
        {"name": "gn", "type": "group_norm", "groups": 5, "affine": False},
        {"name": "in", "type": "instance_norm", "affine": True},
        {"name": "bn", "type": "batch_norm", "affine": False},
        {"name": "lr", "type": "leaky_relu", "in_place": False},
        {"name": "ln", "type": "layer_norm", "stats": True, "form": "fused", "bias": False},
        {"name": "gate", "type": "gated", "activation": "gelu", "inputs": ["ln", "table"]},
        {"name": "token", "type": "parameter", "shape": [5, 8]},
        {"name": "sum", "type": "add", "inputs": ["gate", "token"]},
        {"name": "head", "type": "linear", "units": 10, "bias": False, "tied_to": "table"},
        {"name": "loss", "type": "softmax_cross_entropy", "memory": "upcast"},
        {"name": "other", "type": "linear_cross_entropy", "vocabulary": 10, "chunk": 2, "mode": "recompute",
         "tied_to": "table", "inputs": ["sum"]},
    ]
    document["outputs"] = ["loss", "other"]
    del document["expect"]


def put_symbols(document):
    """Sizes by name, wherever sizes may stand."""
    document["symbols"] = {"seq": 6, "units_2": 4, "copies": 2}
    document["inputs"] = [{"name": "data", "shape": ["seq"]}]
    document["layers"] = [
        {"name": "table", "type": "embedding", "vocabulary": "10*seq", "width": "units_2"},
        {"name": "blocks", "type": "repeat", "times": "copies",
         "layers": [{"name": "linear", "type": "linear", "units": "2*units_2"}]},
        {"name": "part", "type": "slice", "axis": 0, "begin": 0, "end": "seq"},
        {"name": "flat", "type": "reshape", "shape": ["seq", -1]},
    ]
    del document["expect"]


NETWORK_RIGHT = {
    "as it is": lambda document: None,
    "one number for all dimensions": Put(conv + ["kernel"], 3),
    "padding in words": Put(conv + ["padding"], "same"),
    "an integer with an exponent": Put(linear + ["units"], 1e1),
    "a batch": Put(["batch"], 32),
    "explicit in place": Put(relu + ["in_place"], False),
    "another element type": Put(["dtype"], "float16"),
    "a repeat":
        Put(relu, {"name": "relu1", "type": "repeat", "times": 3,
                   "layers": [{"name": "r", "type": "relu"}]}),
    "a repeat that scales":
        Put(relu, {"name": "relu1", "type": "repeat", "times": 3, "scale": True,
                   "layers": [{"name": "r", "type": "relu"}]}),
    "a custom layer":
        Put(relu, {"name": "relu1", "type": "custom", "output_shape": [16, 32, 32],
                   "forward_time": "5 ms", "backward_time": "1e-2 s", "workspace": "1 MiB"}),
    "sequence layers": put_sequence,
    "layers of transformers": put_transformer,
    "sizes by name": put_symbols,
    "a precision and an optimizer": lambda document: document.update(precision="amp-fp16", optimizer="adam8"),
}

# Wrong, but only a reader can see it: the schema must not pretend to.
NETWORK_READER_ONLY = {
    "an unknown producer": Put(relu + ["inputs"], ["nobody"]),
    "a name for two layers": Put(relu + ["name"], "conv1"),
    "a false expectation": Put(["expect", "parameters"], 1),
    "a size by an unknown name": Put(linear + ["units"], "seq"),
    "a symbol that nobody uses": Put(["symbols"], {"seq": 4}),
    "tied to nobody": Put(linear + ["tied_to"], "nobody"),
    "a layer that nobody reads": Put(pool + ["inputs"], ["conv1"]),
}

pinned = ["connection", "modes", "pinned"]

KERNELS = {"architecture": "volta", "multiprocessors": 80, "sustained": {"float32": 0.94}}


def put_kernels(**changes):
    """An architecture in place of shares, with other values; None takes a key away."""
    def change(document):
        compute = {"peak": document["compute"]["peak"], **KERNELS, **changes}
        document["compute"] = {key: value for key, value in compute.items() if value is not None}
        document["provenance"] = [{"fields": "*", "kind": "assumed", "source": "made up for a test"}]
    return change


PROFILE_WRONG = {
    "another format": Put(["format"], "ooc-paleo/network"),
    "a version to come": Put(["version"], 2),
    "an unknown key at the top": Put(["device"], 1),
    "no provenance": Drop(["provenance"]),
    "an unknown kind of provenance": Put(["provenance", 0, "kind"], "guessed"),
    "provenance without a source": Drop(["provenance", 0, "source"]),
    "a size without a unit": Put(["near_memory", "capacity"], 16),
    "a size with a bare number as text": Put(["near_memory", "capacity"], "16"),
    "an ambiguous unit": Put(["near_memory", "capacity"], "16000000 KB"),
    "a negative size": Put(["near_memory", "capacity"], "-16 GiB"),
    "two spaces before the unit": Put(["near_memory", "capacity"], "16  GiB"),
    "a size where a rate belongs": Put(["near_memory", "throughput"], "900 GB"),
    "FLOPS for FLOP/s": Put(["compute", "peak", "float32"], "15.7 TFLOPS"),
    "an unknown element type": Put(["compute", "peak", "int4"], "1 PFLOP/s"),
    "no peak": Put(["compute", "peak"], {}),
    "an efficiency of zero": Put(["compute", "efficiency", "conv"], 0),
    "an efficiency above 1": Put(["compute", "efficiency", "conv"], 1.2),
    "no default efficiency": Drop(["compute", "efficiency", "default"]),
    "an efficiency curve without units":
        Put(["compute", "efficiency", "conv"], {"curve": [[1e6, 0.2], [1e9, 0.6]]}),
    "a reserve of the far memory without a unit": Put(["far_memory", "reserved"], 1),
    "a duplex ratio above 1": Put(["connection", "duplex"], 1.1),
    "a duplex ratio below one half": Put(["connection", "duplex"], 0.4),
    "a share of one direction alone": Put(["connection", "duplex"], {"to_near": 0.5}),
    "a share of no direction": Put(["connection", "duplex"], {"to_near": 0.5, "to_far": 0.9, "both": 1}),
    "a share of zero": Put(["connection", "duplex"], {"to_near": 0, "to_far": 1}),
    "a share above 1": Put(["connection", "duplex"], {"to_near": 0.9, "to_far": 1.1}),
    "a range of one rate": Put(pinned + ["to_near", "range"], ["10 GB/s"]),
    "a range of sizes": Put(pinned + ["to_near", "range"], ["10 GB", "13 GB"]),
    "a range of a memory": Put(["near_memory", "range"], ["800 GB/s", "900 GB/s"]),
    "an unknown mode": Put(["connection", "modes", "zero_copy"],
                           {"to_near": {"throughput": "1 GB/s", "latency": "1 us"},
                            "to_far": {"throughput": "1 GB/s", "latency": "1 us"}}),
    "no mode": Put(["connection", "modes"], {}),
    "a page in a pinned mode": Put(pinned + ["page"], "64 KiB"),
    "a block in a pinned mode": Put(pinned + ["grows_to"], "2 MiB"),
    "on-demand paging without a page": Drop(["connection", "modes", "unified_fault", "page"]),
    "a direction that is missing": Drop(pinned + ["to_far"]),
    "a curve of one point": Put(pinned + ["to_far"], {"curve": [["4 KiB", "9 us"]]}),
    "a curve beside a latency":
        Put(pinned + ["to_far"],
            {"curve": [["4 KiB", "9 us"], ["1 MiB", "90 us"]], "latency": "9 us"}),
    "a point of three": Put(pinned + ["to_far"],
                            {"curve": [["4 KiB", "9 us", 3], ["1 MiB", "90 us"]]}),
    "zero devices": Put(["devices"], 0),
    "an architecture without multiprocessors": put_kernels(multiprocessors=None),
    "no multiprocessors": put_kernels(multiprocessors=0),
    "an architecture beside shares": put_kernels(efficiency={"default": 0.5, "memory": 0.5}),
    "more than the peak": put_kernels(sustained={"float32": 1.1}),
    "a share of an unknown type": put_kernels(sustained={"int4": 0.5}),
}

PROFILE_RIGHT = {
    "as it is": lambda document: None,
    "a ratio in percent": Put(["compute", "efficiency", "conv"], "70 %"),
    "an efficiency curve":
        Put(["compute", "efficiency", "conv"], {"curve": [["1 MFLOP", 0.2], ["1 GFLOP", 0.6]]}),
    "a memory efficiency curve":
        Put(["compute", "efficiency", "memory"], {"curve": [["1 MiB", 0.2], ["1 GiB", "60 %"]]}),
    "an infinite rate": Put(["connection", "theoretical"], "inf"),
    "a share for each direction": Put(["connection", "duplex"], {"to_near": 0.5, "to_far": "96 %"}),
    "a rate with its range": Put(pinned + ["to_near", "range"], ["10 GB/s", "13 GB/s"]),
    "bits": Put(pinned + ["to_far", "throughput"], "96 Gbit/s"),
    "the other micro": Put(["compute", "kernel_launch"], "5 \u00b5s"),
    "no space before the unit": Put(["near_memory", "capacity"], "16GiB"),
    "a measured curve":
        Put(pinned + ["to_far"], {"curve": [["4 KiB", "9 us"], ["1 MiB", "96 us"], ["1 GiB", "85 ms"]]}),
    "an architecture": put_kernels(),
    "an architecture's own shares": put_kernels(sustained=None),
    "what calibrate keeps": Put(["samples"], [{"bytes": 4096, "median_ns": 9100.5}]),
}

PROFILE_READER_ONLY = {
    "an architecture that nobody knows": put_kernels(architecture="fermi"),
    "a number without provenance": Put(["provenance", 0, "fields"], "compute.peak.float32"),
    "provenance of nothing": Put(["provenance", 0, "fields"], "compute.paek"),
    "a reserve as large as the memory": Put(["near_memory", "reserved"], "16 GiB"),
    "a curve that falls": Put(pinned + ["to_far"], {"curve": [["4 KiB", "90 us"], ["1 MiB", "9 us"]]}),
    "a size beyond its limit": Put(["near_memory", "capacity"], "1e30 GiB"),
    "a duplex ratio below taking turns": Put(["connection", "duplex"], 0.5),
    "shares below taking turns": Put(["connection", "duplex"], {"to_near": 0.4, "to_far": 0.5}),
    "a range beside the throughput": Put(pinned + ["to_near", "range"], ["13 GB/s", "14 GB/s"]),
    "a range that falls": Put(pinned + ["to_near", "range"], ["13 GB/s", "10 GB/s"]),
}



MEASURED_WRONG = {
    "no software": Drop(["software"]),
    "no rows": Put(["rows"], []),
    "an unknown key in a row": Put(["rows", 0, "seconds"], 1),
    "a time beside a rate": Put(["rows", 0, "time"], "1 s"),
    "neither time nor rate": Drop(["rows", 0, "samples_per_s"]),
    "a role that is none": Put(["role"], "good"),
    "a version in words": Put(["software", "mxnet", "cudnn"], "five"),
    "no batch": Put(["rows", 0, "batch"], 0),
}
MEASURED_RIGHT = {
    "no goal": Drop(["goal"]),
    "conditions": Put(["conditions"], "warm"),
}
MEASURED_READER_ONLY = {
    "software that is not there": Put(["rows", 0, "software"], "torch9"),
    "a time without unit": Put(["rows", 0], {"network": "resnet50", "batch": 96, "software": "mxnet", "time": "5"}),
}

row0, row1 = (["rows", i] for i in (0, 1))  # of M4: a tolerance and a band
ROW_WRONG = {
    "another format": Put(["format"], "ooc-paleo/network"),
    "a version to come": Put(["version"], 2),
    "no id": Drop(["id"]),
    "an empty title": Put(["title"], ""),
    "no rows": Put(["rows"], []),
    "an unknown key at the top": Put(["tolerance"], 1),
    "an unknown key in a row": Put(row0 + ["expected"], 1),
    "an unknown key in all": Put(["all", "expected"], 1),
    "an unknown kind": Put(row0 + ["kind"], "tight"),
    "an unknown command": Put(row0 + ["command"], "sweep"),
    "a job with a list": Put(row0 + ["job"], {"network": ["vgg16"]}),
    "an empty axis": Put(["axis"], ""),
    "a tolerance of nothing": Drop(row0 + ["published"]),
    "a negative tolerance": Put(row0 + ["tolerance"], -0.1),
    "a tolerance in words": Put(row0 + ["tolerance"], "a bit"),
    "a band of three": Put(row1 + ["between"], [1, 2, 3]),
    "a band without ends": Put(row1 + ["between"], [None, None]),
    "a ratio to itself": Put(row0 + ["against"], {}),
    "a ratio and a difference": Put(row0, {"name": "n", "against": {"metric": "a"}, "minus": {"metric": "a"}}),
    "a mark that is true": Put(row0 + ["known"], True),
}

ROW_RIGHT = {
    "as it is": lambda document: None,
    "a tolerance as a number": Put(row0 + ["tolerance"], 0.05),
    "an axis": Put(["axis"], "batch, images"),
    "an open end": Put(row1 + ["between"], [None, 20]),
    "a ratio": Put(row0 + ["against"], {"job": {"network": "resnet50_v1"}}),
    "a difference": Put(row0 + ["minus"], {"metric": "batch"}),
    "only reported": Drop(row0 + ["tolerance"]),
    "a mark": Put(row0 + ["known"], "because"),
    "a source of its own": Put(row0 + ["source"], "another"),
}

ROW_READER_ONLY = {
    "no kind": Drop(row0 + ["kind"]),
    "no metric": Drop(row0 + ["metric"]),
    "an unknown metric": Put(row0 + ["metric"], "max_bath"),
    "an unknown flag": Put(row0 + ["job", "schedul"], "in-core"),
    "a flag about output": Put(row0 + ["job", "format"], "csv"),
    "two rows of one name": Put(row1 + ["name"], "largest batch"),
}


STUDY_WRONG = {
    "another format": Put(["format"], "ooc-paleo/jobs"),
    "a version to come": Put(["version"], 2),
    "no networks": Put(["network"], []),
    "an unknown axis": Put(["sequence"], 5),
    "a size without unit": Put(["memory"], 16),
    "an empty list": Put(["batch"], []),
    "a truth as a rate": Put(["link"], True),
    "a list in a list": Put(["link"], [["8 GB/s"]]),
    "zip as a word": Put(["zip"], "yes"),
    "an option that is a list": Put(["optimizer"], ["adam", "sgd"]),
    "an option of a study of before": Put(["options"], {"optimizer": "adam"}),
    "an unknown option": Put(["optimiser"], "adam"),
    "an option of results": Put(["output"], "r.csv"),
    "a size in another unit": Put(["far_memory_bytes"], "16 GB"),
}
STUDY_RIGHT = {
    "as it is": lambda document: None,
    "names alone": Put(["hardware"], ["v100-16gb-pcie3", "m40"]),
    "ranges in a list": Put(["batch"], [64, "100:200:+50"]),
    "a latency": Put(["latency"], ["0 us", "5 us"]),
    "an infinite link": Put(["link"], "inf"),
    "percent": Put(["duplex"], ["85 %", 1]),
    "devices": Put(["devices"], "1:4:x2"),
    "a framework": Put(["framework"], ["ideal", "pytorch-2"]),
    "far memory": Put(["far_memory"], ["64 GiB", "128 GiB"]),
    "zipped": Put(["zip"], False),
    "a number in the unit of its key": Put(["far_memory_bytes"], 64000000000),
    "what is not given": Put(["latency_ns"], None),
    "an option of a schedule": Put(["sub_batch"], "1/2"),
}
STUDY_READER_ONLY = {
    "a length of nothing": Put(["seq"], 0),
    "a precision that is a number": Put(["precision"], 16),
    "half a sample": Put(["batch"], 0.5),
    "a batch of nothing": Put(["batch"], [0]),
    "a scale of nothing": Put(["compute_scale"], 0),
    "a network that is not there": Put(["network"], "vgg17"),
    "no machine": Drop(["hardware"]),
    "a value twice": Put(["batch"], [64, 64]),
    "a range that falls": Put(["batch"], "64:32:x2"),
    "lists of two lengths": Put(["zip"], True),
    "more than one keeps of a link": Put(["duplex"], 1.5),
}


attention = ["layers", 4, "layers", 2]

FAMILY_WRONG = {
    "another format": Put(["format"], "ooc-paleo/network"),
    "an unknown key at the top": Put(["head"], "Model"),
    "an unknown field of a key": Put(["keys", "n_embd", "at_most"], 5),
    "an unknown kind of key": Put(["keys", "n_embd", "is"], "size"),
    "an unknown field of a symbol": Put(["symbols", "seq", "most"], 5),
    "a layer without a type": Drop(attention + ["type"]),
    "a condition that is no text": Put(attention + ["if"], True),
    "a requirement without a key": Drop(["require", 0, "key"]),
}
FAMILY_RIGHT = {
    "as it is": lambda document: None,
    "a part of another file": Put(attention, {"part": "first_token", "if": "false"}),
    "other names of a key": Put(["keys", "n_embd", "key"], ["hidden_size", "n_embd"]),
}
FAMILY_READER_ONLY = {
    "half an expression": Put(attention + ["heads"], "=n_head +"),
    "half an expression that nobody needs": Put(attention + ["if"], "false and (n_head"),
    "a name that means nothing": Put(attention + ["heads"], "=n_heads"),
    "a base that is not there": Put(["base"], "transformers"),
    "a part that is not there": Put(attention, {"part": "attention"}),
    "a value that needs itself": Put(["values"], {"n_embd": "=n_head * 4", "n_head": "=n_embd / 4"}),
}


class Reader:
    """Our reader, through the program."""

    def __init__(self, program, source, folder):
        self.program, self.source, self.folder = program, source, pathlib.Path(folder)

    def rejects(self, kind, document):
        path = self.folder / ("networks/families/file.json" if kind == "family" else "file.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), encoding="utf-8")
        if kind == "network":
            command = [self.program, "inspect", str(path)]
        elif kind == "study":
            command = [self.program, "sweep", str(path), "--dry-run", "--quiet"]
        elif kind in ("row", "measured"):
            command = [self.program, "validate", str(path)]
        elif kind == "family":
            config = self.folder / "config.json"
            config.write_text('{"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 4, "vocab_size": 9}')
            command = [self.program, "import", str(config)]
        else:
            network = str(self.source / "networks" / "example_skip.json")
            command = [self.program, "predict", network, "--hardware", str(path), "--batch", "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                              env=os.environ | ({"OOC_PALEO_DATA": str(self.folder)} if kind == "family" else {}))
        check(done.returncode in (0, 2, 3, 4), f"{kind}: exit status {done.returncode}: {done.stderr}")
        if done.returncode == 2:
            check(str(path) in done.stderr, f"{kind}: the error does not name the file: {done.stderr}")
        return done.returncode == 2 or "refused: " in done.stdout, done.stderr.strip()


def compare(kind, validator, reader, base, cases, schema_rejects, reader_rejects):
    for name, change in cases.items():
        document = copy.deepcopy(base)
        change(document)
        errors = [error.message for error in validator.iter_errors(document)]
        check(bool(errors) == schema_rejects,
              f"{kind}, {name}: the schema {'rejects: ' + errors[0] if errors else 'accepts'}")
        rejected, message = reader.rejects(kind, document)
        check(rejected == reader_rejects,
              f"{kind}, {name}: the reader {'rejects: ' + message if rejected else 'accepts'}")


def distinct(layers):
    """One layer of each kind and attributes: four of five differ from another in name and inputs alone, which the
    reader checks of every shipped network, and a layer takes a millisecond."""
    return list({json.dumps({**layer, "name": "", "inputs": []}, sort_keys=True): layer for layer in layers}.values())


def check_shipped(path, folder="."):
    """The schema's validator; every shipped file beside it, or in that folder, satisfies it and names it."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    beside = sorted(p for p in (path.parent / folder).glob("*.json") if not p.name.endswith(".schema.json"))
    shipped = 0
    for file in beside:
        document = json.loads(file.read_text(encoding="utf-8"))
        named = document.get("$schema", "")
        check((file.parent / named).is_file(), f"{file.name}: names no $schema")
        if (file.parent / named).resolve() != path.resolve():
            continue
        shipped += 1
        if "layers" in document:
            document["layers"] = distinct(document["layers"])
        errors = [e.json_path + ": " + e.message for e in validator.iter_errors(document)]
        check(not errors, f"{file.name}: {errors[:1]}")
    check(shipped > 0, f"no files of {path.name} in {path.parent}")
    return validator


def check_new_profile(program, validator):
    """What `hardware new` writes satisfies the schema, whatever was given."""
    least = ["--architecture", "ampere", "--multiprocessors", "82", "--peak", "float32=35.6TFLOP/s", "--memory", "24GiB",
             "--memory-rate", "936GB/s"]
    more = ["--sustained", "float32=0.95", "--cudnn", "8.1", "--far-memory", "64GiB", "--source", "a data sheet"]
    before_pascal = ["--architecture", "maxwell", "--multiprocessors", "24", "--peak", "float32=6.84TFLOP/s",
                     "--memory", "12GiB", "--memory-rate", "288GB/s"]
    for arguments in (least + ["--link", "pcie4x16"], least + more + ["--link", "20GB/s"],
                      before_pascal + ["--link", "pcie3x8"]):
        done = subprocess.run([program, "hardware", "new", "mine", *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        check(done.returncode == 0, f"hardware new: {done.stderr}")
        errors = [e.json_path + ": " + e.message for e in validator.iter_errors(json.loads(done.stdout))]
        check(not errors, f"hardware new {arguments}: {errors[:1]}")


def check_policies(program, source):
    """What `predict --export-policy` writes satisfies the schema; with one thing wrong it does not."""
    schema = json.loads((source / "networks" / "policy.schema.json").read_text(encoding="utf-8"))
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    said = subprocess.run([program, "schema", "policy"], capture_output=True, text=True, timeout=60, check=False).stdout
    check(said == (source / "networks" / "policy.schema.json").read_text(encoding="utf-8"), "schema policy is not that file")
    actions = set()
    for schedule in ("capacity", "superneurons", "checkpoint"):
        done = subprocess.run([program, "predict", "resnet50", "--hardware", "v100-16gb-pcie3", "--batch", "256", "--schedule",
                               schedule, "--quiet", "--export-policy", "-", "-o", "/dev/null"],
                              capture_output=True, text=True, timeout=60, check=False)
        document = json.loads(done.stdout)
        errors = [e.json_path + ": " + e.message for e in validator.iter_errors(document)]
        check(not errors, f"policy of {schedule}: {errors[:1]}")
        actions |= {tensor["action"] for tensor in document["tensors"]}
    check(actions == {"keep", "offload", "recompute"}, f"policies with {actions}")
    kept = next(i for i, tensor in enumerate(document["tensors"]) if tensor["action"] == "keep")
    for change in (Put(["tensors", kept, "action"], "compress"), Put(["tensors", kept, "back_at"], "conv1"), Drop(["layers"]),
                   Drop(["tensors", kept, "saved"]), Put(["version"], 2)):
        wrong = copy.deepcopy(document)
        change(wrong)
        check(not validator.is_valid(wrong), f"the schema takes a policy with {change.path} {getattr(change, 'value', 'gone')}")


def check_snapshot(program, folder):
    """--memory-snapshot: what pickle reads has the run's peak, and no two blocks in one place."""
    for more in ([], ["--devices", "2"], ["--state", "zero-infinity", "--optimizer", "adam"], ["--schedule", "unified"]):
        snapshot, result = folder / "memory.pickle", folder / "memory.json"
        subprocess.run([program, "predict", "alexnet", "--hardware", "p100-pcie3", "--batch", "256", "--memory", "1GB", "--quiet",
                        "--memory-snapshot", snapshot, "-o", result, *more], check=True)
        data = pickle.loads(snapshot.read_bytes())
        live, now, peak = {}, 0, 0
        for event in data["device_traces"][0]:
            start, size = event["addr"], event["size"]
            if event["action"] == "alloc":
                apart = all(start + size <= other or other + live[other] <= start for other in live)
                check(apart, f"snapshot {more}: {event} over another block")
                live[start] = size
                now += size
                peak = max(peak, now)
            elif event["action"] == "free_completed":
                check(live.pop(start) == size, f"snapshot {more}: {event} is not what was allocated")
                now -= size
        check(peak == json.loads(result.read_text())["peak_near_bytes"], f"snapshot {more}: a peak of {peak}")
        blocks = data["segments"][0]["blocks"]
        active = {block["address"]: block["size"] for block in blocks if block["state"] == "active_allocated"}
        check(active == live, f"snapshot {more}: its segment is not what was left")
        check(sum(block["size"] for block in blocks) == data["segments"][0]["total_size"], f"snapshot {more}: a gap")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    kinds = {
        "network": ("networks/network.schema.json", "networks/example_skip.json",
                    NETWORK_WRONG, NETWORK_RIGHT, NETWORK_READER_ONLY),
        "profile": ("hwprofiles/hwprofile.schema.json", "tests/data/machine_of_shares.json",
                    PROFILE_WRONG, PROFILE_RIGHT, PROFILE_READER_ONLY),
        "row": ("validation/figures.schema.json", "validation/M4.json", ROW_WRONG, ROW_RIGHT, ROW_READER_ONLY),
        "study": ("studies/study.schema.json", "studies/link_or_memory.json", STUDY_WRONG, STUDY_RIGHT, STUDY_READER_ONLY),
        "family": ("networks/family.schema.json", "networks/families/gpt2.json", FAMILY_WRONG, FAMILY_RIGHT, FAMILY_READER_ONLY),
        "measured": ("validation/measured.schema.json", "validation/networks-float32-v100.json",
                     MEASURED_WRONG, MEASURED_RIGHT, MEASURED_READER_ONLY),
    }
    check_shipped(arguments.source / "hwprofiles/architectures/architecture.schema.json")
    check_shipped(arguments.source / "hwprofiles/links/link.schema.json")
    check_shipped(arguments.source / "hwprofiles/software/framework.schema.json")
    check_policies(arguments.program, arguments.source)
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(arguments.program, arguments.source, folder)
        for kind, (schema_path, base_path, wrong, right, reader_only) in kinds.items():
            validator = check_shipped(arguments.source / schema_path, "families" if kind == "family" else ".")
            if kind == "profile":
                check_new_profile(arguments.program, validator)
            base = json.loads((arguments.source / base_path).read_text(encoding="utf-8"))
            compare(kind, validator, reader, base, wrong, True, True)
            compare(kind, validator, reader, base, right, False, False)
            compare(kind, validator, reader, base, reader_only, False, True)
        check_snapshot(arguments.program, pathlib.Path(folder))
    for failure in failures:
        print("FAILED:", failure)
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
