// Draws the charts in the reader's browser; bundled with Chart.js into one file by scripts/build-cli.mjs.
import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;

const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact" });

const parts = [
  { label: "read from the cache", colour: "--read", of: (bill) => bill.readCost },
  { label: "written to it", colour: "--write", of: (bill) => bill.writeCost },
  { label: "neither", colour: "--plain", of: (bill) => bill.plainCost },
];

const timelines = JSON.parse(document.getElementById("timelines").textContent);
const charts = [...document.querySelectorAll(".chart canvas")].map((canvas, index) =>
  draw(canvas, timelines[index]),
);

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const chart of charts) chart.update("none");
});

/** Reads the colours at each drawing: a canvas knows no CSS variables, and the scheme may change. */
function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function happened({ number, bust, newEpoch }, updates, rewrites) {
  const announced = updates.filter(({ callNumber }) => callNumber === number);
  const made = rewrites.filter(({ callNumber }) => callNumber === number);
  return [
    ...(newEpoch ? ["new epoch"] : []),
    ...announced.map(({ keys }) => `update of ${keys.join(", ")}`),
    ...made.map(
      ({ costTokens, savedTokens }) =>
        `rewrite: cost ${numbers.format(costTokens)}, spares ${numbers.format(savedTokens)} a call`,
    ),
    ...(bust ? [`bust: ${bust.cause}`] : []),
  ];
}

/** Draws one session's bills, call by call. */
function draw(canvas, { calls, updates, rewrites }) {
  /** Draws a line where a call's epoch differs from that of the call before. */
  const epochLines = {
    id: "epochs",
    beforeDatasetsDraw({ ctx, chartArea, scales }) {
      ctx.save();
      ctx.strokeStyle = css("--dim");
      ctx.fillStyle = css("--dim");
      ctx.setLineDash([4, 4]);
      calls.forEach(({ epochNumber }, index) => {
        if (index === 0 || epochNumber === calls[index - 1].epochNumber) return;
        const left = scales.x.getPixelForValue(index - 1);
        const x = (left + scales.x.getPixelForValue(index)) / 2;
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.fillText(`epoch ${epochNumber}`, x + 4, chartArea.top + 10);
      });
      ctx.restore();
    },
  };

  /** Draws a square over the bar of each call at which old history was dropped or folded. */
  const rewriteMarks = {
    id: "rewrites",
    afterDatasetsDraw({ ctx, scales }) {
      ctx.save();
      ctx.fillStyle = css("--read");
      calls.forEach(({ number, bill, bust }, index) => {
        if (!rewrites.some(({ callNumber }) => callNumber === number)) return;
        const x = scales.x.getPixelForValue(index);
        const y = scales.y.getPixelForValue(bill?.total ?? 0) - (bust ? 18 : 5);
        ctx.fillRect(x - 5, y - 10, 10, 10);
      });
      ctx.restore();
    },
  };

  /** Draws a triangle over the bar of each call with a bust. */
  const bustMarks = {
    id: "busts",
    afterDatasetsDraw({ ctx, scales }) {
      ctx.save();
      ctx.fillStyle = css("--bust");
      calls.forEach(({ bust, bill }, index) => {
        if (!bust) return;
        const x = scales.x.getPixelForValue(index);
        const y = scales.y.getPixelForValue(bill?.total ?? 0) - 5;
        ctx.beginPath();
        ctx.moveTo(x, y);
        ctx.lineTo(x - 6, y - 10);
        ctx.lineTo(x + 6, y - 10);
        ctx.fill();
      });
      ctx.restore();
    },
  };

  return new Chart(canvas, {
    type: "bar",
    data: {
      labels: calls.map(({ number }) => String(number)),
      datasets: parts.map(({ label, colour, of }) => ({
        label,
        data: calls.map(({ bill }) => (bill ? of(bill) : 0)),
        backgroundColor: () => css(colour),
        barPercentage: 0.95,
        categoryPercentage: 0.9,
      })),
    },
    plugins: [epochLines, rewriteMarks, bustMarks],
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      layout: { padding: { top: 14 } },
      interaction: { mode: "index", intersect: false },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => `Call ${item.label}`,
            label: ({ dataset, raw }) => ` ${dataset.label}: ${numbers.format(raw)}`,
            footer: ([item]) => happened(calls[item.dataIndex], updates, rewrites),
          },
        },
      },
      scales: {
        x: {
          stacked: true,
          grid: { display: false },
          title: { display: true, text: "call", color: () => css("--dim") },
          ticks: { color: () => css("--dim"), maxRotation: 0, autoSkipPadding: 12 },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { display: false },
          grid: { color: () => css("--line") },
          title: { display: true, text: "tokens, as uncached input", color: () => css("--dim") },
          ticks: { callback: (value) => compact.format(value), color: () => css("--dim") },
        },
      },
    },
  });
}
