// Runs in the reader's browser: bundled with Chart.js into the page by page.ts.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;

const { day, long } = JSON.parse(document.getElementById("report").textContent);
const { steps, without, with: with_ } = day;
const sides = [
  { name: "without", figures: without.steps, colour: "--without" },
  { name: "with Session Runtime", figures: with_.steps, colour: "--with" },
];
const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact" });
const labels = steps.map(({ label }) => label);
/** Steps that no model call belongs to have no bar: their name stands in the chart's gap. */
const billed = labels.map((_, index) => sides.some(({ figures }) => figures[index].bill > 0));

const bars = new Chart(document.getElementById("bars"), {
  type: "bar",
  data: {
    labels,
    datasets: sides.map(({ name, figures, colour }) => ({
      label: name,
      data: figures.map(({ bill }) => bill),
      backgroundColor: () => css(colour),
      borderRadius: 2,
      barPercentage: 0.9,
      categoryPercentage: 0.8,
    })),
  },
  options: chartOptions("Bill of the step", labels, billed),
});

const sums = new Chart(document.getElementById("sums"), {
  type: "line",
  data: {
    labels,
    datasets: sides.map(({ name, figures, colour }) => ({
      label: name,
      data: runningSum(figures),
      borderColor: () => css(colour),
      backgroundColor: () => css(colour),
      pointRadius: 2,
      borderWidth: 2,
    })),
  },
  options: chartOptions("Bill so far", labels, billed),
});

const groups = long === null ? [] : [drawGroups(long)];

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const chart of [bars, sums, ...groups]) chart.update("none");
});

/** The long session's turns, in groups. */
function drawGroups({ labels: names, without: left, with: right }) {
  const bills = [left.bills, right.bills];
  return new Chart(document.getElementById("long"), {
    type: "bar",
    data: {
      labels: names,
      datasets: sides.map(({ name, colour }, index) => ({
        label: name,
        data: bills[index],
        backgroundColor: () => css(colour),
        borderRadius: 2,
        barPercentage: 0.9,
        categoryPercentage: 0.8,
      })),
    },
    options: chartOptions(
      "Bill of the turns",
      names,
      names.map(() => true),
    ),
  });
}

/** Canvas knows no CSS variables: colours are asked for at each drawing, as the scheme may change. */
function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function runningSum(figures) {
  let sum = 0;
  return figures.map(({ bill }) => {
    sum += bill;
    return sum;
  });
}

function chartOptions(title, names, isBilled) {
  return {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    interaction: { mode: "index", intersect: false },
    plugins: {
      legend: { display: false },
      tooltip: {
        callbacks: {
          title: ([item]) => item.label,
          label: ({ dataset, raw }) => ` ${dataset.label}: ${numbers.format(raw)}`,
        },
      },
    },
    scales: {
      x: {
        grid: { display: false },
        ticks: {
          autoSkip: false,
          maxRotation: 60,
          minRotation: 0,
          callback: (index) => shortLabel(names[index]),
          color: ({ index }) => css(isBilled[index] ? "--text" : "--accent"),
        },
      },
      y: {
        beginAtZero: true,
        border: { display: false },
        grid: { color: () => css("--line") },
        title: { display: true, text: title, color: () => css("--dim") },
        ticks: { callback: (value) => compact.format(value), color: () => css("--dim") },
      },
    },
  };
}

/** On a narrow screen a turn is its number, and an event its first word. */
function shortLabel(label) {
  const [turn] = /^Turn \d+/.exec(label) ?? [];
  const plan = label.endsWith("(plan mode)") ? ", plan" : "";
  return turn ? `${turn}${plan}` : label.replace(/^(edit|restart|undo) of .*/, "$1");
}
