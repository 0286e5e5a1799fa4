#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "host/files/formats/connectivity.hpp"
#include "host/files/formats/value_scanner.hpp"

namespace warpath::formats {
namespace {

bool take_flag(ValueScanner& scanner, bool& value) {
  value = scanner.next() == 't';
  return scanner.word(value ? "true" : "false");
}

// Takes a list of true and false. @param expected of them, more or less
bool take_flags(ValueScanner& scanner, std::vector<char>& values, std::size_t expected) {
  constexpr std::string_view many = "false,false,false,false,";
  values.assign(expected, 0);
  if (!scanner.mark('[')) return false;
  std::size_t count = 0;
  do {
    while (scanner.word(many)) count += 4;
    bool value = false;
    if (!take_flag(scanner, value)) return false;
    if (count >= values.size()) values.resize(2 * count + 16, 0);
    values[count++] = static_cast<char>(value);
  } while (scanner.mark(','));
  values.resize(count, 0);
  return scanner.mark(']');
}

constexpr double max_regular_metres = 1e6;

bool read_pose(ValueScanner& scanner, std::array<double, 3>& position) {
  constexpr std::size_t size = 16;
  if (!scanner.mark('[')) return false;
  for (std::size_t k = 0; k < size; ++k) {
    double number = 0.0;
    if (k > 0 && !scanner.mark(',')) return false;
    if (!scanner.number(number)) return false;
    if (k % 4 == 3 && k < 12) position[k / 4] = number;
  }
  return scanner.mark(']') && std::ranges::all_of(position, [](double metres) {
           return std::abs(metres) <= max_regular_metres;
         });
}

// The parts of an entry, in any order, each once.
enum Part : unsigned {
  part_id = 1,
  part_pose = 2,
  part_included = 4,
  part_unobstructed = 8,
  needed_parts = 15,
  part_visible = 16,
  part_height = 32
};

unsigned part_of(std::string_view key) {
  if (key == "image_id") return part_id;
  if (key == "pose") return part_pose;
  if (key == "included") return part_included;
  if (key == "unobstructed") return part_unobstructed;
  if (key == "visible") return part_visible;
  if (key == "height") return part_height;
  return 0;
}

class EntryScanner {
 public:
  explicit EntryScanner(std::string_view text) : scanner_(text) {}

  bool read(std::vector<ConnectivityEntry>& entries) {
    if (!scanner_.mark('[')) return false;
    do {
      if (!read_entry(entries.emplace_back())) return false;
    } while (scanner_.mark(','));
    return scanner_.mark(']') && scanner_.at_end();
  }

 private:
  bool read_entry(ConnectivityEntry& entry) {
    unsigned seen = 0;
    if (!scanner_.mark('{')) return false;
    do {
      std::string_view key;
      if (!scanner_.text(key) || !scanner_.mark(':')) return false;
      const unsigned part = part_of(key);
      if (part == 0 || (seen & part) != 0 || !read_part(part, entry)) return false;
      seen |= part;
    } while (scanner_.mark(','));
    return scanner_.mark('}') && (seen & needed_parts) == needed_parts;
  }

  bool read_part(unsigned part, ConnectivityEntry& entry) {
    double height = 0.0;
    std::string_view id;
    switch (part) {
      case part_id:
        if (!scanner_.text(id)) return false;
        entry.id = id;
        return true;
      case part_pose:
        return read_pose(scanner_, entry.position);
      case part_included:
        return take_flag(scanner_, entry.included);
      case part_unobstructed:
        if (!take_flags(scanner_, entry.unobstructed, row_size_)) return false;
        row_size_ = entry.unobstructed.size();
        return true;
      case part_visible:
        return take_flags(scanner_, visible_, row_size_);
      default:
        return scanner_.number(height);
    }
  }

  ValueScanner scanner_;
  std::size_t row_size_ = 0;   // of the last list
  std::vector<char> visible_;  // is not used
};

}  // namespace

std::optional<std::vector<ConnectivityEntry>> read_regular_connectivity(std::string_view text) {
  std::vector<ConnectivityEntry> entries;
  if (!EntryScanner(text).read(entries)) return std::nullopt;
  std::unordered_set<std::string_view> ids;
  for (const ConnectivityEntry& entry : entries) {
    if (entry.unobstructed.size() != entries.size()) return std::nullopt;
    if (!ids.insert(entry.id).second) return std::nullopt;
  }
  return entries;
}

}  // namespace warpath::formats
