#include "python/bindings/bindings.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

// The classes are Python's own (warpath/errors.py), so that they can be pickled. They are imported
// when the first error is raised: the package imports this module while it is being imported.
void raise(const char* name, const nb::object& arguments) {
  const nb::object type = nb::module_::import_("warpath.errors").attr(name);
  const nb::object error = type(*nb::borrow<nb::tuple>(arguments));
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& pending, void*) {
  try {
    std::rethrow_exception(pending);
  } catch (const InputError& e) {
    raise("InputError",
          nb::make_tuple(to_str(e.what()),
                         nb::make_tuple(to_str(e.where().file), to_str(e.where().item),
                                        to_str(e.where().field)),
                         to_str(e.problem()), to_str(e.remedy())));
  } catch (const UsageError& e) {
    raise("UsageError", nb::make_tuple(to_str(e.what())));
  } catch (const CudaError& e) {
    raise("CudaError", nb::make_tuple(to_str(e.what()), e.code()));
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace warpath::python
