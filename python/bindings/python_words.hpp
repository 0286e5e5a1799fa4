#pragma once

#include <string>
#include <string_view>

namespace warpath::python {

/// Says in Python's words what a message says in those of the command line: `--missing zero`
/// becomes `missing="zero"`, `--ground-truth` becomes `ground_truth`. Options that no function of
/// the package has stay.
std::string in_python(std::string_view message);

}  // namespace warpath::python
