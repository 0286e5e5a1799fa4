#include "host/files/formats/dump_measures.hpp"

#include <algorithm>
#include <string>

#include "host/core/base/suggest.hpp"
#include "host/files/formats/result_dump.hpp"

namespace warpath::formats {
namespace {

constexpr KnownMeasure measure_rows[]{
    {"SR", Unit::fraction, Better::higher, "success"},
    {"OSR", Unit::fraction, Better::higher, "oracle_success os osr"},
    {"SPL", Unit::fraction, Better::higher, "spl"},
    {"nDTW", Unit::fraction, Better::higher, "ndtw"},
    {"SDTW", Unit::fraction, Better::higher, "sdtw"},
    {"NE", Unit::length, Better::lower, "distance_to_goal ne NE"},
    {"PL", Unit::length, Better::neither, "path_length TL"},
    {"ONE", Unit::length, Better::lower, "oracle_navigation_error"},
    {"softSPL", Unit::fraction, Better::higher, "softspl soft_spl"},
    {"oracle SPL", Unit::fraction, Better::higher, "oracle_spl"},
    {"steps", Unit::count, Better::neither, "steps_taken steps"},
    {"FR", Unit::fraction, Better::lower, ""},
    {"StR", Unit::fraction, Better::lower, ""},
    {"ISR", Unit::fraction, Better::higher, ""},
    {"CSR", Unit::fraction, Better::higher, ""},
    {"CGT", Unit::fraction, Better::higher, ""},
    {"TAR", Unit::fraction, Better::higher, ""},
    {"contest", Unit::fraction, Better::higher, ""},
    {"TCR", Unit::count, Better::lower, ""},
    {"TR", Unit::fraction, Better::higher, ""},
    {"CR", Unit::fraction, Better::lower, ""},
    {"DTS", Unit::length, Better::lower, ""},
    {"GC", Unit::fraction, Better::higher, ""},
    {"PLW SR", Unit::fraction, Better::higher, ""},
    {"PLW GC", Unit::fraction, Better::higher, ""},
};

bool is_word_of(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::span<const KnownMeasure> known_measures() {
  return measure_rows;
}

const KnownMeasure* find_known(std::string_view key) {
  const auto* const found = std::ranges::find_if(
      measure_rows, [&](const KnownMeasure& m) { return is_word_of(m.keys, key); });
  return found == std::end(measure_rows) ? nullptr : found;
}

const KnownMeasure* find_known_name(std::string_view name) {
  const auto* const found = std::ranges::find(measure_rows, name, &KnownMeasure::name);
  return found == std::end(measure_rows) ? nullptr : found;
}

std::string measure_name(std::string_view name) {
  for (const KnownMeasure& m : measure_rows) {
    if (base::equal_letters(m.name, name)) return std::string(m.name);
  }
  const KnownMeasure* known = find_known(name);
  return std::string(known == nullptr ? name : known->name);
}

}  // namespace warpath::formats
