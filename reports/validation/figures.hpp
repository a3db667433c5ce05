// Published figures as flat rows (validation/README.md): a job, a field of its result, the number, the tolerance.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Strength of the evidence that agreement with a figure gives.
enum class FigureKind {
  kPredicted,  ///< nothing was chosen to meet the figure
  kFitted,     ///< a number, network or criterion was chosen to meet the figure
  kOrder,      ///< sign, ranking, yes or no, arithmetic: no evidence of sizes
};
[[nodiscard]] std::string_view kind_name(FigureKind kind);

/// Software that ran the networks of a set.
struct MeasuredSoftware {
  std::string framework;              ///< shipped name or file
  std::optional<SpecView> with = {};  ///< kernel fields that replace the framework's; unset: none
  bool input_gradient = false;        ///< true: backward computes the network input's gradient
  /// True: each iteration copies parameters in from host memory and, with backward, gradients out.
  bool far_parameters = false;
};

/// Job, and the field of its result to compare.
struct Asked {
  std::string command = "predict";  ///< predict, max-batch, inspect, copy, replay or time
  /// Values by flag, dashes as underscores: {"batch", "64"}; "network": the argument; empty value: a switch.
  std::map<std::string, std::string> job = {};
  std::string metric = {};
  std::shared_ptr<const MeasuredSoftware> software = {};  ///< for the command `time`; else null
  bool operator==(const Asked&) const = default;
};
/// Returns {"predict", "vgg16", "--batch", "64"}: for predict, max-batch, inspect a command line without the program.
[[nodiscard]] std::vector<std::string> words_of(const Asked& asked);

/// Row of a file of figures. Numbers are in `unit`.
struct Figure {
  SpecView place;  ///< position of the row in the file, for errors
  std::string name;
  std::string at = {};  ///< position in the series of this name, such as "256"; empty: no series
  Asked asked = {};
  /// Second job; unset: none. The figure is `asked` / `against`, or with is_difference `asked` - `against`.
  std::optional<Asked> against = {};
  bool is_difference = false;
  std::optional<double> published = {};  ///< unset: none, only limits
  bool is_truth = false;                 ///< the figure is yes (1) or no (0)
  std::string unit = {};  ///< "GB", "images/s"; "% more", "% less": distance of a ratio from 1
  std::optional<double> tolerance = {};  ///< limit of |predicted / published - 1|; unset: none
  std::optional<double> low = {};        ///< lower limit, itself allowed; unset: none
  std::optional<double> high = {};       ///< upper limit, itself allowed; unset: none
  FigureKind kind = FigureKind::kPredicted;
  std::string group = {};  ///< kind of job, for the table of errors; empty: none
  std::string source = {};
  std::string note = {};
  std::string known = {};  ///< reason why the row is known to fail; empty: it should hold
};
/// Returns name and position, such as "swap, 256".
[[nodiscard]] std::string label_of(const Figure& figure);

/// Number of published figures that no job of the program can answer, with the reason.
struct LeftOut {
  std::size_t figures = 0;
  std::string reason;
};

struct FigureFile {
  std::shared_ptr<const SpecDocument> document;  ///< document into which `place` of rows points
  std::string id;
  std::string title;
  std::string source;
  std::string conditions = {};
  std::string axis = {};  ///< for pictures: meaning and unit of Figure::at; empty: not stated
  std::vector<LeftOut> left_out = {};
  std::vector<Figure> rows = {};
  bool networks = false;  ///< true for a set of measured networks, whose rows have no verdict
  std::optional<double> goal = {};  ///< target for the mean error of measured networks; unset: none
};

/// True if the file declares itself a set of measured networks.
[[nodiscard]] bool is_measured_set(const SpecDocument& document);
/// Reads published figures, or a set of measured networks. `framework`: used in place of a set's own
/// software; unset: the set's. Throws SpecError with place, found and expected.
[[nodiscard]] FigureFile read_figures(SpecDocument document,
                                      const std::optional<std::string>& framework = {});

enum class Verdict {
  kHolds,       ///< within all limits
  kFails,       ///< beyond a limit, or unknown
  kKnown,       ///< fails, with a reason in the row
  kUnexpected,  ///< holds, though the row gives a reason to fail
  kReported,    ///< no limits are given
};
[[nodiscard]] std::string_view verdict_name(Verdict verdict);
[[nodiscard]] std::string_view verdict_key(Verdict verdict);  ///< key in results: "fails_known"

/// Number from a result in base units (bytes, ns). NaN: unknown, and `note` gives the reason.
struct Answer {
  double number = 0;
  std::string note = {};
  std::string job_kind = {};  ///< of a prediction: job_kind() (remarks.hpp); else empty
};
/// Function that runs a job. Throws SpecError at `place`.
using Ask = std::function<Answer(const Asked& asked, const SpecView& place)>;

struct FigureReport {
  Figure figure;
  double predicted = 0;                  ///< in the figure's unit; NaN: unknown, see `why`
  std::optional<double> deviation = {};  ///< predicted / published - 1; unset: not defined
  Verdict verdict = Verdict::kReported;
  std::string why = {};       ///< reason, if the prediction is unknown
  std::string job_kind = {};  ///< kind of job of an iteration time; kRatioKind; or empty
};
/// Compares one prediction with its figure. An unknown prediction never holds.
[[nodiscard]] FigureReport judge(const Figure& figure, const Ask& ask);

/// FigureReport::job_kind of a ratio of two iteration times, if Figure::group has the form "... over ...".
inline constexpr std::string_view kRatioKind = "one run over another";

struct ErrorStatistics {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double largest = 0;
  double bias = 0;  ///< mean of predicted / published - 1
  double lowest = 0;
  double highest = 0;
};
[[nodiscard]] ErrorStatistics error_statistics(const std::vector<double>& deviations);

}  // namespace ooc
