#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "report/text.h"

namespace lanescope::report {
namespace {

constexpr std::size_t kIndent = 2, kDeepIndent = 6;
constexpr int kWide = 120;  // columns from which on source text stands beside the figures
constexpr std::size_t kLongestPlace = 28, kLongestHeading = 100;

// What is the same for the whole report.
struct View {
  const Document& document;
  const TerminalOptions& options;
  std::map<std::string, std::string> files;  // path: what is printed for it
  bool estimates = false, timing = false;    // whether their legends are due

  std::size_t width() const { return static_cast<std::size_t>(options.width); }
};

// Base names where they tell files apart, else as many folders as that takes.
std::map<std::string, std::string> display_names(const std::set<std::string>& paths) {
  const auto tail = [](const std::string& path, int parts) {
    std::size_t at = path.size();
    while (parts-- > 0 && at != std::string::npos && at != 0) at = path.rfind('/', at - 1);
    return at == std::string::npos || path[at] != '/' ? path : path.substr(at + 1);
  };
  std::map<std::string, std::string> names;
  for (const std::string& path : paths) {
    const auto ambiguous = [&](const std::string& name, int parts) {
      return std::any_of(paths.begin(), paths.end(),
                         [&](const std::string& other) { return other != path && tail(other, parts) == name; });
    };
    int parts = 1;
    while (ambiguous(tail(path, parts), parts) && tail(path, parts) != path) ++parts;
    names[path] = tail(path, parts);
  }
  return names;
}

std::string place(const View& view, const Position& at) {
  if (at.line == 0) return "no line";
  const auto name = view.files.find(at.file);
  std::string text = fmt::format("{}:{}", name == view.files.end() ? at.file : name->second, at.line);
  if (columns_of(text) <= kLongestPlace) return text;
  return "..." + text.substr(text.size() - (kLongestPlace - 3));
}

std::string source_text(const View& view, const Position& at) {
  const auto file = view.document.sources.find(at.file);
  if (file == view.document.sources.end()) return {};
  const auto line = file->second.find(at.line);
  return line == file->second.end() ? std::string() : plain_line(line->second);
}

std::string dimensions(const std::uint32_t (&d)[3]) {
  if (d[2] != 1) return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
  return d[1] != 1 ? fmt::format("{}x{}", d[0], d[1]) : fmt::format("{}", d[0]);
}

// ---- figures

std::string count_cell(std::uint64_t value, bool present, bool estimate, bool timing) {
  if (!present) return {};
  return fmt::format("{}{}{}", estimate ? "est. " : "", timing ? "~" : "", with_separators(value));
}

std::string ratio_cell(std::uint64_t value, std::uint64_t of) {
  return of == 0 ? std::string() : decimal(static_cast<double>(value) / static_cast<double>(of));
}

std::vector<std::string> line_cells(View& view, const LineFigures& line) {
  const Figures& f = line.figures;
  const bool shared = f.wavefronts != 0, global = f.sectors != 0;
  view.estimates |= f.estimate;
  view.timing |= f.timing_dependent;
  return {place(view, line.at),
          count_cell(f.wavefronts, shared, f.estimate, f.timing_dependent),
          count_cell(f.lost_wavefronts, shared, f.estimate, f.timing_dependent),
          shared ? ratio_cell(f.wavefronts, f.shared_accesses) : std::string(),
          count_cell(f.sectors, global, false, f.timing_dependent),
          count_cell(f.excess_sectors, global, false, f.timing_dependent),
          global ? ratio_cell(f.sectors, f.global_accesses) : std::string(),
          count_cell(f.local_sectors, f.local_sectors != 0, false, f.timing_dependent)};
}

const char* lost_name(const View& view) { return view.options.rules == Rules::kNcu ? "excess" : "conflicts"; }

Table line_table(const View& view) {
  return Table({{"line", ""},
                {"wavefronts", "shared memory"},
                {lost_name(view), "shared memory"},
                {"n-way", "shared memory"},
                {"sectors", "global memory"},
                {"excess", "global memory"},
                {"/request", "global memory"},
                {"sectors", "local"}});
}

std::string rest_of_lines(const View& view, const std::vector<LineFigures>& lines, std::size_t from) {
  Figures rest;
  for (std::size_t i = from; i < lines.size(); ++i) rest += lines[i].figures;
  return fmt::format("and {} more line{}: {} {}, {} excess sectors", lines.size() - from,
                     lines.size() - from == 1 ? "" : "s", with_separators(rest.lost_wavefronts), lost_name(view),
                     with_separators(rest.excess_sectors));
}

std::string lines_text(View& view, const Group& group) {
  const std::vector<LineFigures> lines = by_line(group.rows, view.options.rules);
  if (lines.empty()) return {};
  Table table = line_table(view);
  const bool beside = view.options.width >= kWide;
  const auto most = static_cast<std::size_t>(std::max(view.options.lines, 1));
  const std::size_t shown = lines.size() <= most ? lines.size() : most;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string source = source_text(view, lines[i].at);
    table.add(line_cells(view, lines[i]), beside ? source : std::string());
    if (!beside && !source.empty()) table.interrupt(std::string(kDeepIndent - kIndent, ' ') + source);
  }
  if (shown < lines.size()) table.interrupt(rest_of_lines(view, lines, shown));
  return table.print(kIndent, view.width(), view.options.color);
}

// ---- verdicts

std::string where(const View& view, const Verdict& verdict) {
  const LineFigures& worst = verdict.culprits.front();
  std::string on = worst.at.line == 0 ? "instructions without a line" : place(view, worst.at);
  if (verdict.subject == Verdict::Subject::kShared && !worst.arrays.empty())
    on += fmt::format(" ({})", fmt::join(worst.arrays, ", "));
  const double share = static_cast<double>(loss_of(worst.figures, verdict.subject)) / static_cast<double>(verdict.lost);
  if (verdict.culprits.size() == 1) return "all on " + on;
  if (share >= 0.9) return "nearly all on " + on;
  if (share >= 0.5) return fmt::format("most of them on {}", on);
  return fmt::format("on {} lines, first {} ({})", verdict.culprits.size(), on, percent(share));
}

std::string shared_sentence(const View& view, const Verdict& v) {
  const bool ncu = view.options.rules == Rules::kNcu;
  if (v.lost == 0)
    return fmt::format("no {} in {} wavefronts", ncu ? "excess" : "bank conflicts", with_separators(v.all));
  const std::string text =
      fmt::format("{} of wavefronts are {} ({} of {})", percent(v.share()), ncu ? "above the ideal" : "bank conflicts",
                  with_separators(v.lost), with_separators(v.all));
  return v.level == Level::kGood ? text + ", which is healthy" : text + ", " + where(view, v);
}

std::string global_sentence(const View& view, const Verdict& v) {
  if (v.lost == 0) return fmt::format("all {} sectors are needed", with_separators(v.all));
  const std::uint64_t needed = v.all - v.lost;
  const double times = static_cast<double>(v.all) / static_cast<double>(std::max<std::uint64_t>(needed, 1));
  const std::string text = fmt::format("{} the sectors needed ({} for {})",
                                       times < 1.1 ? fmt::format("{:.2f}x", times) : decimal(times) + "x",
                                       with_separators(v.all), with_separators(needed));
  return v.level == Level::kGood ? text + ", which is healthy" : fmt::format("{}, the excess {}", text, where(view, v));
}

std::string sentence(const View& view, const Verdict& v) {
  switch (v.subject) {
    case Verdict::Subject::kShared:
      return shared_sentence(view, v);
    case Verdict::Subject::kGlobal:
      return global_sentence(view, v);
    case Verdict::Subject::kLocal:
      return fmt::format("{} sectors for spilled registers or arrays indexed at run time, {}", with_separators(v.lost),
                         where(view, v));
    case Verdict::Subject::kLanes:
      return fmt::format("{} of 32 active on average, the idle ones {}", decimal(32 * (1 - v.share())), where(view, v));
  }
  return {};
}

const char* subject_name(Verdict::Subject subject) {
  switch (subject) {
    case Verdict::Subject::kShared:
      return "Shared memory";
    case Verdict::Subject::kGlobal:
      return "Global memory";
    case Verdict::Subject::kLocal:
      return "Local memory";
    case Verdict::Subject::kLanes:
      return "Lanes";
  }
  return "";
}

Paint paint_of(Level level) {
  return level == Level::kBad ? Paint::kRed : level == Level::kWatch ? Paint::kYellow : Paint::kGreen;
}

std::string verdict_line(const View& view, std::string_view mark, const std::string& text, Paint paint) {
  const std::string line = fmt::format("{}{} {}", std::string(kIndent, ' '), mark, text);
  return painted(wrapped(line, view.width(), kIndent + 2), paint, view.options.color) + "\n";
}

// Idle lanes are spoken of only where they cost something.
std::vector<Verdict> spoken_verdicts(const Group& group, Rules rules) {
  std::vector<Verdict> verdicts = verdicts_of(group.rows, rules);
  std::erase_if(verdicts,
                [](const Verdict& v) { return v.subject == Verdict::Subject::kLanes && v.level == Level::kGood; });
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.level > b.level; });
  return verdicts;
}

