#include "host/files/aggregate/program_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/files/formats/dump_measures.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::aggregate {
namespace {

constexpr std::size_t max_columns = 256;

constexpr std::string_view id_keys[]{"episode_id", "id", "instance_id", "trial"};

std::string id_of(json::Object entry, const InputError::Where& where) {
  for (const std::string_view key : id_keys) {
    const auto [value, count] = formats::find_key(entry, key);
    if (count > 0) return formats::id_text(value, {where.file, where.item, std::string(key)});
  }
  return "";
}

}  // namespace

formats::DumpMeasure& ProgramDump::declare(std::string_view measure, bool is_kept) {
  const auto [found, is_new] = position_.try_emplace(std::string(measure), dump_.measures.size());
  if (!is_new) {
    if (is_kept) is_kept_[found->second] = true;
    return dump_.measures[found->second];
  }
  if (dump_.measures.size() == max_columns) {
    throw InputError({dump_.files.back().name},
                     fmt::format("has more than {} measures", max_columns),
                     "name files with the results of each episode");
  }
  formats::DumpMeasure column{.name = std::string(measure)};
  if (const formats::KnownMeasure* known = formats::find_known_name(measure)) {
    column = {column.name, true, known->unit, known->better, {}, {}};
  }
  is_kept_.push_back(is_kept);
  column.values.resize(dump_.episodes.size());
  column.counts.resize(dump_.episodes.size(), 1.0);
  return dump_.measures.emplace_back(std::move(column));
}

void ProgramDump::add_file(const std::string& name, const std::string& hash,
                           std::string_view form) {
  dump_.files.push_back({.name = name, .hash = hash, .form = std::string(form)});
}

void ProgramDump::add_file(const formats::JsonFile& file) {
  add_file(file.path(), file.hash(),
           file.is_lines()          ? "JSON Lines"
           : file.root().is_array() ? "a list"
                                    : "one object");
}

void ProgramDump::add_beside(const std::string& name, std::string_view hash) {
  dump_.files_beside.push_back(name);
  std::string& of_file = dump_.files.back().hash;
  if (!hash.empty()) of_file = io::content_hash(of_file.append(hash));
}

void ProgramDump::add_episode(std::string id, std::string scene, std::size_t number) {
  ++dump_.files.back().episodes;
  dump_.episodes.push_back({.id = std::move(id),
                            .scene = std::move(scene),
                            .number = number,
                            .file = static_cast<std::uint32_t>(dump_.files.size() - 1)});
  for (formats::DumpMeasure& column : dump_.measures) {
    column.values.emplace_back();
    column.counts.push_back(1.0);
  }
}

void ProgramDump::set(std::string_view measure, formats::DumpValue value, double count) {
  formats::DumpMeasure& column = declare(measure);
  column.values.back() = value;
  column.counts.back() = count;
}

void ProgramDump::set(std::string_view measure, double value, double count) {
  set(measure, {value, formats::DumpValue::Kind::number}, count);
}

void ProgramDump::leave_out(std::string_view measure) {
  set(measure, formats::DumpValue{}, 0.0);
}

void ProgramDump::fail(std::string_view exception, std::string_view text, int stage) {
  if (!dump_.failure.empty() && stage >= stage_) return;
  dump_.failure = exception_at(dump_, exception, dump_.episodes.size() - 1, text);
  stage_ = stage;
}

formats::ResultDump ProgramDump::finish(std::string_view name, std::string_view remedy) {
  if (dump_.episodes.empty()) {
    throw InputError({std::string(name)}, "has no episode", std::string(remedy));
  }
  std::vector<formats::DumpMeasure> kept;
  for (std::size_t k = 0; k < dump_.measures.size(); ++k) {
    formats::DumpMeasure& column = dump_.measures[k];
    const bool has_part = std::ranges::any_of(column.values, [](const formats::DumpValue& value) {
      return value.kind != formats::DumpValue::Kind::absent;
    });
    if (has_part || is_kept_[k]) kept.push_back(std::move(column));
  }
  dump_.measures = std::move(kept);
  if (dump_.measures.empty()) {
    throw InputError({std::string(name)}, "has no measure of any episode", std::string(remedy));
  }
  return std::move(dump_);
}

RuleMean sum_over_sum(const formats::ResultDump& dump, std::string_view measure,
                      std::optional<std::string_view> group) {
  RuleMean mean{std::string(measure), {}, 0, 0, 0, {}};
  const formats::DumpMeasure* column = dump.find(measure);
  double sum = 0.0, counted = 0.0;
  for (std::size_t e = 0; column != nullptr && e < column->values.size(); ++e) {
    if ((group && dump.episodes[e].group != *group) || !column->has_part(e)) continue;
    if (!column->values[e].is_number()) {
      ++mean.dropped;
      continue;
    }
    sum += column->values[e].number;
    counted += column->counts.empty() ? 1.0 : column->counts[e];
    ++mean.n;
  }
  mean.mean = sum / counted;  // 0/0 is NaN, as in NumPy
  if (counted != static_cast<double>(mean.n)) mean.divisor = counted;
  return mean;
}

