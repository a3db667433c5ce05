// What rows say of themselves: names of uses and kinds, labels of their points.
#include "reports/validation/validation_row.hpp"

#include <algorithm>
#include <cmath>

namespace ooc {

std::string_view use_name(Use use) {
  switch (use) {
    case Use::kTight:
      return "tight";
    case Use::kBand:
      return "band";
    case Use::kFitted:
      return "fitted";
    case Use::kOrder:
      return "order";
  }
  return "";
}

std::string_view kind_name(FigureKind kind) {
  switch (kind) {
    case FigureKind::kPredicted:
      return "predicted";
    case FigureKind::kFitted:
      return "fitted";
    case FigureKind::kOrder:
      return "order";
  }
  return "";
}

FigureKind kind_of(const RowCheck& check) {
  if (check.use == Use::kFitted) return FigureKind::kFitted;
  const bool one_number = std::holds_alternative<WithinTolerance>(check.rule) ||
                          std::holds_alternative<Between>(check.rule);
  const bool compared = one_number && !check.published.empty() && !check.truth;
  return check.use == Use::kOrder || !compared ? FigureKind::kOrder : FigureKind::kPredicted;
}

std::size_t point_count(const std::vector<PointColumn>& points) {
  return points.empty() ? 1 : points.front().texts.size();
}

/// By texts alone where these tell the points apart: "alexnet"; else by all: "alexnet, batch 64".
std::vector<std::string> point_labels(const std::vector<PointColumn>& points) {
  if (points.empty()) return {""};
  std::vector<std::string> by_text;
  std::vector<std::string> by_all;
  for (std::size_t i = 0; i < point_count(points); ++i) {
    std::string texts;
    std::string all;
    for (const PointColumn& column : points) {
      const bool number = !std::isnan(column.numbers[i]);
      if (!number) texts += (texts.empty() ? "" : ", ") + column.texts[i];
      if (!all.empty()) all += ", ";
      if (number && points.size() > 1) all += column.name + " ";
      all += column.texts[i];
    }
    by_text.push_back(texts);
    by_all.push_back(all);
  }
  std::vector<std::string> sorted = by_text;
  std::sort(sorted.begin(), sorted.end());
  const bool told_apart = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  return told_apart && !by_text.front().empty() ? by_text : by_all;
}

}  // namespace ooc
