#include "host/tasks/tasks.hpp"

#include <algorithm>

#include "host/definitions/suggest.hpp"
#include "host/tasks/list.hpp"

namespace warpath {
namespace {

constexpr const Task* all_tasks[]{
    &r2r_task, &r4r_task,          &reverie_task, &ndh_task,
    &rxr_task, &one_an_entry_task, &soon_task,    &vlnce_task,
};

// The order in which an entry is looked at: tasks with keys of their own come before those whose
// keys others have, too.
constexpr const Task* by_keys[]{
    &ndh_task, &soon_task, &one_an_entry_task, &rxr_task, &reverie_task, &r4r_task, &r2r_task,
};

// Returns the first task for which `is_it` is true; null if there is none.
template <class Question>
const Task* first_task(std::span<const Task* const> among, const Question& is_it) {
  const auto found = std::ranges::find_if(among, is_it);
  return found == among.end() ? nullptr : *found;
}

}  // namespace

const Task no_task{.form = "", .title = "pairs", .name = ""};

std::span<const Task* const> tasks() {
  return all_tasks;
}

const Task* find_task(std::string_view form) {
  return first_task(all_tasks, [&](const Task* t) { return equal_letters(t->form, form); });
}

std::vector<std::string_view> task_forms() {
  std::vector<std::string_view> forms;
  for (const Task* task : all_tasks) forms.push_back(task->form);
  return forms;
}

const Task* recognise_task(const DatasetEntry& first) {
  return first_task(by_keys, [&](const Task* t) { return t->recognises(first); });
}

const Task* recognise_task(const JsonFile& document) {
  return first_task(all_tasks, [&](const Task* t) {
    return t->recognises_file != nullptr && t->recognises_file(document);
  });
}

const Task* task_of_trajectory(const json::element& trajectory) {
  return first_task(all_tasks, [&](const Task* t) {
    return t->has_own_form != nullptr && t->has_own_form(trajectory);
  });
}

}  // namespace warpath
