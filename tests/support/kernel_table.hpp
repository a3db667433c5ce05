// Reads small comma-separated tables of the tests' own: `#` lines are notes, the first other line names
// the columns.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ooc::test {

using TableRow = std::map<std::string, std::string>;

/// Fields between commas; quotes hold commas together.
inline std::vector<std::string> table_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

inline std::vector<TableRow> read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> names;
  std::vector<TableRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = table_fields(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    TableRow row;
    for (std::size_t i = 0; i < names.size(); ++i)
      row[names[i]] = i < fields.size() ? fields[i] : "";
    rows.push_back(std::move(row));
  }
  return rows;
}

inline double number_of(const TableRow& row, const std::string& column) {
  const std::string& text = row.at(column);
  return text.empty() ? 0 : std::stod(text);
}

}  // namespace ooc::test