bool has_something(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.level != Level::kGood; });
}

std::string nothing_to_mend(const View& view, const std::vector<Verdict>& verdicts) {
  std::vector<std::string> reasons;
  for (const Verdict& verdict : verdicts) reasons.push_back(sentence(view, verdict));
  if (reasons.empty()) return "Nothing to mend: no access to shared, global or local memory";
  return fmt::format("Nothing to mend: {}", fmt::join(reasons, "; "));
}

std::string arrays_line(const View& view, const Group& group) {
  const std::vector<ArrayFigures> arrays = by_array(group.rows, view.options.rules);
  if (arrays.size() < 2 || arrays.front().figures.lost_wavefronts == 0) return {};
  std::vector<std::string> parts;
  for (const ArrayFigures& array : arrays)
    parts.push_back(fmt::format("{} {} of {}", array.name, with_separators(array.figures.lost_wavefronts),
                                with_separators(array.figures.wavefronts)));
  return verdict_line(view, " ", fmt::format("by array, {} of wavefronts: {}", lost_name(view), fmt::join(parts, "; ")),
                      Paint::kNone);
}

std::string verdicts_text(const View& view, const Group& group) {
  std::string text;
  const Launch& launch = group.first();
  if (!launch.stopped.empty())
    text += verdict_line(view, "!", "Stopped early, counts are of what ran: " + launch.stopped, Paint::kRed);
  const std::vector<Verdict> verdicts = spoken_verdicts(group, view.options.rules);
  if (!has_something(verdicts)) {
    if (launch.stopped.empty()) text += verdict_line(view, "-", nothing_to_mend(view, verdicts), Paint::kGreen);
  } else {
    for (const Verdict& v : verdicts) {
      text += verdict_line(view, v.level == Level::kBad ? "!" : "-",
                           fmt::format("{}: {}", subject_name(v.subject), sentence(view, v)), paint_of(v.level));
      if (v.subject == Verdict::Subject::kShared) text += arrays_line(view, group);
    }
  }
  if (launch.order_dependent)
    text += verdict_line(view, "-", "Counts may depend on the order of blocks (atomics that return a value, clocks)",
                         Paint::kNone);
  return text;
}

