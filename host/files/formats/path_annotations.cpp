#include "host/files/formats/path_annotations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/formats/json_file.hpp"
#include "host/files/io/json_writer.hpp"

namespace warpath::formats {
namespace {

class AnnotationReader {
 public:
  explicit AnnotationReader(PathAnnotations& out) : out_(out) {}

  void read(json::Object object, const InputError::Where& entry) {
    PathAnnotation path{};
    const json::Value id = keys_.get(object, "path_id", entry);
    const std::string text = id_text(id, {entry.file, entry.item, "path_id"});
    path.path_id = id.is_string() ? io::json_string(text) : text;
    const auto where = [&](std::string_view key) { return out_.where(path, key); };
    const auto value = [&](std::string_view key) { return keys_.get(object, key, where("")); };
    path.scan = scans_.number(as_string(value("scan"), where("scan")));
    path.heading = as_number(value("heading"), where("heading"));
    path.distance = as_metres(value("distance"), where("distance"));
    for (const json::Value viewpoint : as_array(value("path"), where("path"))) {
      path.path.emplace_back(as_string(viewpoint, where("path")));
    }
    for (const json::Value instruction : as_array(value("instructions"), where("instructions"))) {
      const std::string whole = io::json_string(as_string(instruction, where("instructions")));
      path.instructions.push_back(whole.substr(1, whole.size() - 2));
    }
    out_.paths.push_back(std::move(path));
  }

  const KeyReader& keys() const { return keys_; }

 private:
  PathAnnotations& out_;
  ScanNumbers scans_{out_.scans};
  KeyReader keys_;
};

}  // namespace

PathAnnotations read_path_annotations(const std::string& file, const io::Reading& reading) {
  const JsonFile document(file, reading);
  PathAnnotations annotations;
  annotations.file = document.path();
  AnnotationReader reader(annotations);
  std::size_t position = 0;
  for (const json::Value element : dataset_entries(document)) {
    const InputError::Where where{annotations.file, document.place(position++), {}};
    reader.read(as_object(element, where), where);
  }
  const bool has_instruction = std::ranges::any_of(
      annotations.paths, [](const auto& path) { return !path.instructions.empty(); });
  if (!has_instruction) {
    throw InputError({annotations.file}, "the dataset has no items: no entry has an instruction",
                     "check the file");
  }
  reader.keys().note_repeated(annotations.notes);
  return annotations;
}

}  // namespace warpath::formats
