#include "host/files/grid/grid_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "host/files/formats/json_file.hpp"
#include "host/files/grid/npy.hpp"
#include "host/files/grid/png_image.hpp"
#include "warpath/error.hpp"

namespace warpath::grid {
namespace {

constexpr double not_free = std::numeric_limits<double>::quiet_NaN();
// In an image, from this brightness on a cell is free.
constexpr std::uint8_t min_free = 128;

class GridReader {
 public:
  GridReader(const std::string& path, const io::Reading& reading)
      : path_(path),
        reading_(reading),
        document_(path, reading),
        root_(formats::as_object(document_.root(), {document_.path()})),
        hash_(document_.hash()) {}

  GridSource read() {
    const std::string scan(formats::as_string(required("scan"), at("scan")));
    if (scan.empty()) throw InputError(at("scan"), "is empty", "name the scan of the grid");
    data_.resolution = formats::as_number(required("resolution"), at("resolution"));
    read_origin();
    read_up();
    const bool has_free = formats::has_key(root_, "free");
    if (has_free == formats::has_key(root_, "heights")) {
      throw InputError({document_.path()},
                       has_free ? "has both free and heights" : "has neither free nor heights",
                       "give free for one floor of one height, or heights for layers of cells");
    }
    const char* const other = has_free ? "climb" : "height";
    if (formats::has_key(root_, other)) {
      throw InputError(at(other),
                       has_free ? "is for heights, and the cells are under free"
                                : "is for free, and the cells have heights",
                       "remove it");
    }
    if (has_free)
      read_free();
    else
      read_heights();
    return {scan, hash_, std::move(data_)};
  }

 private:
  InputError::Where at(const std::string& field) const { return {document_.path(), {}, field}; }

  json::Value required(const char* key) const {
    return formats::require(root_, key, {document_.path()});
  }

  void read_origin() {
    const json::Array list = formats::as_array(required("origin"), at("origin"));
    if (list.size() != 2) {
      throw InputError(
          at("origin"), fmt::format("has {} numbers, not 2", list.size()),
          "give the outer corner of the cell (0, 0) along columns and rows, in metres");
    }
    std::size_t k = 0;
    for (const json::Value number : list) {
      data_.origin[k] = formats::as_metres(number, at(fmt::format("origin[{}]", k)));
      ++k;
    }
  }

  void read_up() {
    const std::string_view up = formats::as_string(required("up"), at("up"));
    if (up != "y" && up != "z") {
      throw InputError(at("up"), fmt::format("is '{}'", up),
                       "give y (Habitat) or z (Matterport3D)");
    }
    data_.is_z_up = up == "z";
  }

  // Returns the path of a file that lies beside this one.
  std::string beside(const char* key) const {
    const std::string name(formats::as_string(required(key), at(key)));
    if (name.empty()) throw InputError(at(key), "is empty", "name the file of the cells");
    const std::string file = (std::filesystem::path(path_).parent_path() / name).string();
    return file == "-" ? "./-" : file;  // which is a file here, not standard input
  }

  void read_free() {
    const double height = formats::has_key(root_, "height")
                              ? formats::as_metres(required("height"), at("height"))
                              : 0.0;
    const std::string file = beside("free");
    const std::string content = io::read_input(file, reading_);
    if (is_png(content)) {
      const Image image = read_png(io::input_name(file), content, reading_.max_bytes);
      set_size(1, image.rows, image.columns, image.hash);
      for (const std::uint8_t pixel : image.pixels) {
        data_.heights.push_back(pixel >= min_free ? height : not_free);
      }
      return;
    }
    const NpyArray array = parse_npy(io::input_name(file), content);
    const bool is_flag = array.type == NpyType::boolean || array.type == NpyType::uint8;
    if (array.shape.size() != 2 || !is_flag) {
      throw InputError({array.file}, "is no array [rows][columns] of bool or uint8",
                       "write numbers of metres as heights: [layers][rows][columns] of floats");
    }
    set_size(1, array.shape[0], array.shape[1], io::content_hash(content));
    for (std::size_t k = 0; k < array.size(); ++k) {
      data_.heights.push_back(array.at(k) != 0.0 ? height : not_free);
    }
  }

  void read_heights() {
    if (formats::has_key(root_, "climb")) {
      data_.climb = formats::as_metres(required("climb"), at("climb"));
    }
    const std::string file = beside("heights");
    const std::string content = io::read_input(file, reading_);
    if (is_png(content)) {
      throw InputError({io::input_name(file)}, "is an image, which has no heights",
                       "name it under free, or save heights by numpy.save(file, array)");
    }
    const NpyArray array = parse_npy(io::input_name(file), content);
    const bool is_metres = array.type == NpyType::float32 || array.type == NpyType::float64;
    if (array.shape.size() != 3 || !is_metres) {
      throw InputError({array.file}, "is no array [layers][rows][columns] of float32 or float64",
                       "one floor of one height is an array [rows][columns] of bool under free");
    }
    set_size(array.shape[0], array.shape[1], array.shape[2], io::content_hash(content));
    for (std::size_t k = 0; k < array.size(); ++k) data_.heights.push_back(array.at(k));
  }

  void set_size(std::size_t layers, std::size_t rows, std::size_t columns,
                const std::string& hash) {
    data_.layers = layers;
    data_.rows = rows;
    data_.columns = columns;
    refuse_large(layers, rows, columns);
    data_.heights.reserve(layers * rows * columns);
    hash_ = io::content_hash(hash_ + hash);
  }

  // A scan of the cells takes much more memory than their file.
  void refuse_large(std::size_t layers, std::size_t rows, std::size_t columns) const {
    constexpr std::uint64_t bytes_of_cell = 64;
    const std::uint64_t limit =
        reading_.max_bytes == 0 ? io::default_max_input() : reading_.max_bytes;
    if (rows == 0 || columns == 0 || layers <= limit / bytes_of_cell / rows / columns) return;
    throw InputError({document_.path()},
                     fmt::format("has {} x {} x {} cells, too many for {} MiB of memory", layers,
                                 rows, columns, limit >> 20),
                     "make the cells larger, cut the grid, or raise --max-input");
  }

  const std::string& path_;
  const io::Reading& reading_;
  const formats::JsonFile document_;
  const json::Object root_;
  std::string hash_;
  GridData data_;
};

}  // namespace

GridSource read_grid_source(const std::string& path, const io::Reading& reading) {
  return GridReader(path, reading).read();
}

GridFile read_grid_file(const std::string& path, const io::Reading& reading) {
  const GridSource source = read_grid_source(path, reading);
  return {source.scan, source.hash, Grid(source.data, path)};
}

}  // namespace warpath::grid
