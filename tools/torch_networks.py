#!/usr/bin/env python3
"""Writes networks of networks/ with scripts/from_torch.py (PyTorch and torchvision; made with 1.13 and 0.14).

    tools/torch_networks.py [NAME ...]

NETWORKS has all of them. Those that torchvision lacks are written out below from their papers and published configurations.
Attention is F.scaled_dot_product_attention, which PyTorch runs as one kernel from 2.0 on.
"""
import functools
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Module, ModuleList, Sequential, SiLU

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import from_torch  # noqa: E402

Conv2d, Linear, GroupNorm, LayerNorm = (functools.partial(kind, device="meta")  # takes no memory
                                        for kind in (nn.Conv2d, nn.Linear, nn.GroupNorm, nn.LayerNorm))
if not hasattr(F, "scaled_dot_product_attention"):
    F.scaled_dot_product_attention = lambda q, k, v: (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v


class ConvUnit(Sequential):
    """Convolution, batch norm, SiLU."""

    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__(Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), SiLU(True))


class Bottleneck(Module):
    def __init__(self, width, residual):
        super().__init__()
        self.residual, self.cv1, self.cv2 = residual, ConvUnit(width, width, 3), ConvUnit(width, width, 3)

    def forward(self, x):
        y = self.cv2(self.cv1(x))
        return x + y if self.residual else y


