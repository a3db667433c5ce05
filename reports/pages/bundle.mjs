// All of src/ and the used parts of ECharts as one script without an import: node bundle.mjs OUT LINKS, the folder of
// the links that charts name (hwprofiles/links).
import { build } from 'esbuild';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [out, folder] = process.argv.slice(2);
const gigabytes = (text) => Number(/^([\d.]+) GB\/s$/.exec(text)[1]) * 1e9;
const links = [];
for (const name of (await readdir(folder)).filter((each) => !each.endsWith('.schema.json')).sort()) {
  const { connection } = JSON.parse(await readFile(join(folder, name), 'utf8'));
  links.push({ name: connection.name, rate: gigabytes(connection.modes.pinned.to_near.throughput) });
}

await build({
  entryPoints: [fileURLToPath(new URL('src/main.js', import.meta.url))],
  outfile: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  loader: { '.css': 'text' },
  legalComments: 'eof',
  logLevel: 'warning',
  define: { NAMED_LINKS: JSON.stringify(links), 'process.env.NODE_ENV': '"production"' },
});
const text = await readFile(out, 'utf8');
if (/<\/script|<!--/i.test(text)) throw new Error(`${out} would end the element that it stands in`);
