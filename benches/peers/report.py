#!/usr/bin/env python3
"""Turns the JSON lines of a comparison into a table of medians and ratios, and charts.

report.py LINES RESULTS ROOT: reads LINES, writes RESULTS/README.md and RESULTS/*.svg.

Ratios are to client-go's line of the same encoding in the same run of the script. Python alone.
"""

import collections
import datetime
import html
import json
import os
import re
import statistics
import subprocess
import sys

GOALS = {
    "sync wall": "≤ 0.4×",
    "sync cpu": "≤ 0.4×",
    "relist cpu": "≤ 0.15×",
    "updates cpu": "≤ 0.8×",
    "rss settled": "≤ 1.4×",
}
# What a ratio says nothing of: counts, and differences that may be nothing or less.
PLAIN = {"updates told", "updates merged", "updates behind", "relist rss growth"}
COLOURS = {"kube-informer": "#2f7d6d", "client-go": "#4a7ab5", "kube-runtime": "#b07a3c"}
CLIENTS = list(COLOURS)


def load(path):
    """{(measure, n): {(client, storage, media): [values]}} in the order of the lines, and units."""
    lines, units = {}, {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            if not text.strip():
                continue
            line = json.loads(text)
            key = (line["measure"], line["n"])
            who = (line["client"], line["storage"], line["media"])
            lines.setdefault(key, collections.OrderedDict()).setdefault(who, []).append(line["value"])
            units[line["measure"]] = line["unit"]
    return lines, units


def median(values):
    return statistics.median(values)


def shown(value, unit):
    if unit == "B":
        return f"{value / 1e6:,.0f} MB" if abs(value) >= 1e6 else f"{value / 1e3:,.0f} kB"
    if unit == "s":
        if abs(value) < 1e-3:
            return f"{value * 1e9:.0f} ns"
        return f"{value:.2f} s" if abs(value) >= 0.1 else f"{value * 1e3:.0f} ms"
    if unit == "1/s":
        return f"{value:,.0f}/s"
    return f"{value:,.0f}"


def span(values, unit):
    """The median, and between what it lay where that is worth saying."""
    text = shown(median(values), unit)
    low, high = min(values), max(values)
    if len(values) > 1 and high > 1.1 * low > 0:
        text += f" ({shown(low, unit)}–{shown(high, unit)})"
    return text


def peer_of(rows, who):
    """client-go's values to compare with: the same storage and encoding, else the nearest."""
    _, storage, media = who
    wanted = [(storage, media), ("whole", media), ("whole", media.replace("json", "protobuf")),
              ("list", media), ("whole", "json")]
    for storage, media in wanted:
        if ("client-go", storage, media) in rows:
            return rows[("client-go", storage, media)]
    return None


def ratio(rows, who):
    """The ratio to client-go's default. Of this crate's default, also to what it strips."""
    peer = peer_of(rows, who)
    if who[0] == "client-go" or peer is None or median(peer) <= 0:
        return ""
    text = f"{median(rows[who]) / median(peer):.2f}×"
    stripped = rows.get(("client-go", "stripped", who[2]))
    if who[1] in ("default", "decoded") and stripped:
        text += f", of stripped {median(rows[who]) / median(stripped):.2f}×"
    return text


def name(who):
    client, storage, media = who
    parts = [part for part in (storage, media) if part not in ("none", "")]
    return f"{client}: {', '.join(parts)}"


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def wide(lines, units, measures, n):
    """One row a client, one column a measure, each with its ratio."""
    present = [m for m in measures if (m, n) in lines]
    everyone = list(collections.OrderedDict.fromkeys(who for m in present for who in lines[(m, n)]))
    rows = []
    for who in everyone:
        row = [name(who)]
        for measure in present:
            values = lines[(measure, n)]
            if who not in values:
                row.append("–")
                continue
            compared = measure.split(",")[0] not in PLAIN
            times = ratio(values, who) if compared else ""
            text = span(values[who], units[measure])
            row.append(f"{text} **{times}**" if times else text)
        rows.append(row)
    shorter = [re.sub(r", \d+ handlers$", "", m) for m in present]
    heads = [m + (f" (goal {GOALS[m]})" if m in GOALS else "") for m in shorter]
    return table(["client", *heads], rows) if present else ""


def views(lines, n):
    """The figures of views beside their goals, one row each."""
    def of(measure, storage, media, client="kube-informer", size=n):
        values = lines.get((measure, size), {}).get((client, storage, media))
        return median(values) if values else None

    def beside(measure, storage, size):
        ours = of(measure, storage, "protobuf", size=size)
        theirs = of(measure, "whole", "protobuf", "client-go", size)
        return f"{ours / theirs:.2f}×" if ours and theirs else "–"

    rows = []
    for media in ("protobuf", "json"):
        scanned = max(sizes_of(lines, "scan cpu an object"), default=0)
        for measure, goals in (("first scan cpu an object", {"protobuf": "≤ 6 µs", "json": "≤ 15 µs"}),
                               ("scan cpu an object", {"protobuf": "≤ 150 ns", "json": "≤ 150 ns"})):
            ours, whole = (of(measure, storage, media, size=scanned) for storage in ("view, reading", "default, reading"))
            if ours:
                rows.append([f"{measure}, {media}", shown(ours, "s"), goals[media], shown(whole, "s") if whole else "–"])
        for measure, goal in (("rss settled", "≤ 1.05×"), ("rss, all read", "≤ 2.1×")):
            one, other = of(measure, "three views", media), of("rss settled", "default", media)
            if one and other:
                rows.append([f"{measure}, with three views, {media}, of the store's", f"{one / other:.2f}×", goal, ""])
    for measure, size in sorted(key for key in lines if re.match(r"updates (cpu|rss peak), 1 handlers", key[0])):
        goals = ("≤ 0.35×", "≤ 0.5×") if "cpu" in measure else ("≤ 0.12×", "≤ 0.6×")
        ratios = [beside(measure, storage, size) for storage in ("view", "default")]
        rows.append([f"{measure.split(',')[0]}, {size:,}, of client-go's", ratios[0], goals[0], f"{ratios[1]} (goal {goals[1]})"])
    return table(["", "five fields", "goal", "whole objects"], rows) if rows else ""


# Charts.

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #3b4148 } .t { font-size: 15px; font-weight: 600 }
.v { font-size: 12px } .g { stroke: #8b949e; stroke-opacity: .35 }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } }
</style>"""


def esc(text):
    return html.escape(str(text))


def label_width(labels):
    """Room for the longest label in any font that a reader may have."""
    return 20 + 7.4 * max((len(label) for label in labels), default=0)


def bars(path, title, rows, unit):
    """Horizontal bars: [(label, client, value)]."""
    if not rows:
        return False
    # Sorted, and ours beside the peers: the eye compares neighbours.
    rows = sorted(rows, key=lambda row: row[2])
    left, bar, gap = label_width(label for label, _, _ in rows), 20, 10
    width = left + 490
    most = max(value for _, _, value in rows) or 1
    height = 50 + len(rows) * (bar + gap)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
           f'aria-label="{esc(title)}">', STYLE, f'<text class="t" x="8" y="24">{esc(title)}</text>']
    for at, (label, client, value) in enumerate(rows):
        y = 42 + at * (bar + gap)
        length = max(1, (width - left - 110) * max(value, 0) / most)
        out.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end">{esc(label)}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar}" rx="3" '
                   f'fill="{COLOURS.get(client, "#777")}"/>')
        out.append(f'<text class="v" x="{left + length + 8:.1f}" y="{y + 15}">{esc(shown(value, unit))}</text>')
    write(path, "\n".join([*out, "</svg>\n"]))
    return True


def curves(path, title, series, unit):
    """Lines over sizes, both axes logarithmic: {label: (client, [(n, value)], dashed)}."""
    import math

    points = [point for _, all_points, _ in series.values() for point in all_points if point[1] > 0]
    if len({n for n, _ in points}) < 2:
        return False
    height, left, top, bottom = 380, 90, 44, 44
    right = label_width(series)
    width = left + 480 + right
    xs = sorted({n for n, _ in points})
    low, high = min(v for _, v in points), max(v for _, v in points)
    low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high) + 1e-9)

    def x(n):
        return left + (width - left - right) * math.log(n / xs[0]) / math.log(xs[-1] / xs[0])

    def y(value):
        return height - bottom - (height - top - bottom) * math.log(value / low) / math.log(high / low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
           f'aria-label="{esc(title)}">', STYLE, f'<text class="t" x="8" y="24">{esc(title)}</text>']
    step = low
    while step <= high * 1.001:
        out.append(f'<line class="g" x1="{left}" x2="{width - right}" y1="{y(step):.1f}" y2="{y(step):.1f}"/>')
        out.append(f'<text class="v" x="{left - 8}" y="{y(step) + 4:.1f}" text-anchor="end">{esc(shown(step, unit))}</text>')
        step *= 10
    for n in xs:
        out.append(f'<text class="v" x="{x(n):.1f}" y="{height - 18}" text-anchor="middle">{n:,}</text>')
    names = []
    for label, (client, all_points, dashed) in series.items():
        all_points = [point for point in all_points if point[1] > 0]
        if not all_points:
            continue
        path_data = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in all_points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        colour = COLOURS.get(client, "#777")
        out.append(f'<polyline points="{path_data}" fill="none" stroke="{colour}" stroke-width="2.2"{dash}/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for n, v in all_points]
        names.append([y(all_points[-1][1]), label, x(all_points[-1][0])])
    # Names beside the ends of their lines, none over another.
    last = -100.0
    for at, label, end in sorted(names):
        last = max(at, last + 16)
        out.append(f'<text class="v" x="{end + 10:.1f}" y="{last + 4:.1f}">{esc(label)}</text>')
    write(path, "\n".join([*out, "</svg>\n"]))
    return True


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# The machine.

def command(*args, cwd=None):
    try:
        return subprocess.run(args, capture_output=True, text=True, check=True, cwd=cwd).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine(root):
    def first(path, pattern, default=""):
        try:
            with open(path, encoding="utf-8") as file:
                found = re.search(pattern, file.read(), re.M)
                return found.group(1).strip() if found else default
        except OSError:
            return default

    memory = int(first("/proc/meminfo", r"^MemTotal:\s+(\d+)", "0")) / 1024 / 1024
    here = os.path.dirname(os.path.abspath(__file__))
    go_mod = os.path.join(here, "client-go", "go.mod")
    lock = os.path.join(root, "Cargo.lock")
    return [
        f"CPU: {first('/proc/cpuinfo', r'^model name.*: (.*)$', 'unknown')}, {os.cpu_count()} cores, "
        f"{memory:.0f} GiB, Linux {os.uname().release.split('-')[0]}",
        f"kube-informer {command('git', 'describe', '--always', '--dirty', cwd=root)}, "
        f"{' '.join(command('rustc', '--version').split()[:2])}, glibc's allocator",
        "kube-runtime " + first(lock, r'name = "kube-runtime"\nversion = "(.*)"')
        + ", client-go " + (first(go_mod, r"k8s\.io/client-go (\S+)") or "none")
        + ", " + (" ".join(command("go", "version").split()[2:3]) or "no Go"),
    ]


# The page.

def sizes_of(lines, measure):
    return sorted(n for m, n in lines if m == measure)


# The storages that a chart shows first; the tables have all of them.
CHARTED = ["default", "decoded", "whole", "stripped", "compact", "slim", "compact, unread", "metadata"]
BARS = 8


def charted(everyone):
    """At most eight: not the plain lists, JSON only where there is nothing else."""
    have = {(client, storage) for client, storage, media in everyone if media == "protobuf"}
    rows = [who for who in everyone
            if "plain" not in who[2] and (who[2] != "json" or who[:2] not in have)]

    def order(who):
        return CHARTED.index(who[1]) if who[1] in CHARTED else len(CHARTED)

    return sorted(rows, key=order)[:BARS]


def best_rows(values):
    """The bars of a chart."""
    for who in charted(values):
        yield name(who), who[0], median(values[who])


def main():
    path, results, root = sys.argv[1:4]
    lines, units = load(path)
    if not lines:
        sys.exit(f"{path} has no lines")
    page = ["# Results\n",
            "Made by `benches/peers/run`; the lines are in " + f"`{os.path.basename(path)}`. Medians, with the range where "
            "runs differ by more than a tenth; in bold the ratio to client-go's line of the same storage, encoding and kind of "
            "list, or of whole pods where it has no such storage. Rows without \"plain list\" are of streaming lists. "
            "*default* is this crate without options: pods without managedFields, packed until they are read. *decoded* keeps them decoded. "
            "*whole* has managedFields, which is "
            "the peers' default; *stripped* is a peer that drops them. Server and client share the machine: wall times hold the server's "
            "share, processor time is the client's alone.\n"]
    page += [f"- {fact}" for fact in machine(root)]
    runs = max((len(v) for rows in lines.values() for v in rows.values()), default=0)
    page += [f"- {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, {runs} runs, clients in turn\n"]
    charts = []

    def chart(made, file, alt):
        if made:
            charts.append(file)
            page.append(f"![{alt}]({file})\n")

    relisted = sizes_of(lines, "relist cpu")
    sizes = sizes_of(lines, "rss settled")
    main_size = relisted[-1] if relisted else (sizes[-1] if sizes else None)
    if main_size is not None:
        n = main_size
        page.append(f"## Sync and memory, {n:,} pods\n")
        for measure, file, title in [("sync cpu", "sync-cpu.svg", "Initial sync: processor time"),
                                     ("rss settled", "memory.svg", "Resident memory after sync")]:
            rows = list(best_rows(lines.get((measure, n), {})))
            made = bars(os.path.join(results, file), f"{title}, {n:,} pods", rows, units.get(measure, ""))
            chart(made, file, title)
        page.append(wide(lines, units, ["sync wall", "sync cpu", "sync cpu until idle"], n))
        page.append(wide(lines, units, ["rss settled", "rss settled, forced GC", "rss peak"], n))
    scanned = sizes_of(lines, "scan cpu an object")
    if main_size is not None and scanned:
        page.append(f"## Reading, {main_size:,} pods\n")
        page.append(f"One pod in a hundred is read once, then the first {scanned[0]:,} each second. A pod that was read stays "
                    "decoded for a while, so the first scan decodes, and the others do not. Processor time of these is of all that the "
                    "process does meanwhile, for each pod that is looked at.\n")
        page.append(wide(lines, units, ["rss, 1 % read", "rss, scanned", "rss, all read"], main_size))
        page.append(wide(lines, units, ["first scan cpu an object", "scan cpu an object"], scanned[0]))
        page.append("*view* reads five fields of each pod through a view, *three views* three sets of five.\n")
        page.append(views(lines, main_size))
    if relisted:
        page.append(f"## Relist of unchanged objects, {main_size:,} pods\n")
        rows = list(best_rows(lines.get(("relist cpu", main_size), {})))
        made = bars(os.path.join(results, "relist.svg"), f"Relist of {main_size:,} unchanged pods: processor time", rows, "s")
        chart(made, "relist.svg", "Relist: processor time")
        page.append(wide(lines, units, ["relist cpu", "relist rss growth", "relist rss growth, forced GC",
                                        "relist rss peak"], main_size))

    updates = sorted({(n, int(re.search(r", (\d+) handlers", m).group(1)))
                      for m, n in lines if m.startswith("updates cpu")})
    if updates:
        page.append("## Updates through handlers\n")
        page.append("Processor time until every handler has seen the last update and the process is idle. *Told*: events "
                    "handed to handlers; *merged*: folded into a later one of the same object, because a handler was behind. "
                    "*behind*: from the server's last write to its being seen.\n")
        for n, handlers in updates:
            page.append(f"{n:,} updates, {handlers} {'handlers' if handlers > 1 else 'handler'}:\n")
            measures = [f"updates {what}, {handlers} handlers"
                        for what in ("cpu", "behind", "told", "merged", "rss peak")]
            page.append(wide(lines, units, measures, n))
            if n == updates[0][0]:
                file = f"updates-{handlers}.svg"
                title = f"{n:,} updates, {handlers} {'handlers' if handlers > 1 else 'handler'}: processor time"
                rows = list(best_rows(lines[(f"updates cpu, {handlers} handlers", n)]))
                chart(bars(os.path.join(results, file), title, rows, "s"), file, title)

    shared = sorted({n for m, n in lines if m.startswith("shared informer writes")})
    if shared:
        page.append("## client-go's shared-informer benchmark\n")
        page.append("Readers list a namespace of N small pods in a loop while one writer updates. *list* takes all objects "
                    "from the lister, *snapshot* walks over them. client-go has the former only.\n")
        for n in shared:
            counts = sorted({int(re.search(r"(\d+) readers", m).group(1))
                             for m, size in lines if size == n and m.startswith("shared informer writes")})
            everyone = list(collections.OrderedDict.fromkeys(
                who for count in counts for who in lines[(f"shared informer writes, {count} readers", n)]))
            rows = []
            for count in counts:
                for who in everyone:
                    row = [str(count), name(who)]
                    for what in ("writes", "reads"):
                        values = lines[(f"shared informer {what}, {count} readers", n)]
                        if who not in values:
                            break
                        times = ratio(values, who)
                        row.append(span(values[who], "1/s") + (f" **{times}**" if times else ""))
                    if len(row) == 4:
                        rows.append(row)
            page.append(f"{n:,} pods:\n")
            page.append(table(["readers", "client", "writes", "reads"], rows))
            most = counts[-1]
            for what in ("writes", "reads"):
                file = f"shared-informer-{what}-{n}.svg"
                values = lines[(f"shared informer {what}, {most} readers", n)]
                rows = [(name(who), who[0], median(v)) for who, v in values.items()]
                made = bars(os.path.join(results, file), f"Shared informer, {n:,} pods, {most} readers: {what}", rows, "1/s")
                chart(made, file, f"Shared informer: {what}")

    reads = [(m, n) for m, n in lines if m.startswith("reads by")]
    if reads:
        page.append(f"## Reads of the store, {reads[0][1]:,} pods\n")
        page.append("By key: one pod. By index: the hundred pods of a node; kube-runtime has no indexes. The last column "
                    "is what the writer reached beside the readers.\n")
        rows = []
        for measure, n in sorted(reads, key=lambda key: (" index" in key[0], "one writer" in key[0],
                                                         int(re.search(r"(\d+) readers", key[0]).group(1)))):
            for who, values in lines[(measure, n)].items():
                writes = lines.get((measure.replace("reads by", "writes beside reads by"), n), {})
                cells = []
                for all_values in (lines[(measure, n)], writes):
                    if who not in all_values:
                        cells.append("")
                        continue
                    times = ratio_bare(all_values, who)
                    cells.append(span(all_values[who], "1/s") + (f" **{times}**" if times else ""))
                rows.append([measure.removeprefix("reads by "), who[0], *cells])
        page.append(table(["reads by", "client", "reads", "writes"], rows))

    if len(sizes) > 1:
        page.append("## Growth\n")
        series = collections.OrderedDict()
        everyone = list(collections.OrderedDict.fromkeys(
            who for n in sizes for who in lines[("rss settled", n)] if "plain" not in who[2]))
        rows = []
        drawn = charted(everyone)
        for who in everyone:
            points = [(n, median(lines[("rss settled", n)][who])) for n in sizes if who in lines[("rss settled", n)]]
            if len(points) < 2:
                continue
            if who in drawn:
                series[name(who)] = (who[0], points, who[1] != "whole")
            (n0, v0), (n1, v1) = points[0], points[-1]
            by_size = dict(points)
            cells = [shown(by_size[n], "B") if n in by_size else "–" for n in sizes]
            rows.append([name(who), *cells, shown((v1 - v0) / (n1 - n0), "B")])
        made = curves(os.path.join(results, "growth.svg"), "Resident memory after sync, by number of pods", series, "B")
        chart(made, "growth.svg", "Memory by number of pods")
        page.append(table(["resident after sync", *[f"{n:,} pods" for n in sizes], "a pod more"], rows))

    write(os.path.join(results, "README.md"), "\n".join(page))


def ratio_bare(rows, who):
    peer = rows.get(("client-go", *who[1:]))
    if who[0] == "client-go" or not peer or median(peer) <= 0:
        return ""
    return f"{median(rows[who]) / median(peer):.2f}×"


if __name__ == "__main__":
    main()
