// In a browser the page; elsewhere (Node.js) the first chart, as SVG, of the page on standard input: nothing where nothing
// is to be drawn.
import { answerTo } from './answers.js';
import { echarts } from './charts.js';
import { read } from './read.js';
import { aboutOf, showPage, svgOf } from './page.js';

const kWidth = 960;

// Without a canvas nothing knows how wide text is: as wide as in DejaVu Sans, which is wider than most.
const kWidthOfCharacter = 0.62;
function measureText(text, font) {
  return { width: kWidthOfCharacter * text.length * Number(/(\d+(\.\d+)?)px/.exec(font)?.[1] ?? 12) };
}

const kMarks = { amp: '&', lt: '<', gt: '>', quot: '"' };
const documentsOf = (html) => [...html.matchAll(/<script type="application\/json" data-name="([^"]*)">(.*?)<\/script>/gs)]
  .map(([, name, json]) => ({ name: name.replace(/&(\w+);/g, (all, mark) => kMarks[mark]), json, data: read(json) }));

async function plot(process) {
  echarts.setPlatformAPI({ measureText });
  let html = '';
  process.stdin.setEncoding('utf8');
  for await (const piece of process.stdin) html += piece;
  const documents = documentsOf(html);
  const answer = answerTo(documents);
  if (answer.charts.length) process.stdout.write(`${svgOf(answer.charts[0], aboutOf(answer, documents), kWidth).replace(/\s*\n\s*/g, ' ')}\n`);
}

if (typeof document !== 'undefined') showPage(); else plot(globalThis.process);
