#include "launcher/child.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace lanescope::launcher {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

std::atomic<pid_t> running_child = 0;

// A positive code means that the kernel made it, as for a key of the terminal: then the whole group has it already.
void forward(int signal, siginfo_t* info, void*) {
  const pid_t child = running_child;
  if (child > 0 && info->si_code <= 0) kill(child, signal);
}

// While it lives, signals go on to the child instead of ending this process.
class Forwarding {
 public:
  Forwarding() {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
      sigaction(kForwarded[i], nullptr, &before_[i]);
      // What this process was started to ignore (nohup), the child ignores as well.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    running_child = 0;
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) sigaction(kForwarded[i], &before_[i], nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

 private:
  struct sigaction before_[std::size(kForwarded)];
};

std::vector<std::string> environment_of(const Child& child) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (child.environment.count(std::string(text.substr(0, text.find('=')))) == 0) result.emplace_back(text);
  }
  for (const auto& [name, value] : child.environment) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

int spawn(pid_t& pid, const std::string& path, std::vector<std::string> arguments,
          std::vector<std::string> environment) {
  return posix_spawn(&pid, path.c_str(), nullptr, nullptr, pointers(arguments).data(), pointers(environment).data());
}

ChildEnd wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

Result<ChildEnd> run_child(const Child& child) {
  const Forwarding forwarding;
  const std::vector<std::string> environment = environment_of(child);
  pid_t pid = 0;
  int error = spawn(pid, child.path, child.arguments, environment);
  if (error == ENOEXEC) {  // a script without a first line that names its interpreter, which shells run themselves
    std::vector<std::string> arguments = {"sh", child.path};
    arguments.insert(arguments.end(), child.arguments.begin() + 1, child.arguments.end());
    error = spawn(pid, "/bin/sh", arguments, environment);
  }
  if (error != 0) return input_error("{} cannot be started: {}", child.path, std::strerror(error));
  running_child = pid;
  return wait_for(pid);
}

std::string prepended(const char* name, const std::string& text, char separator) {
  const char* present = std::getenv(name);
  return present == nullptr || *present == '\0' ? text : text + separator + present;
}

std::string appended(const char* name, const std::string& text, char separator) {
  const char* present = std::getenv(name);
  return present == nullptr || *present == '\0' ? text : std::string(present) + separator + text;
}

}  // namespace lanescope::launcher
