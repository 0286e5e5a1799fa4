#include "python/bindings/columns.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace warpath::python {
namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object column(T* data, std::size_t size, const nb::capsule& owner) {
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner).cast();
}

// Keeps where arrays lie, and refuses one that lies over another.
class Places {
 public:
  explicit Places(const std::vector<Extent>& inputs) : inputs_(inputs) {}

  void add(const Extent& place, const InputError::Where& where) {
    const auto overlaps = [&](const Extent& other) { return place.overlaps(other); };
    const bool is_input = std::ranges::any_of(inputs_, overlaps);
    if (is_input || std::ranges::any_of(columns_, overlaps)) {
      throw InputError(
          where,
          fmt::format("shares memory with {}", is_input ? "what is scored" : "another column"),
          "give each column memory of its own");
    }
    columns_.push_back(place);
  }

 private:
  const std::vector<Extent>& inputs_;
  std::vector<Extent> columns_;
};

template <class T>
T* memory_of(nb::handle array, const std::string& name, std::size_t pairs, Places& places) {
  const InputError::Where where{"out", name};
  check_elements(array, "out: " + name);
  Column<T> memory;
  if (is_numpy_scalar(array) || !nb::try_cast(array, memory, false) ||
      reinterpret_cast<std::uintptr_t>(memory.data()) % sizeof(T) != 0) {
    const auto any = find_array(array, "out: " + name);
    throw InputError(where,
                     any ? "is an array " + describe(*any) + ", perhaps strided or read-only"
                         : fmt::format("is of type {}", nb::type_name(array.type()).c_str()),
                     fmt::format("give a writable, contiguous array of {}, as all columns are",
                                 sizeof(T) == 1   ? "uint8"
                                 : sizeof(T) == 4 ? "float32"
                                                  : "float64"));
  }
  if (memory.shape(0) != pairs) {
    throw InputError(where, fmt::format("has {} elements for {} pairs", memory.shape(0), pairs),
                     "give one for each pair");
  }
  const auto* first = reinterpret_cast<const std::byte*>(memory.data());
  places.add({first, first + pairs * sizeof(T)}, where);
  return memory.data();
}

}  // namespace

nb::object to_numpy(std::unique_ptr<std::vector<double>> values,
                    std::initializer_list<std::size_t> shape) {
  std::vector<double>* kept = values.get();
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  values.release();  // NOLINT: the capsule owns it
  return nb::ndarray<nb::numpy, double>(kept->data(), shape, owner).cast();
}

nb::dict to_numpy(std::unique_ptr<Scores> scores, const std::vector<Metric>& metrics) {
  Scores* s = scores.get();
  const nb::capsule owner(s, [](void* p) noexcept { delete static_cast<Scores*>(p); });
  scores.release();  // NOLINT: the capsule owns it
  nb::dict out;
  for (const Metric m : metrics) {
    out[to_str(info(m).name)] = column(s->column[m].data(), s->column[m].size(), owner);
  }
  out["status"] = column(reinterpret_cast<std::uint8_t*>(s->status.data()), s->size(), owner);
  out["zero_rules"] = column(s->zero_rules.data(), s->zero_rules.size(), owner);
  return out;
}

template <class T>
ScoreColumns<T> columns_of(const nb::dict& out, std::size_t pairs,
                           const std::vector<Extent>& inputs) {
  Places places(inputs);
  ScoreColumns<T> columns;
  for (const auto [key, array] : out) {
    if (!PyUnicode_Check(key.ptr())) {
      throw InputError({"out"}, "has the key " + short_repr(key), "name metrics");
    }
    const std::string name = utf8_of(key, {"out"});
    if (name == "status") {
      columns.status =
          reinterpret_cast<Status*>(memory_of<std::uint8_t>(array, name, pairs, places));
    } else if (name == "zero_rules") {
      columns.zero_rules = memory_of<std::uint8_t>(array, name, pairs, places);
    } else {
      T*& column = columns.column[find_metrics(std::vector{name}).front()];
      if (column != nullptr) {
        throw InputError({"out", name}, "is given twice", "give one array for each metric");
      }
      column = memory_of<T>(array, name, pairs, places);
    }
  }
  return columns;
}

template ScoreColumns<float> columns_of<float>(const nb::dict&, std::size_t,
                                               const std::vector<Extent>&);
template ScoreColumns<double> columns_of<double>(const nb::dict&, std::size_t,
                                                 const std::vector<Extent>&);

bool has_floats(const nb::dict& out) {
  for (const auto [key, value] : out) {
    const auto array = find_array(value, "out");
    if (array && array->itemsize() == sizeof(float)) return true;
    if (array && array->itemsize() == sizeof(double)) return false;
  }
  return false;
}

}  // namespace warpath::python
