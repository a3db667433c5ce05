// In a browser the page; elsewhere (Node.js) the first chart as SVG of the documents on standard input, in lines of
// which the last is empty: of nothing to draw the only one.
import { answerTo } from './answers.js';
import { echarts } from './charts.js';
import { read } from './read.js';
import { aboutOf, showPage, svgOf } from './page.js';

const kWidth = 960;
const kLine = 1000; // characters; lines of the program's child processes have a largest length

// Without a canvas nothing knows how wide text is: as wide as in DejaVu Sans, which is wider than most.
const kWidthOfCharacter = 0.62;
function measureText(text, font) {
  return { width: kWidthOfCharacter * text.length * Number(/(\d+(\.\d+)?)px/.exec(font)?.[1] ?? 12) };
}

async function plot(process) {
  echarts.setPlatformAPI({ measureText });
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const piece of process.stdin) {
    text += piece;
    if (text.endsWith('\n')) break;
  }
  const documents = JSON.parse(text).map((each) => ({ ...each, data: read(each.json) }));
  const answer = answerTo(documents);
  const svg = !answer.charts.length ? '' : svgOf(answer.charts[0], aboutOf(answer, documents), kWidth).replace(/\s*\n\s*/g, ' ');
  const lines = svg.match(new RegExp(`.{1,${kLine}}`, 'gu')) ?? [];
  process.stdout.write([...lines, '', ''].join('\n'), () => process.exit(0));
}

if (typeof document !== 'undefined') showPage(); else plot(globalThis.process);
