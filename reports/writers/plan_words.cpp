// What a plan does with what layers save, in words: block by block, with blocks that are treated alike in one row.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/quantity_io.hpp"
#include "model/network/network.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

constexpr std::size_t kRowsShown = 24;

/// Kinds of layers with the bytes that they save.
using Kinds = std::map<std::string, Bytes>;

struct BlockRow {
  std::string first;
  std::string last = {};
  std::array<Kinds, 3> treated = {};  ///< dropped, moved, kept
};

std::size_t column_of(TensorAction action) {
  return action == TensorAction::kRecompute ? 0 : action == TensorAction::kKeep ? 2 : 1;
}

bool treated_alike(const BlockRow& a, const BlockRow& b) {
  return std::equal(a.treated.begin(), a.treated.end(), b.treated.begin(),
                    [](const Kinds& left, const Kinds& right) {
                      return std::ranges::equal(left, right, [](const auto& x, const auto& y) {
                        return x.first == y.first;
                      });
                    });
}

std::vector<BlockRow> rows_of(const std::vector<LayerReport>& layers) {
  std::vector<BlockRow> blocks;
  std::string block;
  for (const LayerReport& layer : layers) {
    if (!layer.action || layer.saved.count() == 0) continue;
    const std::string name(block_name(layer.name));
    if (blocks.empty() || name.empty() || name != block) {
      blocks.push_back({.first = name.empty() ? layer.name : name});
    }
    block = name;
    blocks.back().treated[column_of(*layer.action)][layer.type] += layer.saved;
  }
  std::vector<BlockRow> rows;
  for (BlockRow& each : blocks) {
    if (rows.empty() || !treated_alike(rows.back(), each)) {
      rows.push_back(std::move(each));
      continue;
    }
    rows.back().last = each.first;
    for (std::size_t i = 0; i < each.treated.size(); ++i) {
      for (const auto& [kind, bytes] : each.treated[i]) rows.back().treated[i][kind] += bytes;
    }
  }
  return rows;
}

std::string cell(const Kinds& kinds) {
  std::string text;
  Bytes sum;
  for (const auto& [kind, bytes] : kinds) {
    text += (text.empty() ? "" : ", ") + kind;
    sum += bytes;
  }
  return text.empty() ? "-" : text + ": " + format_bytes(sum);
}

}  // namespace

std::string plan_in_words(const RunReport& report, const Look& look) {
  if (!report.in_words) return "";
  const std::vector<BlockRow> rows = rows_of(report.layers);
  const bool all_stays = std::ranges::all_of(
      rows, [](const BlockRow& row) { return row.treated[0].empty() && row.treated[1].empty(); });
  const std::string title =
      "\n" + bold("What becomes of the layers' outputs that backward reads", look) + "\n";
  if (all_stays) return title + "  all stay near\n";
  TextTable table({left("blocks"), left("computed again"), left("moved"), left("kept")});
  for (std::size_t i = 0; i < std::min(kRowsShown, rows.size()); ++i) {
    const BlockRow& row = rows[i];
    table.add_row({row.first + (row.last.empty() ? "" : " ... " + row.last), cell(row.treated[0]),
                   cell(row.treated[1]), cell(row.treated[2])});
  }
  std::string text = title + table.text(look);
  if (rows.size() > kRowsShown) {
    text +=
        fmt::format("  and {} more: `layers` of --format json has all\n", rows.size() - kRowsShown);
  }
  return text;
}

}  // namespace ooc
