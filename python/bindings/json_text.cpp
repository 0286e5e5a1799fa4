// Writes the JSON of plain Python objects, byte for byte as json.dumps does.
#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

class JsonText {
 public:
  // Writes a value. Returns false for what json.dumps has to write, or refuse: objects of other
  // types, also those derived from the ones here, large integers, and what is nested deeply.
  bool write(PyObject* value, int depth = 0) {
    constexpr int max_depth = 64;
    if (depth > max_depth) return false;
    if (PyUnicode_CheckExact(value)) return write_text(value);
    if (PyFloat_CheckExact(value)) return write_float(PyFloat_AsDouble(value));
    if (PyList_CheckExact(value)) return write_list(value, depth);
    if (PyDict_CheckExact(value)) return write_dict(value, depth);
    if (PyLong_CheckExact(value)) return write_integer(value);
    if (value == Py_None) return add("null");
    if (value == Py_True) return add("true");
    if (value == Py_False) return add("false");
    return false;
  }

  const std::string& text() const { return text_; }
  bool add(std::string_view more) {
    text_ += more;
    return true;
  }

 private:
  bool write_list(PyObject* list, int depth) {
    text_ += '[';
    for (Py_ssize_t k = 0; k < PyList_Size(list); ++k) {
      if (k > 0) text_ += ", ";
      if (!write(PyList_GetItem(list, k), depth + 1)) return false;
    }
    return add("]");
  }

  bool write_dict(PyObject* dict, int depth) {
    text_ += '{';
    Py_ssize_t place = 0;
    PyObject *key = nullptr, *value = nullptr;
    for (bool is_first = true; PyDict_Next(dict, &place, &key, &value) != 0; is_first = false) {
      if (!is_first) text_ += ", ";
      if (!PyUnicode_CheckExact(key) || !write_text(key)) return false;
      text_ += ": ";
      if (!write(value, depth + 1)) return false;
    }
    return add("}");
  }

  bool write_integer(PyObject* value) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) return false;
    fmt::format_int digits(number);
    return add({digits.data(), digits.size()});
  }

  bool write_float(double value) {
    if (std::isnan(value)) return add("NaN");
    if (std::isinf(value)) return add(value > 0 ? "Infinity" : "-Infinity");
    const std::unique_ptr<char, decltype(&PyMem_Free)> digits(
        PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr), &PyMem_Free);
    if (digits == nullptr) throw nb::python_error();
    return add(digits.get());
  }

  bool write_text(PyObject* value) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(value, &size);
    if (utf8 == nullptr) {  // it has lone surrogates
      PyErr_Clear();
      return false;
    }
    text_ += '"';
    std::string_view rest(utf8, static_cast<std::size_t>(size));
    while (!rest.empty()) {
      const auto special = std::ranges::find_if_not(rest, is_written_as_it_is);
      const auto plain = static_cast<std::size_t>(special - rest.begin());
      text_ += rest.substr(0, plain);
      rest.remove_prefix(plain);
      if (!rest.empty()) rest.remove_prefix(write_character(rest));
    }
    return add("\"");
  }

  static bool is_written_as_it_is(char c) {
    return c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
  }

  // Writes the first character of a text, which is_written_as_it_is is not true of. Returns the
  // number of its bytes.
  std::size_t write_character(std::string_view rest) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(rest[k]); };
    const auto tail = [&](std::size_t k) { return byte(k) & 0x3Fu; };
    if (byte(0) < 0x80) {
      write_ascii(rest[0]);
      return 1;
    }
    if (byte(0) < 0xE0) {
      write_unit((byte(0) & 0x1Fu) << 6 | tail(1));
      return 2;
    }
    if (byte(0) < 0xF0) {
      write_unit((byte(0) & 0x0Fu) << 12 | tail(1) << 6 | tail(2));
      return 3;
    }
    const unsigned beyond =
        ((byte(0) & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)) - 0x10000u;
    write_unit(0xD800u + (beyond >> 10));
    write_unit(0xDC00u + (beyond & 0x3FFu));
    return 4;
  }

  void write_ascii(char c) {
    constexpr std::string_view escaped = "\"\\\n\r\t\f\b", letters = "\"\\nrtfb";
    if (const std::size_t k = escaped.find(c); k != escaped.npos) {
      text_ += '\\';
      text_ += letters[k];
    } else {
      write_unit(static_cast<unsigned char>(c));
    }
  }

  void write_unit(unsigned unit) { fmt::format_to(std::back_inserter(text_), "\\u{:04x}", unit); }

  std::string text_;
};

nb::object json_text(nb::handle value) {
  JsonText json;
  return json.write(value.ptr()) ? nb::object(to_str(json.text())) : nb::none();
}

}  // namespace

void bind_json_text(nb::module_& m) {
  m.def("json_text", &json_text, "value"_a.none(),
        nb::sig("def json_text(value: object) -> str | None"));
}

}  // namespace warpath::python
