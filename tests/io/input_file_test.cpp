// Tests how bytes are read: limits of sizes, gzip of every kind, standard input, and foreign
// contents.

#include "host/files/io/input_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/files/io/file_kind.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/standard_input.hpp"

namespace warpath::testing {
namespace {

TEST(ContentHash, IsThatOfTheWholeContent) {
  const std::string content = std::string(1000, 'a') + std::string(500, '\0') + "b";
  io::ContentHash hash;
  EXPECT_EQ(hash.text(), io::content_hash(""));
  for (std::size_t first = 0, size = 0; first < content.size();
       first += size, size = 3 * size + 1) {
    hash.add(std::string_view(content).substr(first, size));
  }
  EXPECT_EQ(hash.text(), io::content_hash(content));
}

// ---------------------------------------------------------------- sizes

TEST(MaxInput, ReadsExactlyUpToTheLimit) {
  const TemporaryFolder folder;
  const std::string text(1000, 'x');
  for (const std::string& content :
       {text, gzip(text), gzip(text.substr(0, 400)) + gzip(text.substr(400))}) {
    const std::string file = folder.write("f", content);
    EXPECT_EQ(io::read_input(file, 1000), text);
    const std::string error = error_of_call([&] { io::read_input(file, 999); });
    EXPECT_NE(error.find("holds more than 999 bytes"), std::string::npos) << error;
    EXPECT_NE(error.find("--max-input"), std::string::npos) << error;
    EXPECT_EQ(error.find("once decompressed") != std::string::npos, content != text) << error;
  }
}

TEST(MaxInput, StopsWithoutReadingToTheEnd) {
  EXPECT_NE(
      error_of_call([] { io::read_input("/dev/zero", 1 << 20); }).find("holds more than 1 MiB"),
      std::string::npos);
}

TEST(MaxInput, StopsInTheMiddleOfGzipThatIsDamagedLater) {
  const TemporaryFolder folder;
  std::string packed = gzip(std::string(10 << 20, '\0'));
  packed.resize(packed.size() / 2);
  packed += "damaged";
  const std::string file = folder.write("bomb.gz", packed);
  EXPECT_NE(error_of_call([&] { io::read_input(file, 1 << 20); }).find("holds more than 1 MiB"),
            std::string::npos);
  EXPECT_NE(error_of_call([&] { io::read_input(file); }).find("gzip data"), std::string::npos);
}

TEST(MaxInput, DefaultsToAShareOfTheMemory) {
  EXPECT_GT(io::default_max_input(), std::uint64_t{1} << 26);
}

TEST(Gunzip, DoesNotTrustTheStatedSize) {
  const TemporaryFolder folder;
  const std::string text(5000, 'x');
  for (const std::uint32_t stated : {0u, 1u, 4999u, 5001u, 6000u, 0x7fffffffu}) {
    std::string packed = gzip(text) + gzip("");
    packed.replace(packed.size() - 4, 4, reinterpret_cast<const char*>(&stated), 4);
    const std::string error = error_of_call([&] { io::read_input(folder.write("f.gz", packed)); });
    EXPECT_EQ(error.find("damaged") != std::string::npos, stated != 0) << stated << error;
  }
  EXPECT_EQ(io::read_input(folder.write("f.gz", gzip(text) + gzip("") + gzip(text))), text + text);
  EXPECT_EQ(io::read_input(folder.write("f.gz", gzip(""))), "");
}

TEST(ReadInput, ReadsAPipeOfManyPartsCompletely) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 700'000; ++k) text += std::to_string(k);
  folder.write("text", text);
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(
      std::system(("mkfifo '" + pipe + "' && cat '" + folder.path("text") + "' > '" + pipe + "' &")
                      .c_str()),
      0);
  while (!std::filesystem::exists(pipe)) ::usleep(1000);
  EXPECT_TRUE(io::read_input(pipe) == text);
}

// ---------------------------------------------------------------- standard input

TEST(StandardInput, IsAcceptedForEachKindOfFile) {
  const TemporaryFolder folder;
  const std::string graph = folder.write(
      "g.json",
      R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[1,0]}],"edges":[["a","b"]]})");
  const std::string dataset =
      folder.write("d.json", R"([{"path_id":1,"scan":"g","path":["a","b"],"instructions":[""]}])");
  const std::string agent =
      folder.write("p.json.gz", gzip(R"([{"instr_id":"1_0","trajectory":["a","b"]}])"));
  const std::string pairs =
      folder.write("p.jsonl", R"({"id":1,"scan":"g","reference":["a","b"],"prediction":["a"]})");
  const std::string success = folder.write("t.csv", "1_0,1\n");
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {agent, {"--dataset", dataset, "-"}},
      {dataset, {"--dataset", "-", agent}},
      {pairs, {"--pairs", "-"}},
      {success, {"--dataset", dataset, agent, "--task-success", "-"}},
  };
  for (const auto& [file, arguments] : cases) {
    const StandardInput input(file);
    const CliResult result = run(with({"eval", "--graphs", graph}, arguments));
    EXPECT_EQ(result.code, 0) << file << result.err;
    const std::string what = file == agent     ? "list of viewpoints"
                             : file == dataset ? "R2R"
                             : file == pairs   ? "pairs"
                                               : "task success";
    EXPECT_NE(result.out.find("standard input: " + what), std::string::npos) << result.out;
  }
  {
    const StandardInput input(dataset);
    const CliResult result =
        run({"eval", "--graphs", graph, "--dataset", "-", agent, "--json", "-"});
    EXPECT_NE(result.out.find(R"("file": "standard input")"), std::string::npos) << result.out;
  }
  const StandardInput input(folder.write("bad", "[1,"));
  const CliResult result = run({"eval", "--graphs", graph, "--dataset", dataset, "-"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("standard input: line 1, column 3: the JSON ends"), std::string::npos)
      << result.err;
}

// ---------------------------------------------------------------- foreign contents

TEST(FileKinds, AreRecognisedByTheFirstBytes) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
      {"404: Not Found", "404"},
      {"PK\x03\x04", "zip"},
      {"BZh91AY", "bzip2"},
      {std::string("\xFD"
                   "7zXZ\0\0",
                   7),
       "xz"},
      {"\x28\xB5\x2F\xFD", "zstd"},
      {"7z\xBC\xAF\x27\x1C", "7-Zip"},
      {"\x93NUMPY\x01", "NumPy"},
      {"\x80\x04\x95", "pickle"},
      {std::string(257, '\0') + "ustar", "tar"},
      {" \r\n<!doctype HTML>", "web page"},
      {"<HTML>", "web page"},
      {"<?xml version=\"1.0\"?>", "XML"},
  };
  for (const auto& [content, what] : cases) {
    const auto kind = io::file_kind(content);
    ASSERT_TRUE(kind) << what;
    EXPECT_NE(kind->what.find(what), std::string::npos) << kind->what;
    EXPECT_FALSE(kind->remedy.empty());
  }
  for (const char* content : {"", "[{}]", "{}", "a,b\n", "BZ", "404"}) {
    EXPECT_FALSE(io::file_kind(content)) << content;
  }
}

}  // namespace
}  // namespace warpath::testing
