#pragma once

#include <string>

namespace warpath::testing {

/// Returns the text of a document of this repository between two comments: `<!-- COMMENT -->` and
/// `<!-- end -->`, each on a line of its own. Fails the test if one of them is missing.
std::string generated_text(const std::string& document, const std::string& comment);

/// Expects a document to have the lines of a test's source between `// NAME begins` and
/// `// NAME ends`, without their indentation of two spaces, as a block of C++ code or its end.
void expect_example(const std::string& document, const std::string& test, const std::string& name);

}  // namespace warpath::testing