// ---- one kernel

std::string launch_tag(const Group& group) {
  const std::uint64_t id = group.first().id;
  if (group.launches.size() == 1) return fmt::format("launch {}", id);
  return fmt::format("{} launches from {} on, {}", with_separators(group.launches.size()), id,
                     group.alike ? "figures of one" : "figures of all");
}

std::string heading(const View& view, const Group& group) {
  const std::string tag = launch_tag(group);
  const std::size_t width = std::min(view.width(), kLongestHeading);
  const std::size_t room = std::max<std::size_t>(width - std::min(width, tag.size() + 2), 20);
  std::string name = plain_line(group.first().kernel);
  if (columns_of(name) > room) name = short_name(name);
  name = cut(name, room);
  const std::size_t used = columns_of(name) + tag.size();
  const std::string gap(width > used ? width - used : 2, ' ');
  return painted(name, Paint::kBold, view.options.color) + gap + tag + "\n";
}

std::string configuration(const View& view, const Launch& l) {
  std::string text =
      fmt::format("{}grid {}, block {}", std::string(kIndent, ' '), dimensions(l.grid), dimensions(l.block));
  if (l.cluster[0] * l.cluster[1] * l.cluster[2] > 1) text += fmt::format(", cluster {}", dimensions(l.cluster));
  text += fmt::format(", {} registers", l.registers);
  if (l.static_shared + l.dynamic_shared != 0)
    text += fmt::format(", {} bytes of shared memory", with_separators(l.static_shared + l.dynamic_shared));
  if (l.static_shared != 0 && l.dynamic_shared != 0)
    text += fmt::format(" ({} of them dynamic)", with_separators(l.dynamic_shared));
  return wrapped(text, view.width(), kIndent) + "\n";
}

