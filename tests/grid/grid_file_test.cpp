// Reads grids of images and arrays, and refuses what they must not be.

#include "host/files/grid/grid_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "host/files/grid/grid_folder.hpp"
#include "tests/support/files.hpp"
#include "tests/support/grid.hpp"
#include "tests/support/gzip.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using namespace std::string_literals;

constexpr float hole = std::numeric_limits<float>::quiet_NaN();
const std::string of_image =
    R"({"scan":"s","resolution":0.5,"origin":[1,2],"up":"y","height":0.25,"free":"cells"})";
const std::string of_heights =
    R"({"scan":"s","resolution":0.5,"origin":[1,2],"up":"z","heights":"cells","climb":0.5})";

grid::GridFile read(const std::string& json, const std::string& cells) {
  const TemporaryFolder folder;
  folder.write("cells", cells);
  return grid::read_grid_file(folder.write("s.json", json), {});
}

std::string message(const std::string& json, const std::string& cells) {
  try {
    (void)read(json, cells);
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find("/", 5) + 1);
  }
  return "none";
}

void expect_refused(const std::string& json, const std::string& cells, const std::string& text) {
  EXPECT_NE(message(json, cells).find(text), std::string::npos)
      << message(json, cells) << "\nlacks " << text;
}

TEST(GridFile, RefusesKeysThatItsCellsHaveNoUseFor) {
  const std::string image = make_png(2, 2, "\xff\x7f\x80\0"s);
  expect_refused(R"({"climb":1,)" + of_image.substr(1), image, "climb: is for heights");
  expect_refused(R"({"height":1,)" + of_heights.substr(1), "", "height: is for free");
}

TEST(GridFile, HasNoMoreCellsThanMemoryAllows) {
  const TemporaryFolder folder;
  folder.write("cells", make_png(20, 20, std::string(400, '\xff')));
  const std::string file = folder.write("s.json", of_image);
  EXPECT_EQ(grid::read_grid_file(file, io::Reading(400 * 64)).grid.size(), 400u);
  EXPECT_THROW((void)grid::read_grid_file(file, io::Reading(399 * 64)), InputError);
}

TEST(GridFile, ReadsImagesAndFlags) {
  const std::string image = make_png(2, 2, "\xff\x7f\x80\0"s);
  const std::string flags = make_npy("|b1", "(2, 2)", "\1\0\1\0"s),
                    numbers = make_npy("|u1", "(2, 2)", "\1\0\xff\0"s, 2);
  for (const std::string& cells : {image, flags, numbers, gzip(image), gzip(flags)}) {
    const grid::GridFile file = read(of_image, cells);
    EXPECT_EQ(file.scan, "s");
    ASSERT_EQ(file.grid.size(), 2u);
    EXPECT_EQ(file.grid.cell(1), (Cell{0, 1, 0}));
    EXPECT_EQ(file.grid.centre(1), (std::array{1.25, 0.25, 2.75}));
  }
  EXPECT_NE(read(of_image, image).hash, read(of_image, flags).hash);
}

TEST(GridFile, ReadsHeightsOfLayers) {
  const std::string single = make_npy("<f4", "(2, 1, 2)", bytes_of<float>({0, hole, hole, 3})),
                    both = make_npy("<f8", "(2, 1, 2)", bytes_of<double>({0, hole, hole, 3}));
  for (const std::string& cells : {single, both}) {
    const grid::GridFile file = read(of_heights, cells);
    ASSERT_EQ(file.grid.size(), 2u);
    EXPECT_EQ(file.grid.cell(1), (Cell{1, 0, 1}));
    EXPECT_EQ(file.grid.centre(1), (std::array{1.75, 2.25, 3.0}));
  }
}

TEST(GridFile, RefusesFaultsOfTheFile) {
  const std::string image = make_png(1, 1, "\xff");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string json = of_image;
    return json.replace(json.find(from), from.size(), to);
  };
  expect_refused(with("\"scan\":\"s\",", ""), image, "scan");
  expect_refused(with("\"s\"", "\"\""), image, "scan: is empty");
  expect_refused(with("0.5", "0"), image, "resolution: is 0");
  expect_refused(with("0.5", "\"0.5\""), image, "resolution");
  expect_refused(with("[1,2]", "[1,2,3]"), image, "origin: has 3 numbers");
  expect_refused(with("[1,2]", "[1,NaN]"), image, "origin[1]");
  expect_refused(with("\"y\"", "\"x\""), image, "up: is 'x'");
  expect_refused(with("0.25", "1e9"), image, "height");
  expect_refused(with("\"free\"", "\"other\""), image, "has neither free nor heights");
  expect_refused(with("\"height\":0.25", "\"heights\":\"cells\""), image,
                 "has both free and heights");
  expect_refused(with("\"cells\"", "\"absent\""), image, "absent");
  expect_refused("[]", image, "s.json");
}

