// Naive products. See products.hpp.
#include "calibrate/gpu/stub/products.hpp"

#include <cstddef>

namespace ooc::gpu::stub {
namespace {

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

std::int64_t or_dense(std::int64_t given, std::int64_t dense) { return given == 0 ? dense : given; }

// Calls visit(input, weight, output) with the places of the three numbers of each multiply-accumulate.
template <typename Visit>
void for_products(const ConvolutionShape& s, const Visit& visit) {
  const std::int64_t in_stride = or_dense(s.input_stride, s.input_elements() / s.batch);
  const std::int64_t out_stride = or_dense(s.output_stride, s.output_elements() / s.batch);
  const int per_group = s.channels / s.groups;
  const auto output = [&](int n, int f, int oy, int ox, const auto& each) {
    const int first_channel = f / (s.filters / s.groups) * per_group;
    for (int c = 0; c < per_group; ++c) {
      for (int ky = 0; ky < s.kernel_h; ++ky) {
        for (int kx = 0; kx < s.kernel_w; ++kx) {
          const int y = oy * s.stride_h - s.pad_h + ky * s.dilation_h;
          const int x = ox * s.stride_w - s.pad_w + kx * s.dilation_w;
          if (y < 0 || x < 0 || y >= s.height || x >= s.width) continue;
          each(n * in_stride + (std::int64_t{first_channel + c} * s.height + y) * s.width + x,
               ((std::int64_t{f} * per_group + c) * s.kernel_h + ky) * s.kernel_w + kx);
        }
      }
    }
  };
  for (int n = 0; n < s.batch; ++n) {
    for (int f = 0; f < s.filters; ++f) {
      for (int oy = 0; oy < s.out_height(); ++oy) {
        for (int ox = 0; ox < s.out_width(); ++ox) {
          const std::int64_t out =
              n * out_stride + (std::int64_t{f} * s.out_height() + oy) * s.out_width() + ox;
          output(n, f, oy, ox, [&](std::int64_t in, std::int64_t weight) {
            visit(place(in), place(weight), place(out));
          });
        }
      }
    }
  }
}

// Sets `samples` runs of `length` numbers, `stride` apart, to zero.
void clear(float* numbers, std::int64_t samples, std::int64_t length, std::int64_t stride) {
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t j = 0; j < length; ++j) numbers[place(i * stride + j)] = 0;
  }
}

}  // namespace

void multiply(const GemmShape& s, const float* a, const float* b, float* c) {
  const std::int64_t lda = or_dense(s.lda, s.transpose_a ? s.k : s.m);
  const std::int64_t ldb = or_dense(s.ldb, s.transpose_b ? s.n : s.k);
  const std::int64_t ldc = or_dense(s.ldc, s.m);
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      float sum = s.add ? c[place(i + j * ldc)] : 0.0F;
      for (std::int64_t p = 0; p < s.k; ++p) {
        sum += a[place(s.transpose_a ? p + i * lda : i + p * lda)] *
               b[place(s.transpose_b ? j + p * ldb : p + j * ldb)];
      }
      c[place(i + j * ldc)] = sum;
    }
  }
}

void convolve(const ConvolutionShape& s, Pass pass, const ConvolutionBuffers& buffers) {
  auto* const input = static_cast<float*>(buffers.input);
  auto* const weights = static_cast<float*>(buffers.weights);
  auto* const output = static_cast<float*>(buffers.output);
  const std::int64_t in = s.input_elements() / s.batch;
  const std::int64_t out = s.output_elements() / s.batch;
  const bool clears = !buffers.add;
  switch (pass) {
    case Pass::kForward:
      if (clears) clear(output, s.batch, out, or_dense(s.output_stride, out));
      return for_products(s, [=](std::size_t i, std::size_t w, std::size_t o) {
        output[o] += input[i] * weights[w];
      });
    case Pass::kBackwardData:
      if (clears) clear(input, s.batch, in, or_dense(s.input_stride, in));
      return for_products(s, [=](std::size_t i, std::size_t w, std::size_t o) {
        input[i] += output[o] * weights[w];
      });
    case Pass::kBackwardWeights:
      if (clears) clear(weights, 1, s.weight_elements(), 0);
      return for_products(s, [=](std::size_t i, std::size_t w, std::size_t o) {
        weights[w] += input[i] * output[o];
      });
  }
}

}  // namespace ooc::gpu::stub