std::string occupancy(const View& view, const Launch& l) {
  const Occupancy& o = l.occupancy;
  if (o.max_warps == 0) return {};
  const int blocks = std::min({o.limit_registers, o.limit_shared, o.limit_warps, o.limit_blocks});
  const std::string text =
      fmt::format("{}theoretical occupancy {:.0f} % ({} of {} warps), limited by {}: {} block{} an SM",
                  std::string(kIndent, ' '), 100.0 * o.theoretical_warps / o.max_warps, o.theoretical_warps,
                  o.max_warps, o.limiter, blocks, blocks == 1 ? "" : "s");
  return wrapped(text, view.width(), kIndent) + "\n";
}

// ---- instructions

std::string both(std::uint64_t shared, bool has_shared, std::uint64_t other, bool has_other) {
  if (has_shared && has_other) return with_separators(shared) + "+" + with_separators(other);
  return has_shared ? with_separators(shared) : has_other ? with_separators(other) : std::string();
}

std::vector<std::string> instruction_cells(View& view, const InstructionRow& row) {
  const Figures f = figures_of(row, view.options.rules);
  view.estimates |= f.estimate;
  view.timing |= f.timing_dependent;
  const std::uint64_t sectors = f.sectors + f.local_sectors;
  const bool shared = f.wavefronts != 0, other = sectors != 0;
  const std::string mark = fmt::format("{}{}", f.estimate ? "est. " : "", f.timing_dependent ? "~" : "");
  const auto marked = [&](const std::string& cell) { return cell.empty() ? cell : mark + cell; };
  return {fmt::format("{:#06x}", row.offset),
          fmt::format("{}{}", f.timing_dependent ? "~" : "", with_separators(row.executed)),
          ratio_cell(row.threads_on, row.executed),
          count_cell(row.divergent, row.divergent != 0, false, f.timing_dependent),
          marked(both(f.wavefronts, shared, sectors, other)),
          marked(both(f.lost_wavefronts, shared, f.excess_sectors + f.local_sectors, other))};
}

// How many rows there are before the padding behind the last instruction.
std::size_t without_padding(const std::vector<InstructionRow>& rows) {
  std::size_t count = rows.size();
  while (count > 0 && rows[count - 1].executed == 0 &&
         (rows[count - 1].text == "NOP" || rows[count - 1].text.starts_with("BRA ")))
    --count;
  return count;
}

