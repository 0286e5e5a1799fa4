#include <algorithm>

#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/r2r/server.hpp"
#include "host/tasks/reverie/objects.hpp"

namespace warpath::reverie {
namespace {

// Returns RGS and RGSPL if every item of the dataset has a target, and some agent names objects or
// boxes are given.
MetricSet grounding_metrics(const evaluation::Inputs& inputs) {
  const bool has_targets = std::ranges::all_of(
      inputs.dataset.items, [](const formats::Item& item) { return !item.object.empty(); });
  const bool has_objects = inputs.objects || std::ranges::any_of(inputs.agents, [](const auto& a) {
                             return !a.object_key.empty();
                           });
  MetricSet metrics;
  if (has_targets && has_objects) metrics.insert(Metric::RGS).insert(Metric::RGSPL);
  return metrics;
}

// Computes RGS and RGSPL as REVERIE's eval_release.py does. A prediction that does not say which
// object it found gets neither. RGSPL compares PL with the same length as SPL.
void score_grounding(const evaluation::TaskPair& one) {
  const std::optional<std::string>& object = one.prediction.object;
  const std::string& target = one.pair.item.object;
  if (!object || target.empty()) return;
  double rgs = *object == target;
  if (one.convention.grounding == Grounding::with_success) rgs *= one.get(Metric::SR);
  one.set(Metric::RGS, rgs);
  one.set(Metric::RGSPL,
          reference::weighted_by_length(rgs, one.ideal_length, one.convention, one.scores, one.k));
}

// Marks the rows whose prediction does not say which object it found, if the dataset asks for one.
void mark_without_object(const evaluation::Inputs& inputs, const formats::Predictions& predictions,
                         const evaluation::PackedRun& run, std::vector<ItemRow>& rows) {
  if (!grounding_metrics(inputs).contains(Metric::RGS)) return;
  for (ItemRow& row : rows) {
    if (row.pair) row.lacks_object = !predictions.entries[run.sources[*row.pair].entry].object;
  }
}

bool is_reverie_entry(const formats::DatasetEntry& entry) {
  return entry.has("objId") && (entry.has_path_and_scan() || !entry.is_foreign());
}

std::string_view reverie_id_key(const formats::DatasetEntry& entry) {
  return entry.has("id") ? "id" : formats::path_id_key(entry);
}

// Returns the id of an entry's target: its objId, or what its id has behind the path.
std::string target_of(const formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  if (auto target = reader.id_at(entry, "objId")) return std::move(*target);
  const std::size_t tail = entry.id.rfind('_');
  return tail == std::string::npos ? "" : entry.id.substr(tail + 1);
}

void read_reverie_entry(formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  formats::Item item{entry.id, entry.scan, reader.read_reference(entry, "path")};
  const std::size_t count = reader.count_instructions(entry);
  item.object = target_of(reader, entry);
  reader.add_each(entry, std::move(item), count);
}

// tasks/REVERIE/eval_release.py, which reads every instruction.
const submission::Server reverie_server{
    .problems = r2r::problems_of_lists,
    .note =
        "the rules of REVERIE's eval_release.py, which wants predObjId and every instruction, "
        "<path_id>_<objId>_0 and on, and which allows jumps",
    .check = r2r::check_list,
    .fix = r2r::fix_list,
    .form = "reverie",
    .help = "the same with predObjId",
    .title = "submission to REVERIE's server",
    .convert = submission::convert_viewpoints,
    .wants_object = "without an object: REVERIE's server wants predObjId, -1 for none",
    .allows_jumps = true};
constexpr std::array<const submission::Server*, 1> reverie_servers{&reverie_server};

}  // namespace

const tasks::Task reverie_task{
    .form = "reverie",
    .title = "REVERIE",
    .name = "REVERIE",
    .recognises = is_reverie_entry,
    .id_key = reverie_id_key,
    .read_entry = read_reverie_entry,
    .lists_instructions = true,
    .read_objects = read_objects,
    .metrics = grounding_metrics,
    .score = score_grounding,
    .mark_rows = mark_without_object,
    .without_goals =
        "asks from where targets are visible (goal, spl-length): name REVERIE's boxes "
        "by --objects, or choose the preset paper, under which success is to end "
        "within 3 m",
    .without_objects =
        "no prediction says which object it found: write predObjId, and name "
        "REVERIE's boxes by --objects",
    .servers = reverie_servers};

}  // namespace warpath::reverie
