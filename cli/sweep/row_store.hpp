// Where the rows of a sweep grow. Whatever the format, they grow beside their place (r.csv.part) together with
// what is known of them, a header (identity_line) and states (state_line), so that whoever finds them after a kill
// can go on, and take their place in one step when they are all there.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/predict/knee.hpp"

namespace ooc {

/// What an earlier run left.
struct KeptRun {
  std::string header;  ///< empty: no sweep left that
  std::vector<std::string> states = {};
  std::int64_t bytes =
      std::numeric_limits<std::int64_t>::max();  ///< of rows, where that is counted
};

/// Of a finished file.
[[nodiscard]] std::optional<KeptRun> kept_text(const std::string& path);
[[nodiscard]] std::optional<KeptRun> kept_database(const std::string& path);
/// The results of a finished database as a list in JSON, in their order.
[[nodiscard]] std::string database_rows(const std::string& path);

/// How a store counts: the bytes of a text's file.
struct KeptUpTo {
  std::size_t states = 0;
  std::int64_t bytes = 0;
};

class RowStore {
 public:
  virtual ~RowStore() = default;
  /// Of the finished file, and of the growing one; none: there is none.
  virtual std::optional<KeptRun> complete() = 0;
  virtual std::optional<KeptRun> unfinished() = 0;

  /// Begins anew: whatever was growing is gone.
  virtual void begin(const std::string& header) = 0;
  /// Goes on behind these states of unfinished() and their rows.
  virtual void go_on(const KeptUpTo& up_to) = 0;
  /// Rows, and the state behind them: both are kept, or neither.
  virtual void keep(std::string_view rows, const std::string& state) = 0;
  /// What stands behind all rows, in pieces, without a state: a kill leaves nothing of it.
  virtual void add(std::string_view end) = 0;
  /// The rows of a finished file of the same columns and its knees, and the state behind them. Before these knees the one
  /// that its first rows complete, if any.
  struct Taken {
    const std::string& file;
    std::size_t head = 0;  ///< bytes of it before its rows
    std::optional<Knee> knee = {};
  };
  virtual void take(const Taken& taken, const std::string& state) = 0;
  /// Nothing of what grew is left.
  virtual void discard() = 0;
  /// Gives what grew its name. The last state said that it is complete.
  virtual void finish() = 0;
};

struct StoreFiles {
  std::string target;  ///< links resolved
  std::string part;    ///< where it grows
  int lock = -1;       ///< descriptor of `part`, which this process alone writes
};

/// Throw std::system_error for what the system refuses, and std::runtime_error for what a database does.
[[nodiscard]] std::unique_ptr<RowStore> open_text_store(const StoreFiles& files);
[[nodiscard]] std::unique_ptr<RowStore> open_sqlite_store(const StoreFiles& files);

}  // namespace ooc
