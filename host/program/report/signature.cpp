#include "host/program/report/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/core/base/suggest.hpp"
#include "warpath/error.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

struct PartName {
  std::string_view full, shorter;
};

// Parts other than settings. Their names and meanings are promised: see docs/stability.md.
constexpr std::array part_names{
    PartName{"preset", "p"},      PartName{"dataset", "d"},   PartName{"format", "f"},
    PartName{"split", "l"},       PartName{"reference", "r"}, PartName{"sub_instructions", "n"},
    PartName{"graphs", "g"},      PartName{"objects", "b"},   PartName{"task_success", "t"},
    PartName{"distances", "m"},   PartName{"items", "i"},     PartName{"statuses", "s"},
    PartName{"own_metrics", "o"}, PartName{"warpath", "v"}};

// Returns the first digits of a hash, or of each hash in "hash+hash".
std::string shortened(std::string_view hashes) {
  constexpr std::size_t digits = 8;
  std::string text;
  while (true) {
    const std::size_t end = hashes.find('+');
    text += hashes.substr(0, std::min(end, digits));
    if (end == std::string_view::npos) return text;
    text += '+';
    hashes.remove_prefix(end + 1);
  }
}

// Returns "navmesh=1f0c77aa,0.1.7,goal", "grid=93aa01bc,8,1", "file=77aa0c1f" or "euclidean".
std::string text_of(const PositionDistances& distances) {
  std::string text = distances.source;
  if (!distances.hash.empty()) text += '=' + shortened(distances.hash);
  if (distances.ways) text += fmt::format(",{},{}", distances.habitat, distances.of);
  if (!distances.connect.empty())
    text += fmt::format(",{},{}", distances.connect, distances.max_snap);
  return text;
}

// Returns "not_scored=1,unreachable=2": what is to be said of items, other than that they are ok.
std::string text_of(const ItemStatistics& counts) {
  std::vector<std::string> words;
  for (int s = 1; s < status_count; ++s) {
    if (counts.statuses[s] > 0)
      words.push_back(fmt::format("{}={}", info(static_cast<Status>(s)).name, counts.statuses[s]));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

std::string names_of(const std::vector<OwnMetric>& own) {
  std::vector<std::string_view> names;
  for (const OwnMetric& metric : own) names.push_back(metric.name);
  return fmt::format("{}", fmt::join(names, ","));
}

void add(std::vector<SignaturePart>& parts, std::string_view name, std::string value) {
  if (!value.empty()) parts.push_back({std::string(name), std::move(value)});
}

void add_convention(const Convention& convention, std::vector<SignaturePart>& parts) {
  add(parts, "preset", convention.preset);
  const Convention& preset = find_preset(convention.preset).convention;
  for (const Setting& setting : settings()) {
    const std::string value = setting.get(convention);
    if (value != setting.get(preset)) add(parts, setting.name, value);
  }
}

[[noreturn]] void refuse(std::string_view part, std::string_view problem) {
  throw UsageError(fmt::format(
      "signature: '{}' {}; give a line such as preset:r2r|dataset:208a43d2|items:1020|warpath:{}",
      part, problem, WARPATH_VERSION));
}

// Returns the full name of a part that is no setting. @throws UsageError
std::string_view full_name(std::string_view part, std::string_view name) {
  std::vector<std::string_view> names;
  for (const PartName& known : part_names) {
    if (name == known.full || name == known.shorter) return known.full;
    names.push_back(known.full);
  }
  for (const Setting& setting : settings()) names.push_back(setting.name);
  const std::string meant = base::did_you_mean(name, names);
  refuse(part, "is no part of a signature of this version" + (meant.empty() ? "" : ", " + meant));
}

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(settings(), name, &Setting::name);
  return found == settings().end() ? nullptr : &*found;
}

std::string value_in(const std::vector<SignaturePart>& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &SignaturePart::name);
  return found == parts.end() ? "" : found->value;
}

