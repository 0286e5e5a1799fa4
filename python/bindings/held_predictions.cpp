// Reads predictions from lists and dicts, without their JSON.
#include "python/bindings/held_predictions.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "host/files/formats/append_paths.hpp"
#include "host/files/io/input_file.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

std::optional<std::string_view> text_in(PyObject* object) {
  if (object == nullptr || !PyUnicode_CheckExact(object)) return std::nullopt;
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(object, &size);
  if (utf8 != nullptr) return std::string_view(utf8, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

// Reads the forms that nearly all predictions have: dicts of instr_id and trajectory (or path), a
// list of "viewpoint", [viewpoint, heading, elevation] or [viewpoint, viewpoint, …]. They are read
// as formats::read_trajectory reads their JSON.
class ObjectReader {
 public:
  explicit ObjectReader(formats::EarlyPredictions& out)
      : out_(out.predictions), table_(out.viewpoints) {}

  // Returns false for any other form, which has to be read as JSON.
  bool read(PyObject* list) {
    if (!PyList_CheckExact(list) || PyList_Size(list) == 0) return false;
    if (!choose_key(PyList_GetItem(list, 0))) return false;
    const Py_ssize_t size = PyList_Size(list);
    for (Py_ssize_t k = 0; k < size; ++k) {
      if (!read_entry(PyList_GetItem(list, k))) return false;
      make_room(static_cast<std::size_t>(k) + 1, static_cast<std::size_t>(size));
    }
    if (!has_viewpoint_) return false;
    using enum formats::PredictionFormat;
    out_.format = is_nested_ ? nested : has_headings_ ? evalai : viewpoints;
    out_.hash = hash();
    return true;
  }

 private:
  bool choose_key(PyObject* first) {
    if (!PyDict_CheckExact(first)) return false;
    const Entry entry = entry_in(first, "trajectory"), other = entry_in(first, "path");
    out_.path_key = entry.path != nullptr ? "trajectory" : "path";
    return entry.path != nullptr || other.path != nullptr;
  }

  // What a dict has under the two keys; null: nothing.
  struct Entry {
    PyObject* id = nullptr;
    PyObject* path = nullptr;
  };

  // Goes through the dict, since to look a key up may run code of another key.
  static Entry entry_in(PyObject* dict, const char* path_key) {
    Entry entry;
    Py_ssize_t place = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &place, &key, &value) != 0) {
      if (!PyUnicode_CheckExact(key)) continue;
      if (PyUnicode_CompareWithASCIIString(key, "instr_id") == 0) entry.id = value;
      if (PyUnicode_CompareWithASCIIString(key, path_key) == 0) entry.path = value;
    }
    return entry;
  }

  // Other keys may name objects, or metrics.
  bool read_entry(PyObject* dict) {
    if (!PyDict_CheckExact(dict) || PyDict_Size(dict) != 2) return false;
    const auto [id_object, path] = entry_in(dict, out_.path_key.c_str());
    const auto id = text_in(id_object);
    if (!id || path == nullptr || !PyList_CheckExact(path)) return false;
    form_ = {};
    for (Py_ssize_t k = 0; k < PyList_Size(path); ++k) {
      if (!read_move(PyList_GetItem(path, k))) return false;
    }
    form_.path = out_.paths.end_path();
    is_nested_ |= form_.nested;
    has_headings_ |= form_.has_headings;
    has_viewpoint_ |= out_.paths.size_of(form_.path) > 0;
    out_.entries.push_back({.id = std::string(*id), .trajectory = form_});
    return true;
  }

  bool read_move(PyObject* move) {
    if (const auto name = text_in(move)) {
      form_.plain = true;
      add(*name);
      return true;
    }
    if (PyList_CheckExact(move)) return read_parts(move, PyList_Size(move), PyList_GetItem);
    if (PyTuple_CheckExact(move)) return read_parts(move, PyTuple_Size(move), PyTuple_GetItem);
    return false;
  }

  template <class Item>
  bool read_parts(PyObject* parts, Py_ssize_t size, const Item& item) {
    std::size_t names = 0;
    for (Py_ssize_t k = 0; k < size; ++k) {
      PyObject* const part = item(parts, k);
      if (const auto name = text_in(part)) {
        add(*name);
        ++names;
      } else if (names == 0 || !read_angle(part)) {
        return false;
      }
    }
    form_.nested |= names > 1;
    return names > 0;
  }

  bool read_angle(PyObject* part) {
    const bool is_float = PyFloat_CheckExact(part);
    if (!is_float && !PyLong_CheckExact(part)) return false;
    const double angle = PyFloat_AsDouble(part);
    if (!is_float && PyErr_Occurred() != nullptr) {  // an integer beyond doubles
      PyErr_Clear();
      return false;
    }
    form_.has_headings = true;
    form_.not_finite |= !std::isfinite(angle);
    angles_.push_back(angle);
    return true;
  }

  // Makes room for the entries that follow, as long as those before on average.
  void make_room(std::size_t read, std::size_t size) {
    constexpr std::size_t min_read = 64;
    if (read < min_read) return;
    const double part_read = static_cast<double>(read) / static_cast<double>(size);
    const auto grow = [&](auto& list) {
      formats::make_room(list, list.size() / read + 1, part_read);
    };
    grow(out_.entries);
    grow(out_.paths.offsets);
    grow(out_.paths.elements);
    if (!angles_.empty()) grow(angles_);
  }

  void add(std::string_view name) { out_.paths.elements.push_back(table_.intern(name)); }

  // Returns the hash of bytes that differ where scores may.
  std::string hash() const {
    std::string texts;
    constexpr std::size_t text_bytes = 64;  // of a name or an entry, more or less
    texts.reserve((table_.size() + out_.entries.size()) * text_bytes);
    const auto add_text = [&](const std::string& text) {
      texts += std::to_string(text.size());
      texts += ' ';
      texts += text;
    };
    add_text(out_.path_key);
    for (formats::Token t = 0; t < table_.size(); ++t) add_text(table_[t]);
    for (const formats::Prediction& entry : out_.entries) {
      const formats::Trajectory& form = entry.trajectory;
      add_text(entry.id);
      texts += form.nested ? 'n' : form.plain ? 'p' : form.has_headings ? 'h' : ' ';
    }
    io::ContentHash hash;
    hash.add(texts);
    const auto add_values = [&](const auto& values) {
      hash.add(std::to_string(values.size()) + '\n');
      hash.add(
          {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values.front())});
    };
    add_values(out_.paths.elements);
    add_values(out_.paths.offsets);
    add_values(angles_);
    return hash.text();
  }

  formats::Predictions& out_;
  formats::StringTable& table_;
  formats::Trajectory form_;
  std::vector<double> angles_;
  bool is_nested_ = false, has_headings_ = false, has_viewpoint_ = false;
};

nb::object hold_predictions(const std::string& name, nb::handle list) {
  auto read = std::make_shared<formats::EarlyPredictions>();
  if (!ObjectReader(*read).read(list.ptr())) return nb::none();
  read->predictions.file = name;
  return nb::cast(HeldPredictions{std::move(read)});
}

}  // namespace

void bind_held_predictions(nb::module_& m) {
  nb::class_<HeldPredictions>(m, "HeldPredictions");
  m.def("hold_predictions", &hold_predictions, "name"_a, "predictions"_a.none(),
        nb::sig("def hold_predictions(name: str, predictions: object) -> HeldPredictions | None"));
}

}  // namespace warpath::python
