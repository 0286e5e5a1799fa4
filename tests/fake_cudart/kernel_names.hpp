#pragma once

#include <string>

namespace warpath::testing {

/// Returns a mangled name without the identifiers that nvcc and its toolkit give to a build: the
/// namespaces of internal linkage, named after hashes of the file, and those of the toolkit's
/// templates, named after architectures. PTX and machine code come from different builds of a file.
std::string name_without_build(const std::string& mangled);

}  // namespace warpath::testing
