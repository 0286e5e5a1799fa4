#include "host/files/submission/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "warpath/error.hpp"

namespace warpath::submission {

const Server& server_of(const formats::Dataset& dataset) {
  const tasks::Task& task = *dataset.task;
  if (task.servers.empty()) {
    throw UsageError(
        fmt::format("no server takes submissions to {}, which {} is: warpath eval "
                    "scores predictions",
                    task.title, dataset.file));
  }
  return task.choose_server == nullptr ? *task.servers.front() : task.choose_server(dataset);
}

std::vector<const Server*> servers_with_form() {
  std::vector<const Server*> servers;
  for (const tasks::Task* task : tasks::list()) {
    for (const Server* server : task->servers) {
      const bool is_new = std::ranges::find(servers, server) == servers.end();
      if (is_new && !server->form.empty()) servers.push_back(server);
    }
  }
  return servers;
}

const ProblemInfo& info(const Server& server, Problem problem) {
  const auto it = std::ranges::find(server.problems, problem, &ProblemInfo::problem);
  if (it != server.problems.end()) return *it;
  throw std::logic_error("a problem that the server does not know");
}

}  // namespace warpath::submission
