#include "python/bindings/numpy_exp.hpp"

namespace warpath::python {

namespace nb = nanobind;

NumpyExp::NumpyExp() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  exp_ = numpy.attr("exp");
  try {
    const nb::object types = nb::make_tuple(numpy.attr("dtype")("float64"), nb::none());
    context_ = exp_.attr("_resolve_dtypes_and_context")(types)[1];
    exp_.attr("_get_strided_loop")(context_);
  } catch (const nb::python_error&) {
    return;  // an earlier version of NumPy, or a later one that has other functions
  }
  info_ = static_cast<const CallInfo*>(PyCapsule_GetPointer(context_.ptr(), capsule_name));
  if (info_ == nullptr) PyErr_Clear();
}

double NumpyExp::operator()(double x) const {
  if (info_ == nullptr) return nb::cast<double>(exp_(x));
  // Apart, as arrays are: for memory that touches, the loop takes the C library's function.
  struct {
    alignas(64) double x;
    alignas(64) double y;
  } values = {x, 0.0};
  char* const data[] = {reinterpret_cast<char*>(&values.x), reinterpret_cast<char*>(&values.y)};
  constexpr std::intptr_t count = 1, strides[] = {sizeof x, sizeof x};
  info_->loop(info_->context, data, &count, strides, info_->auxiliary);
  return values.y;
}

}  // namespace warpath::python