std::string instructions_text(View& view, const Group& group) {
  Table table({{"offset", ""}, {"executed", ""}, {"lanes", ""}, {"divergent", ""}, {"traffic", ""}, {"lost", ""}},
              "instruction");
  Position last;
  std::string function;
  for (const InstructionRow& row : std::span(group.rows).first(without_padding(group.rows))) {
    if (row.function != function) table.interrupt("in " + (row.function.empty() ? group.first().kernel : row.function));
    const Position at = line_of(row);
    if (at.line != 0 && (at.line != last.line || at.file != last.file))
      table.interrupt(fmt::format("{}  {}", place(view, at), source_text(view, at)));
    last = at;
    function = row.function;
    table.add(instruction_cells(view, row), plain_line(row.text));
  }
  return "\n" + table.print(kIndent, view.width(), view.options.color);
}

std::string kernel_text(View& view, const Group& group) {
  std::string text = heading(view, group) + configuration(view, group.first()) + occupancy(view, group.first());
  text += verdicts_text(view, group) + lines_text(view, group);
  if (view.options.sass) text += instructions_text(view, group);
  return text;
}

// ---- the whole report

std::string nothing_counted(const View& view) {
  const bool none = view.document.processes.empty();
  return wrapped(none ? "lanescope: no process launched a kernel through libcudart.so.12 or libcudart.so.13. A CUDA "
                        "program that links the static runtime must be built anew: see lanescope build --help"
                      : "lanescope: no kernel launch was counted",
                 view.width(), kIndent) +
         "\n";
}

std::string title(const View& view, const std::vector<Group>& groups) {
  if (groups.empty()) return nothing_counted(view);
  std::size_t launches = 0;
  std::set<std::string> chips, kernels;
  for (const Report& process : view.document.processes) {
    launches += process.launches.size();
    if (!process.launches.empty()) chips.insert(fmt::format("{} (sm_{})", process.chip, process.sm));
  }
  for (const Group& group : groups) kernels.insert(group.first().kernel);
  std::string text =
      fmt::format("lanescope: {} launch{} of {} kernel{} on a modelled {}", with_separators(launches),
                  launches == 1 ? "" : "es", kernels.size(), kernels.size() == 1 ? "" : "s", fmt::join(chips, " and "));
  if (view.options.rules == Rules::kNcu) text += "; wavefronts by the rule of Nsight Compute's source page";
  return painted(wrapped(text, view.width(), kIndent), Paint::kBold, view.options.color) + "\n";
}

std::string process_line(const View& view, const Report& process) {
  return wrapped(fmt::format("process {}: {}", process.process, process.program), view.width(), kIndent) + "\n";
}

std::string remarks(const View& view, const char* kind, std::vector<std::string> Report::*texts, Paint paint) {
  std::string result;
  std::vector<std::string> seen;
  for (const Report& process : view.document.processes) {
    for (const std::string& text : process.*texts) {
      if (std::find(seen.begin(), seen.end(), text) != seen.end()) continue;
      seen.push_back(text);
      const std::string line = wrapped(fmt::format("{}: {}", kind, plain_line(text)), view.width(), kDeepIndent);
      result += painted(line, paint, view.options.color) + "\n";
    }
  }
  return result;
}

bool lacks_lines(const std::vector<Group>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const Group& group) {
    return !group.rows.empty() && std::all_of(group.rows.begin(), group.rows.end(),
                                              [](const InstructionRow& row) { return line_of(row).line == 0; });
  });
}

std::string legends(const View& view, const std::vector<Group>& groups) {
  std::string text;
  const auto add = [&](const char* legend) { text += wrapped(legend, view.width(), kIndent) + "\n"; };
  if (view.timing) add("~ depends on timing: a retry loop, which goes round more or less often in another run");
  if (view.estimates) add("est. an estimate: the hardware's rule for cp.async.cg into shared memory is not known");
  if (view.options.sass && !groups.empty())
    add("traffic: wavefronts of shared memory, sectors of global and local memory; lost: conflicts, excess sectors");
  if (lacks_lines(groups)) add("no line: compile with nvcc -lineinfo to see source lines");
  return text;
}

