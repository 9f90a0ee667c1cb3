"use strict";
// The page of a sensitivity study: see tornado.py.
(() => {
  const said = JSON.parse(document.getElementById("said").textContent);
  const { colour, layout, config } = plots;
  const signed = (percent) => `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %`;

  const shares = said.effects.flatMap((e) => e.changes.map((c) => Math.abs(c.percent)));
  // What is narrower has no room for its value; a visitor points at it.
  const narrow = 0.04 * Math.max(...shares);

  // A bar from nothing to each change; of one direction the longer lies below the shorter.
  function trace(open) {
    const bars = said.effects
      .filter((effect) => effect.open === open)
      .flatMap((effect) => effect.changes.map((change) => ({ ...change, label: effect.label })))
      .sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
    return {
      type: "bar",
      orientation: "h",
      name: open ? "left open by the paper" : "printed",
      x: bars.map((bar) => bar.percent),
      y: bars.map((bar) => bar.label),
      text: bars.map((bar) => (Math.abs(bar.percent) < narrow ? "" : bar.value)),
      textposition: "inside",
      insidetextanchor: "end",
      textangle: 0,
      hovertext: bars.map((bar) => `${bar.label}, with ${bar.value}: ${signed(bar.percent)}`),
      hoverinfo: "text",
      marker: {
        color: colour(open ? "--link" : "--client-tax"),
        line: { color: colour("--paper"), width: 1 },
      },
    };
  }

  plots.drawn(() => {
    const labels = said.effects.map((effect) => effect.label).reverse();
    Plotly.react("tornado", [trace(false), trace(true)], layout({
      barmode: "overlay",
      bargap: 0.25,
      showlegend: true,
      legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom" },
      margin: { l: 8, r: 16, t: 40, b: 48 },
      xaxis: {
        title: { text: `change of ${said.unit}` },
        ticksuffix: " %",
        gridcolor: colour("--line"),
        zerolinecolor: colour("--soft"),
      },
      yaxis: { categoryorder: "array", categoryarray: labels, automargin: true, fixedrange: true },
    }), config());
  });
})();
