#include <atomic>

#include "python/bindings/bindings.hpp"
#include "python/bindings/python_words.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

// Whether the commands that are written in Python run, whose users know options.
std::atomic<bool> is_command = false;

nb::str said(std::string_view message) {
  return to_str(is_command ? std::string(message) : in_python(message));
}

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
          nb::make_tuple(said(e.what()),
                         nb::make_tuple(to_str(e.where().file), to_str(e.where().item),
                                        to_str(e.where().field)),
                         said(e.problem()), said(e.remedy())));
  } catch (const UsageError& e) {
    raise("UsageError", nb::make_tuple(said(e.what())));
  } catch (const CudaError& e) {
    raise("CudaError", nb::make_tuple(to_str(e.what()), e.code()));
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def(
      "name_options", [](bool on) { is_command = on; }, "on"_a,
      "Lets errors name options of the command line, or arguments of functions (as from the "
      "start).");
}

}  // namespace warpath::python
