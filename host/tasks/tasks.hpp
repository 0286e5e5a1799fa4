#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host/tasks/task.hpp"

namespace warpath::tasks {

/// Returns all tasks, in the order of help texts.
std::span<const Task* const> list();

/// Stands for paths of which no task is known: a pairs file.
extern const Task no_task;

/// Finds a task by the form of its annotations, letter case aside; null if there is none.
const Task* find_task(std::string_view form);

/// Returns the forms of all tasks, in the order of help texts.
std::vector<std::string_view> task_forms();

/// Returns the task that the first entry of a list of annotations is of; null if it is of none.
const Task* recognise_task(const formats::DatasetEntry& first);

/// Returns the task that reads a list in its own way which begins with this entry; null if none
/// does.
const Task* task_of_list(const json::Object& first);

/// Returns the task that reads the list under one of an object's keys; null if none does.
const Task* task_of_key(std::string_view key);

/// Returns the task that reads the values of an object under one of an object's keys; null if none
/// does.
const Task* task_of_values(std::string_view key);

/// Returns the task that alone has predicted trajectories of this form; null if there is none.
const Task* task_of_trajectory(const json::Value& trajectory);

}  // namespace warpath::tasks
