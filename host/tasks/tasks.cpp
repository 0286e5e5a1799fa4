#include "host/tasks/tasks.hpp"

#include <algorithm>

#include "host/core/base/suggest.hpp"
#include "host/tasks/list.hpp"

namespace warpath::tasks {
namespace {

constexpr const Task* all_tasks[]{
    &r2r::r2r_task,          &r2r::r4r_task,
    &reverie::reverie_task,  &ndh::ndh_task,
    &rxr::rxr_task,          &r2r::one_an_entry_task,
    &soon::soon_task,        &drones::aerialvln_task,
    &vlnce::vlnce_task,      &drones::openuav_task,
    &drones::citynav_task,   &drones::openfly_task,
    &drones::indooruav_task, &touchdown::touchdown_task,
    &ivlnce::ivlnce_task,
};

// The order in which an entry is looked at: tasks with keys of their own come before those whose
// keys others have, too.
constexpr const Task* by_keys[]{
    &ndh::ndh_task,         &soon::soon_task, &r2r::one_an_entry_task, &rxr::rxr_task,
    &reverie::reverie_task, &r2r::r4r_task,   &r2r::r2r_task,          &touchdown::touchdown_task,
};

// Returns the first task for which `is_it` is true; null if there is none.
template <class Question>
const Task* first_task(std::span<const Task* const> among, const Question& is_it) {
  const auto found = std::ranges::find_if(among, is_it);
  return found == among.end() ? nullptr : *found;
}

}  // namespace

const Task no_task{.form = "", .title = "pairs", .name = ""};

std::span<const Task* const> list() {
  return all_tasks;
}

const Task* find_task(std::string_view form) {
  return first_task(all_tasks, [&](const Task* t) { return base::equal_letters(t->form, form); });
}

std::vector<std::string_view> task_forms() {
  std::vector<std::string_view> forms;
  for (const Task* task : all_tasks) forms.push_back(task->form);
  return forms;
}

const Task* recognise_task(const formats::DatasetEntry& first) {
  return first_task(by_keys, [&](const Task* t) { return t->recognises(first); });
}

const Task* task_of_list(const json::Object& first) {
  return first_task(all_tasks, [&](const Task* t) {
    return t->recognises_own != nullptr && t->recognises_own(first);
  });
}

const Task* task_of_key(std::string_view key) {
  return first_task(all_tasks, [&](const Task* t) { return !key.empty() && t->list_key == key; });
}

const Task* task_of_values(std::string_view key) {
  return first_task(all_tasks, [&](const Task* t) { return !key.empty() && t->values_key == key; });
}

const Task* task_of_trajectory(const json::Value& trajectory) {
  return first_task(all_tasks, [&](const Task* t) {
    return t->has_own_form != nullptr && t->has_own_form(trajectory);
  });
}

}  // namespace warpath::tasks
