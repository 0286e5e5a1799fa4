#include "tests/support/documents.hpp"

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

// Returns nothing if one of the two is missing.
std::string text_between(const std::string& text, const std::string& begin,
                         const std::string& end) {
  const std::size_t at = text.find(begin);
  const std::size_t first = at == std::string::npos ? at : at + begin.size();
  const std::size_t last = at == std::string::npos ? at : text.find(end, first);
  EXPECT_NE(last, std::string::npos) << begin << "…\n" << end;
  return last == std::string::npos ? "" : text.substr(first, last - first);
}

}  // namespace

std::string generated_text(const std::string& document, const std::string& comment) {
  return text_between(read_text(source(document)), "<!-- " + comment + " -->\n", "<!-- end -->\n");
}

void expect_example(const std::string& document, const std::string& test, const std::string& name) {
  std::string code = "\n" + text_between(read_text(source(test)), "  // " + name + " begins\n",
                                         "  // " + name + " ends\n");
  ASSERT_GT(code.size(), 1u);
  for (std::size_t at = 0; (at = code.find("\n  ", at)) != std::string::npos; ++at) {
    code.erase(at + 1, 2);
  }
  EXPECT_NE(read_text(source(document)).find(code + "```\n"), std::string::npos)
      << document << " lacks this example:\n"
      << code;
}

}  // namespace warpath::testing
