// Published figures as flat rows (validation/README.md): a job, a column of its result, the number that was published,
// and what is allowed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// What a figure that holds says of the model.
enum class FigureKind {
  kPredicted,  ///< no number, network or criterion was chosen with the figure in sight
  kFitted,     ///< one was
  kOrder,      ///< sign, ranking, yes or no, arithmetic: no evidence of a size
};
[[nodiscard]] std::string_view kind_name(FigureKind kind);

/// A column of the result of a job.
struct Asked {
  std::string command = "predict";  ///< predict, max-batch, inspect, copy or replay
  std::map<std::string, std::string> job =
      {};  ///< flags by name, dashes as underscores; "network" is the argument
  std::string metric = {};
  bool operator==(const Asked&) const = default;
};
/// The command line of a job, without the program (of copies and replays no command): {"predict", "vgg16", "--batch", "64"}.
[[nodiscard]] std::vector<std::string> words_of(const Asked& asked);

/// One row. Numbers are in `unit`.
struct Figure {
  SpecView place;  ///< for errors of its job
  std::string name;
  std::string at = {};  ///< where it lies in the series of its name: "256"; empty: alone
  Asked asked = {};
  std::optional<Asked> against =
      {};  ///< the figure is the ratio of both; their difference if `is_difference`
  bool is_difference = false;
  std::optional<double> published = {};
  bool is_truth = false;  ///< yes or no
  std::string unit = {};  ///< "GB", "images/s"; "% more" and "% less" are a ratio's distance from 1
  std::optional<double> tolerance = {};  ///< of |predicted / published - 1|
  std::optional<double> low = {};        ///< of "between", ends included
  std::optional<double> high = {};
  FigureKind kind = FigureKind::kPredicted;
  std::string group = {};  ///< which kind of job, for the table of errors; empty: none
  std::string source = {};
  std::string note = {};
  std::string known = {};  ///< why it fails; empty: it should hold
};
/// "swap, 256"
[[nodiscard]] std::string label_of(const Figure& figure);

struct FigureFile {
  std::shared_ptr<const SpecDocument> document;  ///< of the places
  std::string id;
  std::string title;
  std::string source;
  std::string conditions = {};
  std::string axis = {};  ///< of pictures: what `at` is, with its unit
  std::vector<Figure> rows = {};
};

/// Throws SpecError with place, found and expected.
[[nodiscard]] FigureFile read_figures(SpecDocument document);

enum class Verdict {
  kHolds,
  kFails,
  kKnown,       ///< fails, and the row says why
  kUnexpected,  ///< holds, though the row says that it fails
  kReported,    ///< nothing is asked of it
};
[[nodiscard]] std::string_view verdict_name(Verdict verdict);  ///< for people
[[nodiscard]] std::string_view verdict_key(Verdict verdict);   ///< "fails_known"

/// A number of a result in base units; NaN where it is not known, with the reason.
struct Answer {
  double number = 0;
  std::string note = {};
};
/// Runs a job; throws SpecError at `place`.
using Ask = std::function<Answer(const Asked& asked, const SpecView& place)>;

struct FigureReport {
  Figure figure;
  double predicted = 0;             ///< in the figure's unit; NaN: not known
  std::optional<double> deviation;  ///< predicted / published - 1
  Verdict verdict = Verdict::kReported;
  std::string why = {};  ///< the prediction is not known
};
/// A figure that is not known never holds.
[[nodiscard]] FigureReport judge(const Figure& figure, const Ask& ask);

/// |predicted / published - 1| over figures or measured networks.
struct ErrorStatistics {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double largest = 0;
  double bias = 0;  ///< mean of predicted / published - 1
};
[[nodiscard]] ErrorStatistics error_statistics(const std::vector<double>& deviations);

}  // namespace ooc
