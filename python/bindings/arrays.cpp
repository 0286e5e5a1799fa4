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

}  // namespace

std::optional<Array> find_array(nb::handle object) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyUnicode_Check(object.ptr())) {
    return std::nullopt;
  }
  Array array;
  if (nb::try_cast(object, array, false)) return array;
  return std::nullopt;
}

Array array_of(nb::handle object, std::size_t dimensions, const std::string& argument) {
  const std::optional<Array> array = find_array(object);
  const std::string wanted = fmt::format("give an array of {} dimension{} in the host's memory",
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

std::string short_repr(nb::handle object) {
  constexpr std::size_t max_size = 80;
  const nb::object words = nb::repr(object).attr("split")();
  const nb::object line = nb::str(" ").attr("join")(words);
  if (nb::len(line) <= max_size) return nb::str(line).c_str();
  return std::string(nb::str(nb::object(line[nb::slice(std::size_t{0}, max_size)])).c_str()) + "…";
}

}  // namespace warpath::python
