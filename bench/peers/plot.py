"""plot.py - the comparison as an SVG of bars

Groups are cases, bars are samplers, the axis is logarithmic; a tick across our
bar is the floor of the machine.
"""

import math
import statistics
from html import escape

WIDTH = 880
LEFT = 250      # where the axis begins, at LOW
RIGHT = 96      # room for the labels of the longest bars
TOP = 96
BAR = 13
BAR_GAP = 3
GROUP_GAP = 20
BOTTOM = 44

LOW, HIGH = 1.0, 1e5   # microseconds
TICKS = [(1, "1 µs"), (10, "10 µs"), (100, "100 µs"), (1e3, "1 ms"),
         (1e4, "10 ms"), (1e5, "100 ms")]

OURS = "#0b7285"
OTHERS = ["#868e96", "#b4bbc2", "#dee2e6"]
INK, FAINT, LINE, FLOOR = "#212529", "#6c757d", "#eef0f2", "#e8590c"
FONT = "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\""


def x_of(us):
    share = math.log10(max(us, LOW) / LOW) / math.log10(HIGH / LOW)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def time_text(us):
    if us >= 1e4:
        return f"{us / 1e3:.0f} ms"
    if us >= 1e3:
        return f"{us / 1e3:.1f} ms"
    return f"{us:.0f} µs" if us >= 10 else f"{us:.1f} µs"


def ratio_text(ratio):
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def text(x, y, content, size=12, fill=INK, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
            f'text-anchor="{anchor}" font-weight="{weight}">'
            f"{escape(content)}</text>")


def rectangle(x, y, width, height, fill, rounding=2):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="{rounding}" fill="{fill}"/>')


def line(x, y, to_y, stroke, width=1):
    return (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y:.1f}" y2="{to_y:.1f}" '
            f'stroke="{stroke}" stroke-width="{width}"/>')


def legend(names, colors):
    parts = []
    x = LEFT
    for name, color in zip(names, colors):
        parts.append(rectangle(x, 56, 12, 12, color))
        parts.append(text(x + 18, 66.5, name,
                          weight="bold" if color == OURS else "normal"))
        x += 44 + 7 * len(name)
    parts.append(line(x + 4, 54, 70, FLOOR, 2.5))
    parts.append(text(x + 14, 66.5, "floor of this machine", fill=FAINT))
    return parts


def case_name(case, middle):
    """On the left; one of many filters takes two lines."""
    words = case.split("+")
    lines = ["+".join(words[:2]), "+".join(words[2:])]
    if not lines[1]:
        return text(LEFT - 14, middle + 4.5, lines[0], 13, anchor="end",
                    weight="bold")
    return "\n".join([
        text(LEFT - 14, middle - 3.5, lines[0] + "+", 13, anchor="end",
             weight="bold"),
        text(LEFT - 14, middle + 12.5, lines[1], 13, anchor="end",
             weight="bold")])


def group(y, case, result, names, colors):
    ours = statistics.median(result["us"][names[0]])
    height = len(names) * (BAR + BAR_GAP) - BAR_GAP
    parts = [case_name(case, y + height / 2)]
    for name, color in zip(names, colors):
        us = statistics.median(result["us"][name])
        end = x_of(us)
        parts.append(rectangle(LEFT, y, max(end - LEFT, 1.5), BAR, color))
        if color == OURS:
            x = x_of(result["floor_us"])
            parts.append(line(x, y - 2, y + BAR + 2, FLOOR, 2.5))
            parts.append(text(end + 7, y + BAR - 2.5, time_text(us), 11.5,
                              OURS, weight="bold"))
        else:
            label = time_text(us)
            parts.append(text(end + 7, y + BAR - 2.5, label, 11.5, FAINT))
            parts.append(text(end + 17 + 6.6 * len(label), y + BAR - 2.5,
                              ratio_text(us / ours), 11.5, weight="bold"))
        y += BAR + BAR_GAP
    return parts


def bars(results, names, facts):
    colors = [OURS, *OTHERS][:len(names)]
    group_height = len(names) * (BAR + BAR_GAP) - BAR_GAP + GROUP_GAP
    bottom = TOP + len(results) * group_height - GROUP_GAP + 10
    height = bottom + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}" {FONT} '
        f'role="img" aria-label="Time to sample a row, by sampler">',
        rectangle(0, 0, WIDTH, height, "#ffffff", 8),
        text(LEFT, 27, "Time to sample one row of 128,256 logits", 17,
             weight="bold"),
        text(LEFT, 45, "one thread, float32, warm (real: one of 24 recorded "
             "rows of 49,152); in bold: times ours", 12, FAINT),
        *legend(names, colors),
    ]
    for us, label in TICKS:
        parts.append(line(x_of(us), TOP - 12, bottom, LINE))
        parts.append(text(x_of(us), bottom + 16, label, 11, FAINT, "middle"))
    y = TOP
    for case, result in results.items():
        parts += group(y, case, result, names, colors)
        y += group_height
    parts.append(text(LEFT, height - 9, facts.split(";", 1)[0], 10.5, FAINT))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
