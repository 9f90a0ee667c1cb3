"use strict";
// What all plots share: the colours of the page, and buttons that need no network.
const plots = {
  colour: (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),

  layout: (more) => ({
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: plots.colour("--ink"), size: 12 },
    margin: { l: 60, r: 16, t: 16, b: 48 },
    showlegend: false,
    modebar: {
      bgcolor: "rgba(0,0,0,0)",
      color: plots.colour("--faint"),
      activecolor: plots.colour("--ink"),
    },
    ...more,
  }),

  // A picture is saved as SVG.
  config: (...buttons) => ({
    responsive: true,
    displaylogo: false,
    toImageButtonOptions: { format: "svg", filename: document.title.replace(/\W+/g, "-") },
    modeBarButtons: [["toImage", ...buttons]],
  }),

  // Draws now, and again when the page's colours change.
  drawn: (draw) => {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    draw();
  },
};
