#include "python/bindings/paths.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/copy_viewpoints.hpp"
#include "python/bindings/packed_rows.hpp"

namespace warpath::python {
namespace {

template <class T>
bool lies_as(const Array& array) {
  const std::int64_t row = array.ndim() == 2 ? static_cast<std::int64_t>(array.shape(1)) : 1;
  return array.itemsize() == sizeof(T) && array.stride(0) == row &&
         (array.ndim() == 1 || array.stride(1) == 1);
}

}  // namespace

PathArgument::PathArgument(nb::handle object, std::string name, const char* kind)
    : name_(std::move(name)), kind_(kind) {
  if (nb::isinstance<CsrPaths>(object)) {
    const auto& csr = nb::cast<const CsrPaths&>(object);
    set_objects(csr.values, csr.offsets, Form::csr);
  } else if (nb::isinstance<PaddedPaths>(object)) {
    const auto& padded = nb::cast<const PaddedPaths&>(object);
    set_objects(padded.values, padded.lengths, Form::padded);
  } else if (find_array(object, name_)) {
    set_objects(object, nb::none(), Form::padded);
  } else {
    look_at_sequence(object);
  }
  if (size_ > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError({name_}, fmt::format("has {} paths", size_), "give fewer than 2^32 at a time");
  }
}

PathArgument::PathArgument(const Array& rows, std::optional<Array> lengths, std::string name)
    : name_(std::move(name)), values_(rows), bounds_(std::move(lengths)) {
  set_arrays(Form::padded);
}

void PathArgument::set_objects(nb::handle values, nb::handle bounds, Form form) {
  values_ = find_array(values, name_);
  if (!values_) {
    throw InputError({name_}, fmt::format("holds a {}", nb::type_name(values.type()).c_str()),
                     accepted(form));
  }
  if (form == Form::csr || !bounds.is_none()) {
    bounds_ = array_of(bounds, 1, name_ + (form == Form::csr ? ".offsets" : ".lengths"));
  }
  set_arrays(form);
}

const char* PathArgument::accepted(Form form) {
  return form == Form::csr
             ? "give viewpoints as integers [elements], or points as floats [elements, 3]"
             : "give viewpoints as integers [pairs, length], or points as floats [pairs, length, "
               "3]";
}

void PathArgument::set_arrays(Form form) {
  form_ = form;
  const std::size_t dimensions = form == Form::csr ? 1 : 2;
  has_points_ = is_float(*values_);
  const bool has_shape = has_points_
                             ? values_->ndim() == dimensions + 1 && values_->shape(dimensions) == 3
                             : is_integer(*values_) && values_->ndim() == dimensions;
  if (!has_shape) {
    throw InputError({name_}, "is an array " + describe(*values_), accepted(form));
  }
  size_ = form == Form::padded ? values_->shape(0) : bounds_->shape(0);
  if (form == Form::csr) {
    if (size_ == 0) throw InputError({name_ + ".offsets"}, "is empty", "begin it with 0");
    --size_;
  } else if (bounds_ && bounds_->shape(0) != size_) {
    throw InputError({name_ + ".lengths"},
                     fmt::format("has {} values for {} rows", bounds_->shape(0), size_),
                     "give one for each row");
  }
}

void PathArgument::add_extents(std::vector<Extent>& to) const {
  if (values_) to.push_back(extent_of(*values_));
  if (bounds_) to.push_back(extent_of(*bounds_));
}

std::string PathArgument::pair(std::size_t p) const {
  return fmt::format("{} {}", kind_, p);
}

std::vector<std::uint64_t> PathArgument::read_lengths() const {
  const std::size_t width = values_->shape(1);
  std::vector<std::uint64_t> lengths;
  if (!bounds_) return lengths;
  lengths.resize(size_);
  visit_integers(*bounds_, name_ + ".lengths", [&](const auto& given) {
    for (std::size_t p = 0; p < size_; ++p) {
      const auto n = given(p);
      if (std::cmp_less(n, 0) || std::cmp_greater(n, width)) {
        throw InputError({name_ + ".lengths", pair(p)},
                         fmt::format("is {} in rows of {}", n, width),
                         "give the number of elements that belong to the path");
      }
      lengths[p] = static_cast<std::uint64_t>(n);
    }
  });
  return lengths;
}

std::span<const std::uint64_t> PathArgument::read_offsets(std::vector<std::uint64_t>& copy) const {
  const std::string name = name_ + ".offsets";
  const std::size_t elements = values_->shape(0);
  copy.resize(size_ + 1);
  visit_integers(*bounds_, name, [&](const auto& offset) {
    std::uint64_t before = 0;
    for (std::size_t p = 0; p <= size_; ++p) {
      const auto at = offset(p);  // read once: other threads may write to it
      const bool is_right = p == 0 ? at == 0 : std::cmp_greater_equal(at, before);
      if (!is_right || std::cmp_greater(at, elements)) {
        throw InputError({name, fmt::format("element {}", p)},
                         fmt::format("is {} over {} values", at, elements),
                         "begin with 0 and let offsets rise up to the number of values");
      }
      copy[p] = before = static_cast<std::uint64_t>(at);
    }
    if (before != elements) {
      throw InputError({name}, fmt::format("ends at {} of {} values", before, elements),
                       "end with the number of values");
    }
  });
  return copy;
}

PathView<Node> PathArgument::pack() {
  if (form_ == Form::sequence) return nodes_;
  const auto node = [&](auto value, std::size_t k) {
    if (!std::in_range<Node>(value)) {
      throw InputError({name_, fmt::format("element {}", k)}, fmt::format("is {}", value),
                       "number viewpoints from 0, by scan");
    }
    return static_cast<Node>(value);
  };
  if (form_ == Form::csr) {
    const auto offsets = read_offsets(nodes_.offsets);
    if (lies_as<Node>(*values_)) {  // negative ones are beyond every scan
      return {{static_cast<const Node*>(values_->data()), values_->shape(0)}, offsets};
    }
    visit_integers(*values_, name_, [&](const auto& value) {
      nodes_.elements.resize(values_->shape(0));
      for (std::size_t k = 0; k < nodes_.elements.size(); ++k) {
        nodes_.elements[k] = node(value(k), k);
      }
    });
    return {nodes_.elements, offsets};
  }
  const std::size_t width = values_->shape(1);
  const std::vector<std::uint64_t> lengths = read_lengths();
  PathView<Node> view;
  visit_integers(*values_, name_, [&](const auto& value) {
    bool is_right = true;
    const auto read = [&](std::size_t p, Node* to) {
      const std::size_t n = bounds_ ? lengths[p] : width, found = copy_row(value, p, n, to);
      if (found < n && (bounds_ || !std::cmp_less(value(p, found), 0))) is_right = false;
      return bounds_ ? n : found;
    };
    view = pack_rows(size_, width, read, nodes_);
    if (is_right) return;
    for (std::size_t p = 0; p < size_; ++p) {  // throws at the first that is out of range
      const std::size_t n = bounds_ ? lengths[p] : width;
      for (std::size_t k = 0; k < n; ++k) {
        if (!bounds_ && std::cmp_less(value(p, k), 0)) break;
        node(value(p, k), p * width + k);
      }
    }
  });
  return view;
}

PathView<std::array<double, 3>> PathArgument::pack_points() {
  using Point = std::array<double, 3>;
  if (form_ == Form::sequence) return points_;
  if (form_ == Form::csr) {
    const auto offsets = read_offsets(points_.offsets);
    if (lies_as<double>(*values_)) {
      return {{static_cast<const Point*>(values_->data()), values_->shape(0)}, offsets};
    }
    visit_floats(*values_, name_, [&](const auto& value) {
      points_.elements.resize(values_->shape(0));
      for (std::size_t k = 0; k < points_.elements.size(); ++k) {
        points_.elements[k] = {value(k, 0), value(k, 1), value(k, 2)};
      }
    });
    return {points_.elements, offsets};
  }
  const std::size_t width = values_->shape(1);
  const std::vector<std::uint64_t> lengths = read_lengths();
  PathView<Point> view;
  visit_floats(*values_, name_, [&](const auto& value) {
    const auto read = [&](std::size_t p, Point* to) {
      const std::size_t n = bounds_ ? lengths[p] : width;
      std::size_t k = 0;
      for (; k < n && (bounds_ || !std::isnan(value(p, k, 0))); ++k) {
        to[k] = {value(p, k, 0), value(p, k, 1), value(p, k, 2)};
      }
      return k;
    };
    view = pack_rows(size_, width, read, points_);
  });
  return view;
}

void bind_paths(nb::module_& m) {
  nb::class_<CsrPaths>(m, "CsrPaths",
                       "Holds paths that lie one after the other: path p is "
                       "``values[offsets[p]:offsets[p + 1]]``.\n\n"
                       "values: viewpoints, integers [elements], or points, floats [elements, 3]\n"
                       "offsets: integers [paths + 1], the first is 0\n\n"
                       "Viewpoints of 32 bits (points of 64) are not copied.")
      .def(nb::init<nb::object, nb::object>(), "values"_a.none(), "offsets"_a.none())
      .def_ro("values", &CsrPaths::values)
      .def_ro("offsets", &CsrPaths::offsets);
  nb::class_<PaddedPaths>(
      m, "PaddedPaths",
      "Holds paths in rows of equal length: path p is ``values[p, :lengths[p]]``.\n\n"
      "values: viewpoints, integers [paths, length], or points, floats [paths, length, 3]\n"
      "lengths: integers [paths]; without them a row ends before its first negative viewpoint, or "
      "its first NaN")
      .def(nb::init<nb::object, nb::object>(), "values"_a.none(), "lengths"_a = nb::none())
      .def_ro("values", &PaddedPaths::values)
      .def_ro("lengths", &PaddedPaths::lengths);
}

}  // namespace warpath::python
