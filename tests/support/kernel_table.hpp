// Reads small comma-separated tables of the tests' own: `#` lines are notes, the first other line names
// the columns, no quotes.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ooc::test {

using TableRow = std::map<std::string, std::string>;

inline std::vector<std::string> table_fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
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
