#include "python/bindings/arrays.hpp"

namespace warpath::python {
namespace {

using nb::dlpack::dtype_code;

std::string type_name(const nb::dlpack::dtype& type) {
  const char* kind = type.code == static_cast<std::uint8_t>(dtype_code::Int)     ? "int"
                     : type.code == static_cast<std::uint8_t>(dtype_code::UInt)  ? "uint"
                     : type.code == static_cast<std::uint8_t>(dtype_code::Float) ? "float"
                     : type.code == static_cast<std::uint8_t>(dtype_code::Bool)  ? "bool"
                                                                                 : "other";
  return fmt::format("{}{}", kind, type.bits);
}

// Returns a type of NumPy and keeps it. No static variable of C++ waits for the import: it would do
// so with the GIL, which the import gives away.
PyTypeObject* type_of_numpy(const char* name, PyObject*& kept) {
  if (kept == nullptr) {
    kept = nb::object(nb::module_::import_("numpy").attr(name)).release().ptr();
  }
  return reinterpret_cast<PyTypeObject*>(kept);
}

constexpr const char* numbers = "give integers, float32 or float64";

// Returns an attribute, None where there is none or it cannot be read.
nb::object attribute(nb::handle object, const char* name) {
  return nb::getattr(object, name, nb::none());
}

// Returns what NumPy calls the kind of elements ("i", "M", "O"); empty for what has none.
std::string kind_of(nb::handle dtype) {
  const nb::object kind = attribute(dtype, "kind");
  return PyUnicode_Check(kind.ptr()) ? nb::borrow<nb::str>(kind).c_str() : "";
}

bool has_objects(const std::string& kind) {
  return kind == "O" || kind == "U" || kind == "T";
}

bool is_number(const std::string& kind, nb::handle dtype) {
  const nb::object size = attribute(dtype, "itemsize");
  std::size_t bytes = 0;
  if (!PyLong_Check(size.ptr()) || !nb::try_cast(size, bytes)) return false;
  return kind == "i" || kind == "u" ? bytes <= 8 : kind == "f" && (bytes == 4 || bytes == 8);
}

// Tells whether masked elements hide in an array. Of others `mask` is a method, or nothing.
bool has_masked(nb::handle object) {
  const nb::object mask = attribute(object, "mask");
  if (mask.is_none() || PyCallable_Check(mask.ptr()) != 0) return false;
  const nb::object any = attribute(mask, "any");
  return PyCallable_Check(any.ptr()) != 0 && PyObject_IsTrue(any().ptr()) == 1;
}

// Describes an array of NumPy by its own words: "datetime64[s][2, 3]".
std::string describe_object(nb::handle object, nb::handle dtype) {
  const nb::object shape = attribute(object, "shape");
  const std::string sizes =
      PyTuple_Check(shape.ptr()) ? short_repr(nb::list(shape)) : std::string();
  return short_text(nb::str(dtype)) + sizes;
}

bool is_aligned(const Array& array) {
  const auto address = reinterpret_cast<std::uintptr_t>(array.data());
  return array.itemsize() == 0 || address % array.itemsize() == 0;
}

bool is_readable(const Array& array) {
  const std::size_t bits = array.dtype().bits;
  return is_integer(array) ? bits <= 64 : is_float(array) && (bits == 32 || bits == 64);
}

}  // namespace

bool is_numpy_scalar(nb::handle object) {
  static PyObject* generic = nullptr;
  return PyObject_TypeCheck(object.ptr(), type_of_numpy("generic", generic)) != 0;
}

bool is_bool(nb::handle object) {
  static PyObject* boolean = nullptr;
  if (PyLong_Check(object.ptr())) return PyBool_Check(object.ptr());
  return PyObject_TypeCheck(object.ptr(), type_of_numpy("bool_", boolean)) != 0;
}

void check_elements(nb::handle object, const std::string& argument) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return;
  const nb::object dtype = attribute(object, "dtype");
  const std::string kind = kind_of(dtype);
  if (kind.empty()) return;
  if (!has_objects(kind) && !is_number(kind, dtype)) {
    throw InputError({argument}, "is an array " + describe_object(object, dtype), numbers);
  }
  if (has_masked(object)) {
    throw InputError({argument}, "has masked elements",
                     "fill them, as with filled(-1), or leave them out");
  }
}