std::string find_no_number(const formats::ResultDump& dump, std::string_view measure) {
  using Kind = formats::DumpValue::Kind;
  const formats::DumpMeasure* column = dump.find(measure);
  if (column == nullptr) return "";
  for (std::size_t e = 0; e < column->values.size(); ++e) {
    const Kind kind = column->values[e].kind;
    if (kind != Kind::null && kind != Kind::other) continue;
    return exception_at(
        dump, "TypeError", e,
        fmt::format("has {} for {}", kind == Kind::null ? "null" : "no number", measure));
  }
  return "";
}

std::string exception_at(const formats::ResultDump& dump, std::string_view exception,
                         std::size_t episode, std::string_view text) {
  const InputError::Where where = dump.where(episode);
  const bool names_file = dump.files.size() > 1 || where.item.empty();
  return fmt::format("{}: {}{}{} {}", exception, names_file ? where.file : "",
                     names_file && !where.item.empty() ? ": " : "", where.item, text);
}

std::optional<RuleResult> fail_early(const formats::ResultDump& dump, std::string_view rule) {
  RuleResult result;
  if (dump.program != rule) {
    result.failure = fmt::format("KeyError: the files are not of the form of {}", rule);
    return result;
  }
  if (dump.failure.empty()) return std::nullopt;
  result.failure = dump.failure;
  return result;
}

std::vector<std::string> groups_of(const formats::ResultDump& dump) {
  std::vector<std::string> names;
  for (const formats::DumpEpisode& episode : dump.episodes) {
    if (episode.group.empty() || std::ranges::find(names, episode.group) != names.end()) continue;
    names.push_back(episode.group);
  }
  return names;
}

std::optional<std::vector<double>> number_list(json::Object entry, std::string_view key) {
  const auto [value, count] = formats::find_key(entry, key);
  json::Array list;
  if (count == 0 || !value.get(list)) return std::nullopt;
  std::vector<double> numbers;
  for (const json::Value element : list) {
    const formats::DumpValue read = formats::dump_value(element);
    if (!read.is_number()) return std::nullopt;
    numbers.push_back(read.number);
  }
  return numbers;
}

std::unique_ptr<formats::JsonFile> parse_document(const std::string& name, std::string text) {
  text.reserve(text.size() + io::input_padding);
  try {
    return std::make_unique<formats::JsonFile>(name, std::move(text));
  } catch (const InputError&) {
    return nullptr;
  }
}

std::optional<json::Object> lone_object(const formats::JsonFile& file) {
  json::Array list;
  const bool is_line = file.is_lines() && file.root().get(list);
  if (!is_line) return formats::object_in(file.root());
  return list.size() == 1 ? formats::object_in(*list.begin()) : std::nullopt;
}

void for_each_entry(ProgramDump& dump, const DumpRequest& request, std::string_view remedy,
                    const std::function<void(json::Object entry, const std::string& id,
                                             std::size_t number)>& take) {
  for (const std::string& name : request.words) {
    const formats::JsonFile file(name, request.reading);
    dump.add_file(file);
    json::Array list;
    if (!file.root().get(list)) {
      const auto entry = formats::object_in(file.root());
      if (!entry) {
        throw InputError({file.path()},
                         fmt::format("should have entries, is {}", formats::type_name(file.root())),
                         std::string(remedy));
      }
      take(*entry, id_of(*entry, {file.path()}), 0);
      continue;
    }
    std::size_t position = 0;
    for (const json::Value element : list) {
      const InputError::Where where{file.path(), file.place(position), {}};
      const json::Object entry = formats::as_object(element, where);
      take(entry, id_of(entry, where), file.number(position));
      ++position;
    }
  }
}

bool begins_with_words(const DumpRequest& request, std::initializer_list<std::string_view> words) {
  constexpr std::size_t max_bytes = std::size_t{1} << 16;
  std::error_code error;
  if (request.words.front() == "-" ||
      !std::filesystem::is_regular_file(request.words.front(), error)) {
    return false;
  }
  io::InputStream stream(request.words.front(), request.reading);
  std::string text(max_bytes, '\0');
  text.resize(stream.read(text.data(), max_bytes));
  return std::ranges::all_of(words, [&](std::string_view word) {
    return text.find(fmt::format("\"{}\"", word)) != text.npos;
  });
}

}  // namespace warpath::aggregate
