// Tests that connectivity files which are read without a document of their JSON give what the
// document gives, and that all others are left to it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>

#include "host/files/formats/connectivity.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

constexpr std::size_t viewpoints = 6;

std::string flags_of(const std::function<bool(std::size_t)>& is_true) {
  std::string text;
  for (std::size_t k = 0; k < viewpoints; ++k) {
    text += fmt::format("{}{}", k == 0 ? "[" : ",", is_true(k));
  }
  return text + "]";
}

// Returns an entry of a ring of viewpoints, of which one is not included.
std::string ring_entry(std::size_t k) {
  const auto is_next = [&](std::size_t j) {
    return (j + 1) % viewpoints == k || (k + 1) % viewpoints == j;
  };
  return fmt::format(
      R"({{"image_id":"v{0}","pose":[1,0,-0.25,{0}.5,0,1,0,-{0}.125,0,0,1,7.75,0,0,0,1],)"
      R"("included":{1},"visible":{2},"unobstructed":{3},"height":1.5}})",
      k, k != 2, flags_of([](std::size_t) { return true; }), flags_of(is_next));
}

std::string ring() {
  std::string text;
  for (std::size_t k = 0; k < viewpoints; ++k) text += (k == 0 ? "[" : ",") + ring_entry(k);
  return text + "]";
}

std::string replaced(std::string text, std::string_view old, std::string_view by) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, text.npos) << old;
  return text.replace(place, old.size(), by);
}

template <class Read>
std::string text_of_scan(const Read& read) {
  std::unique_ptr<Scan> scan;
  try {
    scan = read();
  } catch (const InputError& error) {
    return error.what();
  }
  std::string text;
  for (Node n = 0; n < scan->size(); ++n) {
    text += fmt::format("{} {} {}\n", scan->viewpoint(n), fmt::join(scan->neighbours(n), " "),
                        fmt::join(scan->positions()[n], " "));
  }
  return text;
}

// Reads a regular file as one that has another key, too.
class ByDocument {
 public:
  std::string operator()(std::string text) const {
    text.insert(text.find('{') + 1, R"("other":0,)");
    EXPECT_FALSE(formats::read_regular_connectivity(text)) << text;
    const std::string file = folder_.write("file.json", text);
    std::string read = text_of_scan([&] { return formats::GraphFile(file).build("s"); });
    const std::size_t name = read.find(file);
    return name == read.npos ? read : read.replace(name, file.size(), "file");
  }

 private:
  const TemporaryFolder folder_;
};

TEST(RegularConnectivity, GivesWhatTheDocumentGives) {
  const ByDocument by_document;
  std::string spaced;
  for (const char c : ring())
    spaced += c == ',' || c == ':' ? std::string{c, '\n', ' '} : std::string{c};
  for (const std::string& text :
       {ring(), spaced, " \n" + ring() + "\r\n\t", replaced(ring(), R"(,"height":1.5)", ""),
        replaced(ring(), R"("image_id":"v0",)", R"("image_id":"",)"),
        replaced(ring(), "[false,true", "[false,false")}) {
    const auto entries = formats::read_regular_connectivity(text);
    ASSERT_TRUE(entries) << text;
    EXPECT_EQ(text_of_scan([&] { return formats::scan_of_entries(*entries, "file", "s"); }),
              by_document(text));
  }
}

TEST(RegularConnectivity, IsReadByGraphFiles) {
  const TemporaryFolder folder;
  const ByDocument by_document;
  for (const std::string& text : {ring(), replaced(ring(), R"("height")", R"("tallness")")}) {
    const std::string file = folder.write("s_connectivity.json", text);
    formats::GraphFile graph(file);
    EXPECT_EQ(graph.format(), formats::GraphFormat::connectivity);
    EXPECT_EQ(graph.scans(), std::vector<std::string>{"s"});
    EXPECT_EQ(graph.hash(), io::content_hash(text));
    EXPECT_EQ(text_of_scan([&] { return graph.build("s"); }), by_document(ring()));
  }
}

TEST(RegularConnectivity, LeavesOtherFormsToTheDocument) {
  for (const std::string& text : {std::string(),
                                  std::string("[]"),
                                  ring() + "]",
                                  ring() + ring(),
                                  "[" + ring() + "]",
                                  ring().substr(0, ring().size() - 1),
                                  replaced(ring(), "\"v1\"", "\"v0\""),
                                  replaced(ring(), "\"v0\"", "\"v\\u0030\""),
                                  replaced(ring(), "\"v0\"", "\"v0\n\""),
                                  replaced(ring(), "\"v0\"", "\"v\xC3\xA4\""),
                                  replaced(ring(), "\"v0\"", "\"v\xC3\""),
                                  replaced(ring(), "\"v0\"", "0"),
                                  replaced(ring(), "7.75", "00.1"),
                                  replaced(ring(), "7.75", "+0.1"),
                                  replaced(ring(), "7.75", ".1"),
                                  replaced(ring(), "7.75", "1."),
                                  replaced(ring(), "7.75", "-0"),
                                  replaced(ring(), "7.75", "-"),
                                  replaced(ring(), "7.75", "NaN"),
                                  replaced(ring(), "7.75", "1000000.5"),
                                  replaced(ring(), "7.75", "7.75,2"),
                                  replaced(ring(), ",7.75", ""),
                                  replaced(ring(), "true,", "True,"),
                                  replaced(ring(), "true,", "true"),
                                  replaced(ring(), "true,", "true,,"),
                                  replaced(ring(), "true,", "0,"),
                                  replaced(ring(), "[false", "[false,false"),
                                  replaced(ring(), "\"visible\":[", "\"visible\":[1,"),
                                  replaced(ring(), "\"included\":true,", ""),
                                  replaced(ring(), "\"height\"", "\"tallness\""),
                                  replaced(ring(), "\"height\":1.5", "\"included\":true"),
                                  replaced(ring(), "\"height\":1.5", "\"height\":[1.5]")}) {
    EXPECT_FALSE(formats::read_regular_connectivity(text)) << text;
  }
}

TEST(RegularConnectivity, OfAnyDamagedTextIsThatOfTheDocument) {
  constexpr std::string_view bytes = "[]{},:\" \n\\0123456789.-+eEtrufalsnNI\xC3\x7f";
  const std::string good = ring();
  const ByDocument by_document;
  std::mt19937 draw(1);
  std::size_t regular = 0;
  for (int k = 0; k < 1'500; ++k) {
    std::string text = good;
    const std::size_t place = draw() % text.size();
    const char byte = bytes[draw() % bytes.size()];
    switch (draw() % 3) {
      case 0:
        text[place] = byte;
        break;
      case 1:
        text.insert(place, 1, byte);
        break;
      default:
        text.erase(place, 1);
    }
    const auto entries = formats::read_regular_connectivity(text);
    if (!entries) continue;
    ++regular;
    ASSERT_EQ(text_of_scan([&] { return formats::scan_of_entries(*entries, "file", "s"); }),
              by_document(text))
        << text;
  }
  EXPECT_GT(regular, 80u);
}

}  // namespace
}  // namespace warpath::testing
