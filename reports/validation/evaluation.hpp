// The figures of a check: its runs filled in for each point, made, and put into its formulas. Who makes
// the runs is the caller's business (a function), so that judging can be tested without any.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/validation/validation_row.hpp"

namespace ooc {

/// What one run yielded.
struct RunFigures {
  /// By metric; NaN: not known; yes and no are 1 and 0. Empty: the run was not made, see the note.
  std::map<std::string, double> numbers;
  std::string note;   ///< why numbers are not known: "does not fit"
  std::string label;  ///< of a replay: which one
};

/// Makes a run whose texts are filled in: one entry, but of replays one for each file. Asked for the same run again
/// and again: it had better remember.
using MakeRun = std::function<std::vector<RunFigures>(const RowRun& filled)>;

class Evaluation {
 public:
  Evaluation(const ValidationRow& row, const RowCheck& check, const MakeRun& make_run)
      : row_(row), check_(check), make_run_(make_run) {}

  [[nodiscard]] Series of(const Expression& expression);
  /// What is known of why figures are missing at a point.
  [[nodiscard]] std::string note(std::size_t point) const;
  /// Labels of the points: the check's, or the replays' where it has none.
  [[nodiscard]] std::vector<std::string> labels() const;

 private:
  void add_note(std::size_t point, const std::string& words);
  [[nodiscard]] Series metric(const std::string& run, const std::string& name,
                              const Expression& where);
  [[nodiscard]] Series parameter(const std::string& name, const Expression& where) const;
  [[nodiscard]] std::vector<RunFigures> figures(const RowRun& run, std::size_t point);
  /// A text with its braces filled in; or the first formula in them whose number is not known.
  struct Filled {
    std::string text;
    std::string unknown;
  };
  [[nodiscard]] Filled filled(const std::string& text, const RowRun& run, std::size_t point);

  const ValidationRow& row_;
  const RowCheck& check_;
  const MakeRun& make_run_;
  int depth_ = 0;
  /// By run and metric: a formula in braces is worked out for every point of every run that has it.
  std::map<std::pair<std::string, std::string>, Series> known_;
  std::map<std::size_t, std::string> notes_;
  std::vector<std::string> replay_labels_;
};

}  // namespace ooc
