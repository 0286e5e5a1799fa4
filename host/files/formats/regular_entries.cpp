#include "host/files/formats/regular_entries.hpp"

#include "host/files/formats/value_scanner.hpp"

namespace warpath::formats {
namespace {

// The parts of an entry, in any order, each once.
enum EntryPart : unsigned {
  part_scan = 1,
  part_path_id = 2,
  part_path = 4,
  part_instructions = 8,
  all_needed = 15,
  part_heading = 16
};

class PathEntryReader {
 public:
  PathEntryReader(std::string_view text, RegularEntries& out) : scanner_(text), out_(out) {}

  bool read() {
    if (!scanner_.mark('[')) return false;
    do {
      if (!read_entry(out_.entries.emplace_back())) return false;
    } while (scanner_.mark(','));
    return scanner_.mark(']') && scanner_.at_end();
  }

 private:
  bool read_entry(RegularEntries::Entry& entry) {
    unsigned seen = 0;
    if (!scanner_.mark('{')) return false;
    do {
      std::string_view key;
      unsigned part = 0;
      if (!scanner_.text(key) || !scanner_.mark(':') || !read_value(key, entry, part)) return false;
      if ((seen & part) != 0) return false;
      seen |= part;
    } while (scanner_.mark(','));
    return scanner_.mark('}') && (seen & all_needed) == all_needed;
  }

  bool read_value(std::string_view key, RegularEntries::Entry& entry, unsigned& part) {
    if (key == "scan") {
      part = part_scan;
      return scanner_.text(entry.scan);
    }
    if (key == "path_id") {
      part = part_path_id;
      return read_id(entry.id);
    }
    if (key == "path") {
      part = part_path;
      return read_path();
    }
    if (key == "instructions") {
      part = part_instructions;
      return count_values(entry.instructions);
    }
    if (key == "heading") {
      part = part_heading;
      return scanner_.number(entry.heading);
    }
    return key != "start_heading" && scanner_.skip_value();
  }

  // Takes a text, or an integer as JSON writes it.
  bool read_id(std::string_view& id) {
    if (scanner_.next() == '"') return scanner_.text(id);
    return scanner_.number(id) && id != "-0" && id.find_first_of(".eE") == id.npos;
  }

  bool read_path() {
    if (!scanner_.mark('[')) return false;
    do {
      std::string_view name;
      if (!scanner_.text(name)) return false;
      out_.paths.elements.push_back(out_.viewpoints.intern(name));
    } while (scanner_.mark(','));
    out_.paths.end_path();
    return scanner_.mark(']');
  }

  bool count_values(std::uint32_t& count) {
    count = 0;
    if (!scanner_.mark('[')) return false;
    if (scanner_.mark(']')) return true;
    do {
      if (!scanner_.skip_value()) return false;
      ++count;
    } while (scanner_.mark(','));
    return scanner_.mark(']');
  }

  ValueScanner scanner_;
  RegularEntries& out_;
};

}  // namespace

void RegularEntries::clear() {
  entries.clear();
  paths.elements.clear();
  paths.offsets.resize(1);
}

bool read_regular_entries(std::string_view text, RegularEntries& out) {
  return PathEntryReader(text, out).read();
}

}  // namespace warpath::formats
