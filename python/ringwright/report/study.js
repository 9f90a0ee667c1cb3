"use strict";
// The page of a study: see study.py. Points come from the page itself, plots from Plotly.
(() => {
  const { colour, layout, config } = plots;
  const study = JSON.parse(document.getElementById("study").textContent);
  const byId = (id) => document.getElementById(id);
  const columns = study.columns.map(([name]) => name);
  const names = Object.fromEntries(study.columns);
  for (const axis of study.axes) names[axis] = axis;
  const digits = (value) => {
    if (typeof value !== "number") return String(value);
    const shown = Number.isInteger(value) ? value : Number(value.toPrecision(3));
    return shown.toLocaleString("en", { maximumSignificantDigits: 21 });
  };
  const kept = {};
  let chosen = null;

  const option = (value, label) => {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = label;
    return made;
  };

  // The colour of a name among others.
  const hue = (name, all) => `hsl(${(all.indexOf(name) * 67 + 176) % 360}, 45%, 62%)`;

  function controls() {
    for (const [id, start] of [["x", study.shown[0]], ["y", study.shown[1] ?? study.columns[1][0]]]) {
      for (const [name, label] of Object.entries(names)) byId(id).append(option(name, label));
      byId(id).value = start;
      byId(id).addEventListener("change", draw);
    }
    byId("only").addEventListener("change", draw);
    for (const axis of study.axes) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.id = `keep-${axis}`;
      select.append(option("", "all"));
      for (const value of [...new Set(study.points.map((p) => p[axis]))])
        select.append(option(String(value), String(value)));
      select.addEventListener("change", () => {
        kept[axis] = select.value;
        draw();
      });
      label.append(`${axis} `, select);
      byId("filters").append(label, " ");
    }
  }

  const shown = () =>
    study.points.filter(
      (p) =>
        (!byId("only").checked || p.front) &&
        study.axes.every((axis) => !kept[axis] || String(p[axis]) === kept[axis]),
    );

  const scale = (name, points) => ({
    title: { text: names[name] },
    type: points.every((p) => typeof p[name] === "number" && p[name] > 0) ? "log" : "-",
    gridcolor: colour("--line"),
    zeroline: false,
  });

  const hover = (p) =>
    [
      ...study.axes.map((axis) => `${axis} ${p[axis]}`),
      ...columns.map((name) => `${names[name]}: ${digits(p[name])}`),
    ].join("<br>");

  function scatter(points) {
    const [x, y] = [byId("x").value, byId("y").value];
    const trace = (rows, marker) => ({
      x: rows.map((p) => p[x]),
      y: rows.map((p) => p[y]),
      customdata: rows.map((p) => p.id),
      text: rows.map(hover),
      hoverinfo: "text",
      mode: "markers",
      marker,
    });
    const others = points.filter((p) => !p.front);
    const front = points.filter((p) => p.front);
    const traces = [
      trace(others, { color: colour("--calm"), size: 8 }),
      trace(front, { color: colour("--accent"), size: 10 }),
    ];
    if (chosen && points.includes(chosen))
      traces.push(trace([chosen], {
        color: "rgba(0,0,0,0)", size: 18, line: { color: colour("--alarm"), width: 2 },
      }));
    Plotly.react("scatter", traces, layout({ xaxis: scale(x, points), yaxis: scale(y, points) }),
      config("zoom2d", "pan2d", "resetScale2d"));
  }

  function parallel(points) {
    const dimension = (name) => {
      const values = points.map((p) => p[name]);
      if (values.every((v) => typeof v === "number")) return { label: names[name], values };
      const kinds = [...new Set(values)];
      return {
        label: names[name],
        values: values.map((v) => kinds.indexOf(v)),
        tickvals: kinds.map((_, i) => i),
        ticktext: kinds,
      };
    };
    const trace = {
      type: "parcoords",
      line: {
        color: points.map((p) => (p.front ? 1 : 0)),
        colorscale: [[0, colour("--calm")], [1, colour("--accent")]],
        cmin: 0,
        cmax: 1,
      },
      dimensions: [...study.axes, ...columns].map(dimension),
    };
    Plotly.react("parallel", [trace], layout({ margin: { l: 60, r: 60, t: 48, b: 24 } }), config());
  }

  function table(points) {
    const all = [...study.axes, ...columns];
    const head = document.createElement("tr");
    for (const name of ["", ...all]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name ? names[name] : "";
      head.append(cell);
    }
    const sorted = [...points].sort((a, b) => b.front - a.front || a[study.shown[0]] - b[study.shown[0]]);
    const rows = sorted.map((p, index) => {
      const row = document.createElement("tr");
      row.tabIndex = index === 0 ? 0 : -1;
      row.dataset.id = p.id;
      row.setAttribute("aria-selected", String(p === chosen));
      const star = document.createElement("td");
      star.className = "star";
      star.textContent = p.front ? "★" : "";
      row.append(star);
      for (const name of all) {
        const cell = document.createElement("td");
        cell.textContent = digits(p[name]);
        row.append(cell);
      }
      return row;
    });
    byId("table").replaceChildren(head, ...rows);
  }

  const range = (p, name) =>
    `${digits(p[name])} (${digits(p[`${name}_low`])} to ${digits(p[`${name}_high`])})`;

  function detail() {
    if (!chosen) return;
    const facts = [
      ["point", chosen.id],
      ...study.axes.map((axis) => [axis, chosen[axis]]),
      ["time, µs", `${digits(chosen.time_us)}, ${chosen.cycles.toLocaleString("en")} cycles at ` +
        `${digits(chosen.clock_ghz)} GHz (${chosen.clock})`],
      ...study.columns
        .filter(([name]) => `${name}_low` in chosen)
        .map(([name, label]) => [label, range(chosen, name)]),
    ];
    const list = document.createElement("dl");
    for (const [name, value] of facts) {
      const [line, term, said] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
      term.textContent = name;
      said.textContent = value;
      line.append(term, said);
      list.append(line);
    }
    byId("detail").replaceChildren(list);
    // A unit has one colour everywhere.
    const divided = study.columns
      .map(([name, label]) => [label, chosen[`${name.replace(/_(mm2|uj)$/, "")}_by_unit`]])
      .filter(([, parts]) => parts);
    const units = [...new Set(divided.flatMap(([, parts]) => Object.keys(parts)))];
    const tree = (title, parts, domain) => {
      const entries = Object.entries(parts).filter(([, value]) => value > 0);
      return {
        type: "treemap",
        labels: [title, ...entries.map(([unit]) => unit)],
        ids: [title, ...entries.map(([unit]) => `${title} ${unit}`)],
        parents: ["", ...entries.map(() => title)],
        values: [entries.reduce((sum, [, value]) => sum + value, 0), ...entries.map(([, v]) => v)],
        branchvalues: "total",
        marker: { colors: ["", ...entries.map(([unit]) => hue(unit, units))] },
        texttemplate: "%{label}<br>%{percentParent:.1%}",
        hovertemplate: "%{label}: %{value:.3g}<extra></extra>",
        domain,
      };
    };
    const beside = (at) => ({ x: [(at + 0.01) / divided.length, (at + 0.99) / divided.length] });
    timeline();
    const trees = divided.map(([label, parts], at) => tree(label, parts, beside(at)));
    Plotly.react("parts", trees, layout({ margin: { l: 0, r: 0, t: 8, b: 0 } }), config());
  }

  // Spans of a lane stand in one row; the fuller a span, the darker.
  function timeline() {
    const lanes = [...new Set(chosen.timeline.map(([lane]) => lane))];
    const many = chosen.timeline.some(([, , , share]) => share < 1);
    const names = [...new Set(chosen.timeline.map(([, , , , name]) => name))];
    const traces = lanes.map((lane) => {
      const spans = chosen.timeline.filter(([own]) => own === lane);
      return {
        type: "bar",
        orientation: "h",
        y: spans.map(() => lane),
        base: spans.map(([, start]) => start),
        x: spans.map(([, start, end]) => end - start),
        marker: {
          color: spans.map((span) => (many ? colour("--client") : hue(span[4], names))),
          opacity: spans.map(([, , , share]) => (many ? share : 1)),
          line: { width: 0 },
        },
        hoverinfo: "text",
        hovertext: spans.map(
          ([, start, end, share, name]) =>
            `${name}, cycles ${digits(start)} to ${digits(end)}` +
            (many ? `: ${Math.round(100 * share)} % at work` : ""),
        ),
      };
    });
    Plotly.react("timeline", traces, layout({
      barmode: "overlay",
      bargap: 0.15,
      margin: { l: 8, r: 16, t: 16, b: 48 },
      xaxis: { title: { text: "cycles" }, gridcolor: colour("--line"), zeroline: false },
      yaxis: { automargin: true, autorange: "reversed", fixedrange: true },
    }), config("zoom2d", "pan2d", "resetScale2d"));
  }

  function choose(id) {
    chosen = study.points.find((p) => p.id === id) ?? chosen;
    if (!chosen) return;
    history.replaceState(null, "", `#${chosen.id}`);
    for (const row of byId("table").querySelectorAll("tr[data-id]"))
      row.setAttribute("aria-selected", String(row.dataset.id === chosen.id));
    detail();
    scatter(shown());
  }

  function draw() {
    const points = shown();
    byId("count").textContent = `${points.length} of ${study.points.length}`;
    scatter(points);
    parallel(points);
    table(points);
  }

  byId("table").addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (row) choose(row.dataset.id);
  });
  byId("table").addEventListener("keydown", (event) => {
    const row = event.target.closest("tr[data-id]");
    if (!row) return;
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (next?.dataset.id) {
      row.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      choose(row.dataset.id);
    } else return;
    event.preventDefault();
  });
  controls();
  plots.drawn(() => {
    draw();
    detail();
  });
  byId("scatter").on("plotly_click", (event) => choose(event.points[0].customdata));
  const start = location.hash.slice(1);
  if (start) choose(start);
})();