TEST(GridFile, RefusesFaultsOfImages) {
  const std::string good = make_png(3, 3, std::string(9, '\xff'));
  EXPECT_EQ(message(of_image, good), "none");
  expect_refused(of_image, make_png(1, 2, "\x7f\0"s), "has no free cell");
  for (std::size_t size = 8; size + 12 < good.size(); ++size) {
    expect_refused(of_image, good.substr(0, size), "cells: ");
  }
  const auto with = [&](std::size_t at, char byte) {
    std::string image = good;
    image[at] = byte;
    return image;
  };
  expect_refused(of_image, with(24, 16), "has 16 bits for each pixel");
  expect_refused(of_image, with(25, 2), "8-bit greyscale");
  expect_refused(of_image, with(19, 0), "has no pixel");
  expect_refused(of_image, with(16, 1), "ends too early for");
  expect_refused(of_image, with(16, '\xff'), "more than 2147483648");
  expect_refused(of_image, with(45, 'x'), "is a damaged PNG");
  expect_refused(of_heights, good, "is an image, which has no heights");
  expect_refused(of_image, "GIF89a", "neither a PNG nor an array");
}

TEST(GridFile, RefusesFaultsOfArrays) {
  const std::string good = make_npy("|b1", "(1, 2)", "\1\1");
  EXPECT_EQ(message(of_image, good), "none");
  for (std::size_t size = 6; size < good.size(); ++size) {
    expect_refused(of_image, good.substr(0, size), "cells: ");
  }
  expect_refused(of_image, good + '\1', "has more bytes than its shape says");
  expect_refused(of_image, make_npy(">f4", "(1, 2)", "12345678"), "the type '>f4'");
  expect_refused(of_image, make_npy("|O", "(1, 2)", "ab"), "Python objects");
  expect_refused(of_image, make_npy("|b1", "(1, 2)", "\1\1", 3), "NumPy's format 3");
  expect_refused(of_image, make_npy("|b1", "(2,)", "\1\1"), "is no array [rows][columns]");
  expect_refused(of_image, make_npy("<f4", "(1, 2)", "12345678"), "is no array [rows][columns]");
  expect_refused(of_heights, good, "is no array [layers][rows][columns]");
  expect_refused(of_image, make_npy("|b1", "(1, 1, 1, 2)", "\1\1"), "shape that no grid has");
  expect_refused(of_image, make_npy("|b1", "(-1, 2)", "\1\1"), "shape that no grid has");
  expect_refused(of_image, make_npy("|b1", "(99999999999999999, 99999999999999999)", "\1\1"),
                 "ends too early");
  expect_refused(of_image, make_npy("|b1", "(0, 0)", ""), "has no cell");
  std::string fortran = good;
  fortran.replace(fortran.find("False"), 5, "True ");
  expect_refused(of_image, fortran, "Fortran order");
  std::string records = good;
  records.replace(records.find("'|b1'"), 5, "[('a'");
  expect_refused(of_image, records, "records");
}

TEST(GridFile, IsReadOrRefusedWhateverItsBytesAre) {
  std::mt19937 random(11);
  const std::string cells[]{make_map({"..#.", "....", "#..#"}),
                            make_npy("|u1", "(2, 3)", "\1\1\0\1\1\1"s),
                            make_npy("<f4", "(2, 1, 2)", bytes_of<float>({0, 0.25, hole, 3}))};
  int read_ones = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    InputTexts texts{{"in/s.json", round % 3 == 2 ? of_heights : of_image},
                     {"in/cells", cells[round % 3]}};
    std::string& changed = texts[round % 4 == 0 ? "in/s.json" : "in/cells"];
    const auto byte = [&] { return static_cast<char>(random()); };
    for (unsigned k = 0; k <= random() % 3; ++k) changed[random() % changed.size()] = byte();
    if (round % 7 == 0) changed.resize(random() % changed.size());
    if (texts["in/s.json"].find('/') != std::string::npos) continue;  // names a file elsewhere
    try {
      const grid::GridFile file = grid::read_grid_file("in/s.json", {1 << 20, &texts});
      EXPECT_LT(file.grid.nearest({1.0, 2.0, 3.0}).cell, file.grid.size());
      (void)file.grid.make_scan("s", Connect::eight);
      ++read_ones;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(read_ones, 100);  // an image has checksums
  EXPECT_GT(refused, 500);
}

TEST(GridFolder, FindsTheGridsOfScans) {
  const TemporaryFolder folder;
  folder.write("cells", make_png(1, 1, "\xff"));
  const std::string file = folder.write("s.json", of_image);
  const std::vector<std::string> s{"s"}, t{"t"}, both{"s", "t"};
  EXPECT_EQ(grid::read_grids(file, s, {}).size(), 1u);
  EXPECT_EQ(grid::read_grids(folder.path(), s, {}).size(), 1u);
  const auto refusal = [](const std::string& path, const std::vector<std::string>& scans) {
    try {
      (void)grid::read_grids(path, scans, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(refusal(folder.path(), t).find("there is no t.json; it has s.json"), std::string::npos);
  EXPECT_NE(refusal(file, t).find("scan: is 's', but 't' is asked for"), std::string::npos);
  EXPECT_NE(refusal(file, both).find("is one grid, and 2 scans are asked for"), std::string::npos);
  EXPECT_NE(refusal(folder.path("absent"), s).find("absent"), std::string::npos);
  const std::vector<std::string> outside{"../s"};
  EXPECT_NE(refusal(folder.path(), outside).find("there is no ../s.json"), std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