// Splits "name:value|name:value" into parts, with the full names.
std::vector<SignaturePart> split(std::string_view text) {
  std::vector<SignaturePart> parts;
  while (true) {
    const std::size_t end = std::min(text.find('|'), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon + 1 == part.size())
      refuse(part, "is no name:value");
    std::string_view name = part.substr(0, colon);
    if (find_setting(name) == nullptr) name = full_name(part, name);
    if (!value_in(parts, name).empty()) refuse(part, "is there twice");
    add(parts, name, std::string(part.substr(colon + 1)));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Signature::text(SignatureForm form) const {
  std::string line;
  for (const SignaturePart& part : parts) {
    std::string_view name = part.name;
    const auto* const known = std::ranges::find(part_names, name, &PartName::full);
    if (form == SignatureForm::shorter && known != part_names.end()) name = known->shorter;
    line += fmt::format("{}{}:{}", line.empty() ? "" : "|", name, part.value);
  }
  return line;
}

Signature signature_of(const EvalReport& report, const AgentResult& run,
                       const Convention& convention) {
  Signature signature{convention, {}};
  std::vector<SignaturePart>& parts = signature.parts;
  add_convention(convention, parts);
  add(parts, "dataset", shortened(report.dataset_hash));
  add(parts, "format", report.format);
  add(parts, "split", report.split);
  add(parts, "reference", run.reference.empty() ? report.reference : run.reference);
  if (report.sub_instructions) add(parts, "sub_instructions", "yes");
  if (!report.graphs_path.empty()) add(parts, "graphs", shortened(report.graphs_hash));
  add(parts, "objects", shortened(report.objects_hash));
  add(parts, "task_success", shortened(run.task_success_hash));
  if (run.distances) add(parts, "distances", text_of(*run.distances));
  add(parts, "items", fmt::format("{}", run.summary.counts.items));
  add(parts, "statuses", text_of(run.summary.counts));
  add(parts, "own_metrics", names_of(report.own));
  add(parts, "warpath", WARPATH_VERSION);
  return signature;
}

Signature parse_signature(std::string_view text) {
  const std::vector<SignaturePart> given = split(text);
  const std::string preset = value_in(given, "preset");
  if (preset.empty()) refuse(text, "has no preset");
  Signature signature{find_preset(preset).convention, {}};
  for (const SignaturePart& part : given) {
    if (const Setting* setting = find_setting(part.name))
      setting->set(signature.convention, part.value);
  }
  add_convention(signature.convention, signature.parts);  // as this version spells it
  for (const SignaturePart& part : given) {
    if (part.name != "preset" && find_setting(part.name) == nullptr)
      signature.parts.push_back(part);
  }
  return signature;
}

std::vector<SignatureDifference> differences(const Signature& first, const Signature& second) {
  // Functions of a caller change no other number, and files do not tell them.
  const auto is_compared = [](const SignaturePart& part) {
    return part.name != "warpath" && part.name != "own_metrics";
  };
  std::vector<SignatureDifference> found;
  for (const SignaturePart& part : first.parts) {
    const std::string other = value_in(second.parts, part.name);
    if (is_compared(part) && other != part.value) found.push_back({part.name, part.value, other});
  }
  for (const SignaturePart& part : second.parts) {
    if (is_compared(part) && value_in(first.parts, part.name).empty())
      found.push_back({part.name, "", part.value});
  }
  return found;
}

std::string version_of(const Signature& signature) {
  return value_in(signature.parts, "warpath");
}

std::string own_metrics_of(const Signature& signature) {
  return value_in(signature.parts, "own_metrics");
}

std::vector<std::string> signature_notes(const EvalReport& report, SignatureForm form) {
  std::vector<std::pair<std::string, std::vector<std::string>>> agents_of;  // by signature
  for (const AgentResult& run : report.runs) {
    const std::string text = signature_of(report, run, report.convention).text(form);
    const auto found =
        std::ranges::find(agents_of, text, [](const auto& each) { return each.first; });
    if (found == agents_of.end())
      agents_of.push_back({text, {run.name}});
    else
      found->second.push_back(run.name);
  }
  std::vector<std::string> notes;
  for (const auto& [text, agents] : agents_of) {
    const std::string whose =
        agents_of.size() == 1 ? "" : fmt::format(" ({})", fmt::join(agents, ", "));
    notes.push_back(fmt::format("signature{}: {}", whose, text));
  }
  return notes;
}

}  // namespace warpath::report
