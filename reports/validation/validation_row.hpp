// A row of the validation: a published or measured figure as data (reports/validation/rows/README.md). It says which
// runs to make, as command lines, and which figures to compare, as formulas over what the runs yield.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "reports/validation/expression.hpp"
#include "reports/validation/place.hpp"

namespace ooc {

/// How a figure may be used: within a tolerance, inside a band, as no evidence since something was chosen with it in
/// sight, or only for sign and ranking.
enum class Use { kTight, kBand, kFitted, kOrder };
[[nodiscard]] std::string_view use_name(Use use);

/// What a figure that holds says of the model.
enum class FigureKind {
  kPredicted,  ///< no number, network or criterion was chosen with the figure in sight
  kFitted,     ///< one was
  kOrder,      ///< sign, ranking, yes or no: no number is compared
};
[[nodiscard]] std::string_view kind_name(FigureKind kind);

/// One run. `text` may hold {parameter} and {formula}, which are filled in for each point.
struct RowRun {
  enum class Kind {
    kCommand,  ///< `text` as behind `ooc-paleo`: predict, max-batch, inspect
    kReplays,  ///< `files`: results of `ooc-paleo replay --format json`
    kCopy,     ///< one copy on a machine: what a profile's curves say
  };
  std::string name;
  Kind kind = Kind::kCommand;
  std::string text;
  std::vector<std::string> files = {};  ///< paths or folders, seen from the row's file
  // kCopy: texts, filled in as `text` is.
  std::string hardware = {};
  std::string mode = {};
  std::string direction = {};
  std::string size = {};
  std::string layer =
      {};  ///< kCommand: the figures are those of this layer; filled in as `text` is
  Place place;
};

/// What a check is repeated for: {"batch": [256, 357]}. All columns are equally long.
struct PointColumn {
  std::string name;
  std::vector<std::string> texts;  ///< as filled into runs
  std::vector<double> numbers;     ///< NaN for a text
};

/// Fails, and why that is known. `points` names those concerned; empty: all.
struct Known {
  std::string cause;
  std::vector<std::string> points;
};

// What decides.
struct WithinTolerance {
  double share = 0;  ///< |predicted / published - 1| <= share
};
struct Between {  ///< ends included; an end may be open
  std::optional<Expression> low;
  std::optional<Expression> high;
};
struct Encloses {  ///< predicted <= published <= predicted_to
  Expression to;
};
struct Ascending {  ///< each less than the next, at every point
  std::vector<Expression> of;
};
struct Trend {  ///< over the points
  enum class Kind { kRises, kFalls, kNeverRises, kNeverFalls } kind = Kind::kRises;
};
using Rule = std::variant<WithinTolerance, Between, Encloses, Ascending, Trend>;

struct RowCheck {
  std::string name;
  Use use = Use::kTight;
  std::string unit;    ///< "GB", "%", "images/s": bare numbers of the check are in it
  double factor = 1;   ///< of the unit
  bool truth = false;  ///< the figure is yes or no
  std::vector<PointColumn> points;
  std::optional<Expression> predicted;  ///< all rules but Ascending
  /// Published or measured: none, one, or one for each point. One may stand for a series.
  std::vector<Expression> published;
  Rule rule;
  std::optional<Known> known;
  std::string pending;  ///< why it is not run; empty: it is
  Place place;
};

/// Fitted or order if its use says so; order, too, where no number stands against one that is published.
[[nodiscard]] FigureKind kind_of(const RowCheck& check);

struct ValidationRow {
  std::string file;
  std::string id;
  std::string title;
  std::string source;
  std::string conditions;
  std::string axis;  ///< of charts: what the points are, with its unit
  std::vector<RowRun> runs;
  std::vector<RowCheck> checks;
};

/// Throws SpecError for what is no row.
[[nodiscard]] ValidationRow read_row(const SpecDocument& document);
[[nodiscard]] ValidationRow read_row_file(const std::string& path, const ReadLimits& limits = {});

/// The labels of the points: "256", "alexnet", "batch 64, devices 2"; "" where there are none.
[[nodiscard]] std::vector<std::string> point_labels(const std::vector<PointColumn>& points);
[[nodiscard]] std::size_t point_count(const std::vector<PointColumn>& points);

}  // namespace ooc
