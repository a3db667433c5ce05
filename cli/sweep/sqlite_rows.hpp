// A sweep as SQLite keeps it, without SQLite: the columns and their types, from the table of metrics, and rows as
// bytes, which threads make and the one that owns the database binds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/rows.hpp"

namespace ooc {

struct SqliteColumn {
  std::string name;
  std::string_view type;  ///< "INTEGER", "REAL" or "TEXT"; yes and no are 1 and 0
};
/// Of a result: what was asked for, what was predicted, why it does not fit, "error".
[[nodiscard]] std::vector<SqliteColumn> sqlite_result_columns();
[[nodiscard]] std::vector<SqliteColumn> sqlite_knee_columns();
/// What they are that a knee has of its first row, and the values of the others.
[[nodiscard]] const char* sqlite_knee_keys();
[[nodiscard]] std::string sqlite_knee_values(const Knee& knee);

/// A row is its kind and its values.
inline constexpr char kSqliteResult = 'r';
inline constexpr char kSqliteKnee = 'k';

extern const SweepFormat kSqliteFormat;

/// Reads them back, one after the other.
struct SqliteValue {
  enum class Type : char { kNull = 'n', kInteger = 'i', kReal = 'd', kText = 't' };
  Type type = Type::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< of the rows that it was read from
};
[[nodiscard]] char take_sqlite_kind(std::string_view& rows);
[[nodiscard]] SqliteValue take_sqlite_value(std::string_view& rows);

}  // namespace ooc
