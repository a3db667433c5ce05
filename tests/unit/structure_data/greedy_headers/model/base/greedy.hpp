// Uses std::vector without including it.
#pragma once

inline int count(const std::vector<int>& numbers) { return static_cast<int>(numbers.size()); }