std::optional<Array> find_array(nb::handle object, const std::string& argument) {
  PyObject* const o = object.ptr();
  if (PyList_Check(o) || PyTuple_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
      PyByteArray_Check(o)) {
    return std::nullopt;
  }
  if (is_numpy_scalar(object)) return std::nullopt;  // some export memory that is not there
  check_elements(object, argument);
  if (has_objects(kind_of(attribute(object, "dtype")))) return std::nullopt;
  Array array;
  if (!nb::try_cast(object, array, false) || !is_aligned(array)) return std::nullopt;
  if (is_readable(array)) return array;
  throw InputError({argument}, "is an array " + describe(array), numbers);
}

Array array_of(nb::handle object, std::size_t dimensions, const std::string& argument) {
  const std::optional<Array> array = find_array(object, argument);
  const std::string wanted = fmt::format(
      "give an array of numbers of {} dimension{} in the host's memory, aligned and in native "
      "byte order",
      dimensions, dimensions == 1 ? "" : "s");
  if (!array) {
    throw InputError({argument}, fmt::format("is of type {}", nb::type_name(object.type()).c_str()),
                     wanted);
  }
  if (array->ndim() != dimensions) {
    throw InputError({argument}, fmt::format("is an array {}", describe(*array)), wanted);
  }
  return *array;
}

bool is_integer(const Array& array) {
  const auto code = array.dtype().code;
  return (code == static_cast<std::uint8_t>(dtype_code::Int) ||
          code == static_cast<std::uint8_t>(dtype_code::UInt)) &&
         array.dtype().lanes == 1;
}

bool is_float(const Array& array) {
  return array.dtype().code == static_cast<std::uint8_t>(dtype_code::Float) &&
         array.dtype().lanes == 1;
}

std::string describe(const Array& array) {
  std::string shape;
  for (std::size_t d = 0; d < array.ndim(); ++d) {
    shape += fmt::format("{}{}", d == 0 ? "" : ", ", array.shape(d));
  }
  return fmt::format("{}[{}]", type_name(array.dtype()), shape);
}

Extent extent_of(const Array& array) {
  const auto* first = static_cast<const std::byte*>(array.data());
  Extent extent{first, first};
  if (array.size() == 0) return {};
  const auto bytes = static_cast<std::int64_t>(array.itemsize());
  for (std::size_t d = 0; d < array.ndim(); ++d) {
    const std::int64_t reach =
        array.stride(d) * static_cast<std::int64_t>(array.shape(d) - 1) * bytes;
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  extent.end += bytes;
  return extent;
}

std::string short_text(const nb::str& text) {
  constexpr std::size_t max_size = 80;
  const nb::object words = text.attr("split")();
  const nb::object line = nb::str(" ").attr("join")(words);
  const bool is_short = nb::len(line) <= max_size;
  const nb::object part = is_short ? line : nb::object(line[nb::slice(std::size_t{0}, max_size)]);
  const nb::object bytes = part.attr("encode")("utf-8", "backslashreplace");  // lone surrogates
  const auto utf8 = nb::cast<nb::bytes>(bytes);
  return std::string(utf8.c_str(), utf8.size()) + (is_short ? "" : "…");
}

std::string short_repr(nb::handle object) {
  PyObject* const text = PyObject_Repr(object.ptr());
  if (text != nullptr) return short_text(nb::steal<nb::str>(text));
  PyErr_Clear();  // what cannot be printed is named
  return fmt::format("a {}", nb::type_name(object.type()).c_str());
}

std::string utf8_of(nb::handle text, const InputError::Where& where) {
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (utf8 != nullptr) return {utf8, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw InputError(where, fmt::format("is {}, which has a lone surrogate", short_repr(text)),
                   "give text that UTF-8 can hold");
}

}  // namespace warpath::python