class C2f(Module):
    """YOLOv8's cross-stage block: every bottleneck's output goes into the last convolution."""

    def __init__(self, inputs, outputs, count, residual):
        super().__init__()
        self.cv1, self.cv2 = ConvUnit(inputs, outputs), ConvUnit((2 + count) * outputs // 2, outputs)
        self.m = ModuleList(Bottleneck(outputs // 2, residual) for _ in range(count))

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for block in self.m:
            parts.append(block(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


class PyramidPool(Module):
    def __init__(self, width):
        super().__init__()
        self.cv1, self.cv2, self.pool = ConvUnit(width, width // 2), ConvUnit(2 * width, width), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


class Yolo(Module):
    """YOLOv8 (Ultralytics' yolov8.yaml) as it trains: boxes in 16 bins a side, class scores, three strides, no decoding."""

    def __init__(self, widths=(32, 64, 128, 256, 512), counts=(1, 2, 2, 1), classes=80):
        super().__init__()
        self.stem, w = ConvUnit(3, widths[0], 3, 2), widths
        self.stages = ModuleList(Sequential(ConvUnit(w[i], w[i + 1], 3, 2), C2f(w[i + 1], w[i + 1], n, True))
                                 for i, n in enumerate(counts))
        self.spp, n = PyramidPool(w[4]), counts[0]
        self.up4, self.up3 = C2f(w[4] + w[3], w[3], n, False), C2f(w[3] + w[2], w[2], n, False)
        self.down3, self.down4 = ConvUnit(w[2], w[2], 3, 2), ConvUnit(w[3], w[3], 3, 2)
        self.out4, self.out5 = C2f(w[2] + w[3], w[3], n, False), C2f(w[3] + w[4], w[4], n, False)
        boxes, scores = max(16, w[2] // 4, 64), max(w[2], min(classes, 100))
        self.boxes, self.scores = (ModuleList(
            Sequential(ConvUnit(each, width, 3), ConvUnit(width, width, 3), Conv2d(width, outputs, 1)) for each in w[2:])
            for width, outputs in ((boxes, 64), (scores, classes)))

    def forward(self, x):
        x = self.stages[0](self.stem(x))
        p3 = self.stages[1](x)
        p4 = self.stages[2](p3)
        p5 = self.spp(self.stages[3](p4))
        up4 = self.up4(torch.cat((F.interpolate(p5, scale_factor=2), p4), 1))
        p3 = self.up3(torch.cat((F.interpolate(up4, scale_factor=2), p3), 1))
        p4 = self.out4(torch.cat((self.down3(p3), up4), 1))
        p5 = self.out5(torch.cat((self.down4(p4), p5), 1))
        return [torch.cat((box(p), score(p)), 1) for p, box, score in zip((p3, p4, p5), self.boxes, self.scores)]


class Attention(Module):
    def __init__(self, width, context, heads, bias=False):
        super().__init__()
        self.heads, self.to_q, self.to_out = heads, Linear(width, width, bias=bias), Linear(width, width)
        self.to_k, self.to_v = Linear(context, width, bias=bias), Linear(context, width, bias=bias)

    def forward(self, x, context):
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for t in (self.to_q(x), self.to_k(context), self.to_v(context)))
        return self.to_out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Gated(Module):
    def __init__(self, width):
        super().__init__()
        self.proj, self.out = Linear(width, 8 * width), Linear(4 * width, width)

    def forward(self, x):
        x, gate = self.proj(x).chunk(2, -1)
        return self.out(x * F.gelu(gate))


class TextBlock(Module):
    """Attention within the image, to the text, and a gated MLP."""

    def __init__(self, width, context, heads):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = LayerNorm(width), LayerNorm(width), LayerNorm(width)
        self.attn1, self.attn2 = Attention(width, width, heads), Attention(width, context, heads)
        self.ff = Gated(width)

    def forward(self, x, text):
        y = self.norm1(x)
        x = x + self.attn1(y, y)
        x = x + self.attn2(self.norm2(x), text)
        return x + self.ff(self.norm3(x))


class TextTransformer(Module):
    def __init__(self, width, context, heads, depth):
        super().__init__()
        self.norm, self.proj_in, self.proj_out = GroupNorm(32, width, 1e-6), Linear(width, width), Linear(width, width)
        self.blocks = ModuleList(TextBlock(width, context, heads) for _ in range(depth))

    def forward(self, x, text):
        tokens = self.proj_in(self.norm(x).flatten(2).transpose(1, 2))
        for block in self.blocks:
            tokens = block(tokens, text)
        return x + self.proj_out(tokens).transpose(1, 2).reshape(x.shape)


class Residual(Module):
    def __init__(self, inputs, outputs, time):
        super().__init__()
        self.norm1, self.conv1, self.time = GroupNorm(32, inputs), Conv2d(inputs, outputs, 3, padding=1), Linear(time, outputs)
        self.norm2, self.conv2 = GroupNorm(32, outputs), Conv2d(outputs, outputs, 3, padding=1)
        self.skip = Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(y)))


class UNet(Module):
    """Latent diffusion's U-Net (Rombach et al., arXiv:2112.10752). `depths`: text blocks by level; `heads`: by level.
    `extra`: channels of SDXL's embedding of size and pooled text. The sines of the time step are an input."""

    def __init__(self, widths, depths, heads, context, middle, extra=0):
        super().__init__()
        time = 4 * widths[0]
        self.time = Sequential(Linear(widths[0], time), SiLU(), Linear(time, time))
        self.extra = Sequential(Linear(extra, time), SiLU(), Linear(time, time)) if extra else None
        self.conv_in, self.down, self.up, skips, x = Conv2d(4, widths[0], 3, padding=1), ModuleList(), ModuleList(), [widths[0]], widths[0]
        levels = list(zip(widths, depths, heads))

        def transformer(width, depth, count):
            return TextTransformer(width, context, count, depth) if depth else nn.Identity()
        for level, (width, depth, count) in enumerate(levels):
            for _ in range(2):
                self.down.append(ModuleList([Residual(x, width, time), transformer(width, depth, count)]))
                skips.append(x := width)
            if level + 1 < len(levels):
                self.down.append(ModuleList([Conv2d(x, x, 3, 2, 1)]))
                skips.append(x)
        self.mid = ModuleList([Residual(x, x, time), transformer(x, middle, heads[-1]), Residual(x, x, time)])
        for level, (width, depth, count) in reversed(list(enumerate(levels))):
            for _ in range(3):
                self.up.append(ModuleList([Residual(x + skips.pop(), width, time), transformer(width, depth, count)]))
                x = width
            if level:
                self.up.append(ModuleList([Conv2d(x, x, 3, padding=1)]))
        self.norm_out, self.conv_out = GroupNorm(32, x), Conv2d(x, 4, 3, padding=1)

    def stage(self, modules, x, time, text):
        if len(modules) == 1:
            return modules[0](x)
        x = modules[0](x, time)
        return modules[1](x, text) if isinstance(modules[1], TextTransformer) else x

    def forward(self, x, sines, text, extra=None):
        time = self.time(sines) if extra is None else self.time(sines) + self.extra(extra)
        x = self.conv_in(x)
        skips = [x]
        for modules in self.down:
            x = self.stage(modules, x, time, text)
            skips.append(x)
        x = self.mid[2](self.stage(self.mid, x, time, text), time)
        for modules in self.up:
            x = torch.cat((x, skips.pop()), 1) if len(modules) > 1 else F.interpolate(x, scale_factor=2)
            x = self.stage(modules, x, time, text)
        return self.conv_out(F.silu(self.norm_out(x)))


class DitBlock(Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = (LayerNorm(width, 1e-6, elementwise_affine=False) for _ in range(2))
        self.attn, self.change = Attention(width, width, heads, True), Linear(width, 6 * width)
        self.mlp = Sequential(Linear(width, 4 * width), nn.GELU("tanh"), Linear(4 * width, width))

    def forward(self, x, given):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.change(F.silu(given))[:, None].chunk(6, 2)
        y = self.norm1(x) * (1 + scale1) + shift1
        x = x + gate1 * self.attn(y, y)
        return x + gate2 * self.mlp(self.norm2(x) * (1 + scale2) + shift2)


class TimeAndLabel(Module):
    def __init__(self, width, classes):
        super().__init__()
        self.time, self.labels = Sequential(Linear(256, width), SiLU(), Linear(width, width)), nn.Embedding(classes, width)

    def forward(self, sines, label):
        return self.time(sines) + self.labels(label)[:, 0]


class Dit(Module):
    """Diffusion transformer (Peebles & Xie, arXiv:2212.09748) of 28 blocks on patches of 2x2, with learned variances. The
    sines of the time step are an input."""

    def __init__(self, width=1152, depth=28, heads=16, tokens=256, classes=1001):
        super().__init__()
        self.patch, self.given = Conv2d(4, width, 2, 2), TimeAndLabel(width, classes)
        self.places = nn.Parameter(torch.empty(tokens, width), requires_grad=False)
        self.blocks = ModuleList(DitBlock(width, heads) for _ in range(depth))
        self.norm, self.change = LayerNorm(width, 1e-6, elementwise_affine=False), Linear(width, 2 * width)
        self.head = Linear(width, 32)

    def forward(self, x, sines, label):
        x, given = self.patch(x).flatten(2).transpose(1, 2) + self.places, self.given(sines, label)
        for block in self.blocks:
            x = block(x, given)
        shift, scale = self.change(F.silu(given))[:, None].chunk(2, 2)
        x = self.head(self.norm(x) * (1 + scale) + shift)
        return x.reshape(-1, 16, 16, 2, 2, 8).permute(0, 5, 1, 3, 2, 4).reshape(-1, 8, 32, 32)


def of_torchvision(name):
    import torchvision
    return getattr(torchvision.models, name)(weights=None)


def image(name, size, paper):
    return lambda: of_torchvision(name), [f"1,3,{size},{size}"], f"{paper}, as torchvision `{name}`"


NETWORKS = {
    "efficientnet_b0": image("efficientnet_b0", 224, "Tan & Le, arXiv:1905.11946"),
    "efficientnet_b4": image("efficientnet_b4", 380, "Tan & Le, arXiv:1905.11946"),
    "efficientnet_v2_s": image("efficientnet_v2_s", 384, "Tan & Le, arXiv:2104.00298"),
    "mobilenet_v3_large": image("mobilenet_v3_large", 224, "Howard et al., arXiv:1905.02244"),
    "regnet_y_16gf": image("regnet_y_16gf", 224, "Radosavovic et al., arXiv:2003.13678"),
    "resnext50_32x4d": image("resnext50_32x4d", 224, "Xie et al., arXiv:1611.05431"),
    "resnext101_32x8d": image("resnext101_32x8d", 224, "Xie et al., arXiv:1611.05431"),
    "convnext_tiny": image("convnext_tiny", 224, "Liu et al., arXiv:2201.03545"),
    "convnext_base": image("convnext_base", 224, "Liu et al., arXiv:2201.03545"),
    "swin_t": image("swin_t", 224, "Liu et al., arXiv:2103.14030"),
    "swin_b": image("swin_b", 224, "Liu et al., arXiv:2103.14030"),
    "yolov8s": (Yolo, ["1,3,640,640"], "Ultralytics' yolov8.yaml, scale s, in training"),
    "sd15-unet": (lambda: UNet((320, 640, 1280, 1280), (1, 1, 1, 0), (8, 8, 8, 8), 768, 1),
                  ["1,4,64,64", "1,320", "1,77,768"], "U-Net of Stable Diffusion 1.5: Rombach et al., arXiv:2112.10752"),
    "sdxl-unet": (lambda: UNet((320, 640, 1280), (0, 2, 10), (5, 10, 20), 2048, 10, 2816),
                  ["1,4,128,128", "1,320", "1,77,2048", "1,2816"], "U-Net of SDXL: Podell et al., arXiv:2307.01952"),
    "dit-xl-2": (Dit, ["1,4,32,32", "1,256", "1,1:int64"], "Peebles & Xie, arXiv:2212.09748: DiT-XL/2 for 256x256"),
}


def main():
    for name in sys.argv[1:] or NETWORKS:
        make, inputs, source = NETWORKS[name]
        path = os.path.join(ROOT, "networks", f"{name}.json")
        remarks = from_torch.write(make(), inputs, path, source=f"{source}; written by tools/torch_networks.py")
        print(name, *remarks, sep="\n  ")


main()
