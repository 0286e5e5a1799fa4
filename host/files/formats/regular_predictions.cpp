#include "host/files/formats/regular_predictions.hpp"

#include <string>
#include <utility>

#include "host/files/formats/value_scanner.hpp"

namespace warpath::formats {
namespace {

class RegularReader {
 public:
  RegularReader(std::string_view text, bool takes_nested, StringTable& viewpoints, Predictions& out)
      : scanner_(text), takes_nested_(takes_nested), viewpoints_(viewpoints), out_(out) {}

  bool read() {
    if (!scanner_.mark('[')) return false;
    do {
      if (!read_entry()) return false;
    } while (scanner_.mark(','));
    return scanner_.mark(']') && scanner_.at_end();
  }

 private:
  // An entry has two keys, in any order.
  bool read_entry() {
    std::string_view id, first, second;
    Trajectory form;
    if (!scanner_.mark('{') || !scanner_.text(first) || !read_value(first, id, form)) return false;
    if (!scanner_.mark(',') || !scanner_.text(second) || first == second) return false;
    if (!read_value(second, id, form) || !scanner_.mark('}')) return false;
    form.path = out_.paths.end_path();
    out_.entries.push_back({.id = std::string(id), .trajectory = form});
    return true;
  }

  bool read_value(std::string_view key, std::string_view& id, Trajectory& form) {
    if (!scanner_.mark(':')) return false;
    if (key == out_.id_key) return scanner_.text(id);
    return key == out_.path_key && read_path(form);
  }

  bool read_path(Trajectory& form) {
    if (!scanner_.mark('[')) return false;
    if (scanner_.mark(']')) return true;
    do {
      if (!read_move(form)) return false;
    } while (scanner_.mark(','));
    return scanner_.mark(']');
  }

  bool read_move(Trajectory& form) {
    if (!scanner_.mark('[')) {
      form.plain = true;
      return read_viewpoint();
    }
    if (!read_viewpoint()) return false;
    while (scanner_.mark(',')) {
      if (scanner_.next() == '"') {
        form.nested = true;
        if (!takes_nested_ || !read_viewpoint()) return false;
      } else {
        std::string_view angle;
        form.has_headings = true;
        if (!scanner_.number(angle)) return false;
      }
    }
    return scanner_.mark(']');
  }

  bool read_viewpoint() {
    std::string_view name;
    if (!scanner_.text(name)) return false;
    out_.paths.elements.push_back(viewpoints_.intern(name));
    return true;
  }

  ValueScanner scanner_;
  const bool takes_nested_;
  StringTable& viewpoints_;
  Predictions& out_;
};

}  // namespace

bool read_regular_predictions(std::string_view text, bool takes_nested, StringTable& viewpoints,
                              Predictions& out) {
  return RegularReader(text, takes_nested, viewpoints, out).read();
}

}  // namespace warpath::formats
