#include "host/files/formats/dataset_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/files/formats/json_file.hpp"
#include "host/tasks/tasks.hpp"

namespace warpath::formats {
namespace {

namespace fs = std::filesystem;

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

const tasks::Task* task_of_file(std::string_view path) {
  const auto tasks = tasks::list();
  const auto task = std::ranges::find_if(tasks, [&](const tasks::Task* each) {
    return !each->item_file.empty() && each->item_file == name_of(path);
  });
  return task == tasks.end() ? nullptr : *task;
}

std::string known_files() {
  std::string names;
  for (const tasks::Task* task : tasks::list()) {
    if (task->item_file.empty()) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", task->item_file, task->title);
  }
  return names;
}

}  // namespace

bool is_folder(const std::string& path, const io::Reading& reading) {
  std::error_code error;
  const bool is_text = reading.texts != nullptr && reading.texts->contains(path);
  return !is_text && fs::is_directory(path, error);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error) && !error) files.push_back(at->path().string());
  }
  if (error) throw InputError({folder}, "cannot be listed", error.message());
  std::ranges::sort(files);
  return files;
}

std::string last_names(std::string_view path, std::size_t count) {
  while (path.ends_with('/')) path.remove_suffix(1);
  std::size_t begin = path.size();
  for (; count > 0 && begin > 0; --count) {
    begin = path.rfind('/', begin - 1);
    if (begin == std::string_view::npos) return std::string(path);
  }
  return std::string(path.substr(begin == path.size() ? begin : begin + 1));
}

Dataset read_dataset_folder(const std::string& folder, const tasks::Task* forced,
                            bool keep_instructions, const io::Reading& reading) {
  Dataset dataset;
  dataset.file = folder;
  if (forced != nullptr) dataset.task = forced;
  std::unique_ptr<tasks::OwnReader> reader;
  std::string hashes;
  for (const std::string& file : files_below(folder)) {
    const tasks::Task* task = task_of_file(file);
    if (task == nullptr || (forced != nullptr && task != forced)) continue;
    if (reader == nullptr) {
      dataset.task = task;
      reader = task->make_reader(dataset, keep_instructions);
    }
    if (task != dataset.task) continue;
    const JsonFile document(file, reading);
    reader->read(document.root(), {file});
    hashes +=
        fmt::format("{} {}\n", fs::path(file).lexically_relative(folder).string(), document.hash());
  }
  if (reader == nullptr) {
    throw InputError({folder}, "has no annotations, in itself or below",
                     fmt::format("name a file, or a folder of {}", known_files()));
  }
  reader->finish();
  dataset.hash = io::content_hash(hashes);
  return dataset;
}

}  // namespace warpath::formats
