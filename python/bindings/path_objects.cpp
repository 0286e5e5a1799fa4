// Reads paths out of lists and other Python objects.
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/paths.hpp"

namespace warpath::python {
namespace {

// Calls take(item, position) for each item of a sequence or other iterable.
template <class Take>
void for_each(nb::handle sequence, Take&& take) {
  if (!PyList_Check(sequence.ptr())) {
    std::size_t k = 0;
    for (nb::handle item : sequence) take(item, k++);
    return;
  }
  for (Py_ssize_t k = 0; k < PyList_Size(sequence.ptr()); ++k) {  // an item's code may change it
    take(nb::borrow(PyList_GetItem(sequence.ptr(), k)), static_cast<std::size_t>(k));
  }
}

bool is_sequence(nb::handle object) {
  PyObject* const o = object.ptr();
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  if (PySequence_Check(o) == 0 || PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o) ||
      PyDict_Check(o) || is_numpy_scalar(object)) {
    return false;
  }
  if (PyObject_Size(o) >= 0) return true;
  PyErr_Clear();  // as of an array without dimensions
  return false;
}

// Tells whether a path consists of points; nothing for an empty one.
std::optional<bool> has_points(nb::handle path, const std::string& argument) {
  if (const auto array = find_array(path, argument)) {
    if (array->ndim() == 2) return true;
    return array->ndim() == 1 && array->shape(0) > 0 ? std::optional(false) : std::nullopt;
  }
  if (!is_sequence(path) || nb::len(path) == 0) return std::nullopt;
  for (nb::handle first : path) {
    if (const auto array = find_array(first, argument)) return array->ndim() > 0;
    return is_sequence(first);
  }
  return std::nullopt;
}

std::optional<long long> integer_of(nb::handle item) {
  if (PyLong_CheckExact(item.ptr())) {
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(item.ptr(), &overflow);  // -1 beyond 64 bits
  }
  if (PyFloat_Check(item.ptr()) || is_bool(item)) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value != -1 || !PyErr_Occurred()) return value;
  PyErr_Clear();
  return -1;
}

// Reads viewpoints of one pair.
struct ViewpointReader {
  const std::string& argument;
  const char* kind;
  const Scan& scan;
  std::size_t pair;

  InputError::Where where(std::size_t k) const {
    return {argument, fmt::format("{} {}", kind, pair), fmt::format("viewpoint {}", k)};
  }

  Node operator()(nb::handle item, std::size_t k) const {
    if (PyUnicode_Check(item.ptr())) return by_id(item, k);
    const std::optional<long long> value = integer_of(item);
    if (!value) {
      throw InputError(where(k), "is " + short_repr(item),
                       "give ids of viewpoints, or their numbers in the scan");
    }
    if (!exists(*value)) refuse(short_repr(item), k);
    return static_cast<Node>(*value);
  }

  // Reads a path that is an array.
  void operator()(const Array& array, std::vector<Node>& to) const {
    visit_integers(array, argument, [&](const auto& value) {
      for (std::size_t k = 0; k < array.shape(0); ++k) {
        const auto number = value(k);
        if (!exists(number)) refuse(fmt::format("{}", number), k);
        to.push_back(static_cast<Node>(number));
      }
    });
  }

  template <class T>
  bool exists(T number) const {
    return std::cmp_greater_equal(number, 0) && std::cmp_less(number, scan.size());
  }

  [[noreturn]] void refuse(const std::string& number, std::size_t k) const {
    throw InputError(
        where(k), fmt::format("is {} in scan {} of {} viewpoints", number, scan.id(), scan.size()),
        "number viewpoints from 0, by scan");
  }

  Node by_id(nb::handle item, std::size_t k) const {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) utf8_of(item, where(k));  // throws
    const auto node = scan.find({text, static_cast<std::size_t>(size)});
    if (node) return *node;
    throw InputError(where(k),
                     fmt::format("is {}, which scan {} does not have", short_repr(item), scan.id()),
                     fmt::format("is the scan of this {} the right one?", kind));
  }
};

std::array<double, 3> point_of(nb::handle item, const InputError::Where& where) {
  const auto fail = [&]() {
    throw InputError(where, "is " + short_repr(item), "give points as x, y, z in metres");
  };
  std::array<double, 3> point{};
  if (!is_sequence(item) || nb::len(item) != 3) fail();
  std::size_t d = 0;
  for (nb::handle x : item) {
    if (d == 3) fail();
    point[d] = PyFloat_AsDouble(x.ptr());
    if (point[d++] == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      fail();
    }
  }
  if (d != 3) fail();
  return point;
}

}  // namespace

void PathArgument::look_at_sequence(nb::handle object) {
  if (!is_sequence(object)) {
    throw InputError({name_}, fmt::format("is of type {}", nb::type_name(object.type()).c_str()),
                     "give a list of paths, an integer array [pairs, viewpoints], PaddedPaths or "
                     "CsrPaths");
  }
  sequence_ = nb::borrow(object);
  size_ = nb::len(object);
  std::size_t p = 0;
  for (nb::handle path : object) {
    if (p++ == size_) return;  // it grows, which the reader refuses
    const std::optional<bool> points = python::has_points(path, name_);
    if (points) {
      has_points_ = *points;
      return;
    }
  }
}

void PathArgument::read_ids(const ScanOfPair& scans) {
  if (form_ != Form::sequence) return;
  nodes_.elements.clear();
  nodes_.offsets.assign(1, 0);
  nodes_.offsets.reserve(size_ + 1);
  for_each(sequence_, [&](nb::handle path, std::size_t p) {
    if (p >= size_) throw InputError({name_}, "grew while it was read", "leave it as it is");
    const std::optional<Array> array = find_array(path, name_);
    if (!is_sequence(path) && !(array && array->ndim() > 0)) {
      throw InputError({name_, pair(p)}, "is " + short_repr(path), "give a list of viewpoints");
    }
    const ViewpointReader read{name_, kind_, scans.scan(p), p};
    if (array && array->ndim() == 1 && is_integer(*array)) {
      read(*array, nodes_.elements);
    } else {
      for_each(path,
               [&](nb::handle item, std::size_t k) { nodes_.elements.push_back(read(item, k)); });
    }
    nodes_.end_path();
  });
  if (nodes_.size() != size_)
    throw InputError({name_}, "shrank while it was read", "leave it as it is");
}

void PathArgument::read_points() {
  if (form_ != Form::sequence) return;
  points_.offsets.reserve(size_ + 1);
  for_each(sequence_, [&](nb::handle path, std::size_t p) {
    if (const auto array = find_array(path, name_);
        array && is_float(*array) && array->ndim() == 2 && array->shape(1) == 3) {
      visit_floats(*array, name_, [&](const auto& x) {
        for (std::size_t k = 0; k < array->shape(0); ++k) {
          points_.elements.push_back({x(k, 0), x(k, 1), x(k, 2)});
        }
      });
    } else if (is_sequence(path)) {
      for_each(path, [&](nb::handle item, std::size_t k) {
        points_.elements.push_back(point_of(item, {name_, pair(p), fmt::format("point {}", k)}));
      });
    } else {
      throw InputError({name_, pair(p)}, "is " + short_repr(path),
                       "give points as floats [points, 3]");
    }
    points_.end_path();
  });
  if (points_.size() != size_)
    throw InputError({name_}, "changed while it was read", "leave it as it is");
}

}  // namespace warpath::python
