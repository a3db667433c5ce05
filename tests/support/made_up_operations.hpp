// A table of operations as a device with known numbers would have measured them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "calibrate/fit/operation_prices.hpp"

namespace ooc::test {

inline constexpr const char* kOperationsHeader =
    "kind,pass,dtype,batch,channels,height,width,filters,kernel_h,kernel_w,pad_h,pad_w,groups,"
    "m,n,k,bytes,ms\n";

struct MadeUp {
  double measuring = 0;  ///< seconds that are added to each
  double noise = 0;      ///< the largest, as a share
  std::string gpu = {};  ///< a column, where it is not empty
};

class MadeUpTable {
 public:
  MadeUpTable(KernelPlatform platform, MadeUp how)
      : platform_(std::move(platform)), how_(std::move(how)) {
    text_ = (how_.gpu.empty() ? "" : "gpu,") + std::string(kOperationsHeader);
  }

  void convolution(const std::string& pass, int channels, int size, int kernel) {
    add(fmt::format("conv,{},float32,16,{},{},{},{},{},{},{},{},,,,,", pass, channels, size, size,
                    2 * channels, kernel, kernel, kernel / 2, kernel / 2));
  }
  void depthwise(int channels, int size) {
    add(fmt::format("conv,forward,float32,16,{},{},{},{},3,3,1,1,{},,,,", channels, size, size,
                    channels, channels));
  }
  void product(int m, int n, int k) {
    add(fmt::format("product,,float32,,,,,,,,,,,{},{},{},", m, n, k));
  }
  void stream(double bytes) { add(fmt::format("streaming,,float32,,,,,,,,,,,,,,{:.0f}", bytes)); }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// `line` lacks its time, which is the price of what the rest of it says.
  void add(const std::string& line) {
    const auto rows = read_operations(std::string(kOperationsHeader) + line + ",1\n", "made up");
    const KernelPlatform platform =
        platform_of(rows.front(), platform_.machine, platform_.architecture);
    // Evenly between the bounds, and the same on every machine: multiples of the golden ratio.
    const double place = std::fmod(0.618033988749895 * ++rows_, 1.0);
    const double seconds = (work_seconds(rows.front(), platform) + how_.measuring) *
                           (1 + how_.noise * (2 * place - 1));
    text_ +=
        (how_.gpu.empty() ? "" : how_.gpu + ",") + line + fmt::format(",{:.9g}\n", seconds * 1e3);
  }

  KernelPlatform platform_;
  MadeUp how_;
  std::string text_;
  int rows_ = 0;
};

/// Convolutions of two kernel sizes in three passes, products and streaming kernels: 112 rows.
inline std::string made_up_operations(const KernelPlatform& platform, const MadeUp& how) {
  MadeUpTable table(platform, how);
  for (const int channels : {64, 96, 200, 512}) {
    for (const int size : {7, 14, 28, 56}) {
      for (const char* pass : {"forward", "backward_data", "backward_weights"}) {
        for (const int kernel : {1, 3}) table.convolution(pass, channels, size, kernel);
      }
    }
    table.product(channels, 512, 2048);
    table.product(4096, 16 * channels, 1024);
  }
  for (int i = 1; i <= 8; ++i) table.stream(1e8 * i);
  return table.text();
}

}  // namespace ooc::test