std::string share_cell(std::uint64_t lost, std::uint64_t all) {
  if (all == 0) return "-";
  return lost == 0 ? "0 %" : percent(static_cast<double>(lost) / static_cast<double>(all));
}

std::string times_cell(std::uint64_t lost, std::uint64_t all) {
  if (all == 0) return "-";
  return decimal(static_cast<double>(all) / static_cast<double>(std::max<std::uint64_t>(all - lost, 1))) + "x";
}

double whole_cost(const Group& group) {
  return group.total.cost() * (group.alike ? static_cast<double>(group.launches.size()) : 1.0);
}

std::string worst_place(const View& view, const Group& group) {
  const std::vector<LineFigures> lines = by_line(group.rows, view.options.rules);
  if (lines.empty() || lines.front().figures.cost() == 0 || lines.front().at.line == 0) return {};
  return ", " + place(view, lines.front().at);
}

std::string summary(const View& view, const std::vector<Group>& groups) {
  std::vector<const Group*> order;
  for (const Group& group : groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const Group* a, const Group* b) { return whole_cost(*a) > whole_cost(*b); });
  Table table({{"launch", ""}, {lost_name(view), ""}, {"sectors", ""}, {"occupancy", ""}}, "kernel, costliest line");
  for (std::size_t i = 0; i < std::min(order.size(), view.options.kernels); ++i) {
    const Group& g = *order[i];
    const Occupancy& o = g.first().occupancy;
    table.add(
        {g.launches.size() == 1 ? std::to_string(g.first().id)
                                : fmt::format("{} (x{})", g.first().id, g.launches.size()),
         share_cell(g.total.lost_wavefronts, g.total.wavefronts), times_cell(g.total.excess_sectors, g.total.sectors),
         o.max_warps == 0 ? std::string("-") : fmt::format("{:.0f} %", 100.0 * o.theoretical_warps / o.max_warps)},
        short_name(plain_line(g.first().kernel)) + worst_place(view, g));
  }
  if (order.size() > view.options.kernels)
    table.interrupt(fmt::format("and {} more kernels", order.size() - view.options.kernels));
  return painted("Summary, the costliest first", Paint::kBold, view.options.color) + "\n" +
         table.print(kIndent, view.width(), view.options.color);
}

std::string last_line(const View& view, const std::vector<Group>& groups) {
  const auto bad = static_cast<std::size_t>(std::count_if(groups.begin(), groups.end(), [&](const Group& group) {
    return has_something(spoken_verdicts(group, view.options.rules)) || !group.first().stopped.empty();
  }));
  if (bad == 0) return "Nothing to mend.\n";
  return fmt::format("{} of {} kernels and shapes have something to mend.\n", bad, groups.size());
}

}  // namespace

std::string to_terminal(const Document& document, const TerminalOptions& options) {
  View view{document, options, {}};
  const std::vector<Group> groups = by_kernel(document, options.rules);
  std::set<std::string> paths;
  for (const Group& group : groups) {
    for (const InstructionRow& row : group.rows) paths.insert(line_of(row).file);
  }
  view.files = display_names(paths);

  std::string text = title(view, groups);
  const Report* process = nullptr;
  for (std::size_t i = 0; i < std::min(groups.size(), options.kernels); ++i) {
    text += "\n";
    if (document.processes.size() > 1 && groups[i].process != process)
      text += process_line(view, *groups[i].process) + "\n";
    process = groups[i].process;
    text += kernel_text(view, groups[i]);
  }
  if (groups.size() > options.kernels)
    text += fmt::format("\nand {} more kernels: --kernel REGEX or --all shows them\n", groups.size() - options.kernels);
  const std::string ends = remarks(view, "problem", &Report::problems, Paint::kRed) +
                           remarks(view, "note", &Report::notes, Paint::kNone) + legends(view, groups);
  if (!ends.empty()) text += "\n" + ends;
  if (groups.size() > 1) text += "\n" + summary(view, groups) + last_line(view, groups);
  return text;
}

}  // namespace lanescope::report
