// Pages of real results in a real browser. OOC_PALEO is the program, OOC_SOURCES the repository.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const program = process.env.OOC_PALEO;
const example = join(process.env.OOC_SOURCES, 'tests/data/worked_example.json');
const machine = join(process.env.OOC_SOURCES, 'tests/data/worked_example_machine.json');
const folder = mkdtempSync(join(tmpdir(), 'ooc-pages-'));
const plotted = (html) => execFileSync('node', [join(process.env.OOC_SOURCES, 'build/pages/report.js')], { input: readFileSync(html), encoding: 'utf8' });
const job = ['vgg16', '--hardware', 'v100-16gb-pcie3', '--batch', '256', '--quiet'];

let browser;
before(async () => { browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] }); });
after(async () => { await browser.close(); });

/** Runs a command with --report; where the page and the result's JSON are. */
function report(name, ...command) {
  const [html, json] = [join(folder, `${name}.html`), join(folder, `${name}.json`)];
  execFileSync(program, [...command, '--report', html, '-o', json], { stdio: ['ignore', 'inherit', 'inherit'] });
  return { html, json: () => JSON.parse(readFileSync(json, 'utf8')) };
}

/** A page that fails its test where it says an error, asks a network or opens a dialog. */
async function open(html, { width = 1280, scheme = 'light' } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  page.wrong = [];
  page.on('console', (message) => { if (message.type() !== 'info') page.wrong.push(message.text()); });
  page.on('pageerror', (error) => page.wrong.push(error.message));
  page.on('dialog', (dialog) => { page.wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) page.wrong.push(request.url()); });
  await page.goto(`file://${html}`);
  return page;
}

async function shut(page) {
  assert.deepEqual(page.wrong, []);
  await page.close();
}


/** The text that a button hands to be saved. */
async function saved(page, section, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`${section} button`, { hasText: name }).first().click()]);
  return readFileSync(await download.path(), 'utf8');
}

/** The links that a chart's rings name, in GB/s. */
const ringsIn = (svg) => [...new Set([...svg.matchAll(/>[^<]*?([\d.]+) GB\/s suffices</g)].map(([, rate]) => Number(rate)))].sort((a, b) => a - b);

/** The JSON of a page, as its buttons at the end save it. */
async function embedded(page) {
  const names = await page.locator('footer button').allInnerTexts();
  const all = [];
  for (const name of names) all.push(JSON.parse(await saved(page, 'footer', name)));
  return all;
}

const answers = {
  predict: [['predict', ...job, '--memory', '14GiB', '--framework', 'pytorch-2'], ['timeline', 'time', 'waits', 'memory']],
  not_fitting: [['predict', ...job, '--memory', '1GiB'], ['memory']],
  compare: [['compare', ...job], ['pareto', 'time', 'memory']],
  machines: [['compare', 'vgg16', '--hardware', 'v100-16gb-pcie3,rtx-3090', '--batch', '128', '--schedules', 'capacity,in-core', '--quiet'], ['machines', 'time', 'memory']],
  link: [['sweep', ...job, '--link', '4GB/s:256GB/s:x2', '--schedule', 'capacity,vdnn-all', '--memory', '12GiB'], ['link']],
  budget: [['sweep', ...job, '--memory', '8GiB:20GiB:+1GiB', '--schedule', 'capacity,in-core'], ['budget']],
  batch: [['sweep', 'vgg16', '--hardware', 'v100-16gb-pcie3', '--batch', '64:512:+64', '--schedule', 'capacity,in-core', '--quiet'], ['batch']],
  max: [['max-batch', 'vgg16', '--hardware', 'v100-16gb-pcie3', '--schedules', 'capacity,in-core', '--quiet'], ['largest']],
  need: [['need', 'link', ...job, '--memory', '13GiB', '--schedules', 'capacity,lms'], ['need']],
  validate: [['validate', '--quiet'], ['networks', 'figures']],
  study: [['validate', join(process.env.OOC_SOURCES, 'studies/swap_table1b.json')], ['figure-1', 'figures']],
};

for (const [name, [command, charts]] of Object.entries(answers)) {
  test(`${name}: charts without an error, wide and narrow, light and dark`, async () => {
    let made;
    try {
      made = report(name, ...command);
    } catch (error) {
      assert.equal(error.status, 3); // does not fit: there is a page all the same
      made = { html: join(folder, `${name}.html`), json: () => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) };
    }
    for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']]) {
      const page = await open(made.html, { width, scheme });
      assert.deepEqual(await page.locator('section:has(.chart)').evaluateAll((all) => all.map((each) => each.id)), charts);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the screen');
      const blank = await page.locator('.chart canvas').evaluateAll((all) => all.filter((each) => !each.getContext('2d').getImageData(0, 0, each.width, each.height).data.some((value) => value)).length);
      assert.equal(blank, 0);
      // Numbers are those of the JSON, to the last digit.
      const [first] = await embedded(page);
      const other = made.json();
      assert.deepEqual({ ...first, tool: other.tool }, other);
      await page.screenshot({ path: `${name}-${width}-${scheme}.png`, fullPage: true });
      await shut(page);
    }
  });
}

test('a timeline zooms, and says what is under the mouse', async () => {
  const page = await open(report('zoom', 'predict', example, '--hardware', machine, '--memory', '3GB', '--quiet').html);
  const chart = page.locator('#timeline .chart');
  const box = await chart.boundingBox();
  const whole = await chart.locator('canvas').screenshot();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.4 * box.height);
  const tip = page.locator('.tip').first();
  await tip.waitFor();
  // 850 ms, of which the middle of the axis, right of its labels: 1 GB of outputs are held there at least.
  assert.match(await tip.innerText(), /in all\s+[\d.]+ GB/);
  for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, -200);
  await page.waitForTimeout(400);
  assert.notDeepEqual(await chart.locator('canvas').screenshot(), whole);
  await shut(page);
});

test('a picture says which layers wait, for what, and which tensors move', async () => {
  const made = report('waits', 'predict', ...job, '--memory', '12GiB', '--schedule', 'vdnn-all');
  const page = await open(made.html);
  const result = made.json();
  const lines = (await saved(page, '#waits', 'CSV')).trim().split('\r\n').map((line) => line.split(','));
  const waits = result.layers.filter((each) => each.stall_ns > 0).sort((a, b) => b.stall_ns - a.stall_ns);
  assert.deepEqual(lines.filter(([what]) => what === 'wait_ns').map(([, name, ns, , reason]) => [name, Number(ns), reason]), waits.map((each) => [each.name, each.stall_ns, each.waits_for]));
  assert.equal(lines.filter(([what]) => what === 'bytes').length, result.moved.length);
  const drawn = await saved(page, '#waits', 'SVG');
  const tensor = waits[0].waits_for.replace('to_near ', '');
  assert.ok(drawn.includes(`for ${tensor} to come back`), 'the copy waited for is at the bar');
  assert.ok(drawn.includes('out and back'));
  await shut(page);
});

test('CSV has the numbers of the JSON', async () => {
  const made = report('csv', 'compare', ...job, '--schedules', 'capacity,in-core,vdnn-all');
  const page = await open(made.html);
  const rows = (await saved(page, '#pareto', 'CSV')).trim().split('\r\n').map((row) => row.split(','));
  const results = made.json().results.filter((each) => each.feasible);
  // From the end: names have commas.
  assert.deepEqual(rows[0].slice(-5, -3), ['iteration_time_ns', 'peak_near_bytes']);
  assert.deepEqual(rows.slice(1).map((row) => row.slice(-5, -3).map(Number)), results.map((each) => [each.iteration_time_ns, each.peak_near_bytes]));
  const svg = await saved(page, '#pareto', 'SVG');
  assert.match(svg, /^<svg .*compare vgg16.*Assumed, not measured.*<\/svg>$/s);
  await shut(page);
});

test('a network named as a script does nothing', async () => {
  const network = join(folder, 'network.json');
  const name = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  writeFileSync(network, readFileSync(example, 'utf8').replace('"worked_example"', JSON.stringify(name)).replaceAll('"a"', '"<b onmouseover=alert(3)>a"'));
  const page = await open(report('named', 'predict', network, '--hardware', machine, '--memory', '3GB', '--quiet').html);
  assert.match(await page.locator('h1').innerText(), /<script>alert\(1\)<\/script><img/);
  assert.equal(await page.locator('img, b[onmouseover]').count(), 0);
  const box = await page.locator('#timeline .chart').boundingBox();
  for (let x = 0.15; x < 0.95; x += 0.1) {
    await page.mouse.move(box.x + x * box.width, box.y + 0.4 * box.height);
    await page.waitForTimeout(30);
  }
  assert.equal(await page.locator('b[onmouseover]').count(), 0);
  await shut(page);
});

test('integers that no double holds leave a page as they came', async () => {
  const file = join(folder, 'large.json');
  const result = report('small', 'predict', example, '--hardware', machine, '--memory', '3GB', '--quiet').json();
  writeFileSync(file, JSON.stringify({ ...result, parameters: 'LARGE' }).replace('"LARGE"', '9007199254740993'));
  const html = join(folder, 'large.html');
  execFileSync(program, ['report', file, '-o', html]);
  const page = await open(html);
  assert.match(await saved(page, 'footer', 'result.json'), /"parameters": ?9007199254740993,/);
  await shut(page);
});

test('a table has OOC-Paleo’s equations, step by step', async () => {
  const made = report('equations', 'predict', example, '--hardware', machine, '--memory', '3GB', '--equations', '--quiet');
  const page = await open(made.html);
  const { equations } = made.json();
  const rows = (await saved(page, '#equation-steps', 'CSV')).trim().split('\r\n').map((row) => row.split(','));
  assert.deepEqual(rows[0], Object.keys(equations.steps[0]));
  assert.deepEqual(rows.slice(1).map((row) => row[0]), equations.steps.map((step) => step.layer));
  assert.match(await page.locator('#equations').innerText(), /T_catch/);
  await shut(page);
});

test('a calibration shows its samples, wide and narrow, light and dark', async () => {
  const [html, profile] = [join(folder, 'calibrated.html'), join(folder, 'calibrated.json')];
  execFileSync(program, ['calibrate', '--probe', 'none', '--from', join(process.env.OOC_SOURCES, 'tests/data/calibrate/stub.samples.jsonl'), '-o', profile, '--report', html, '--quiet'], { stdio: 'ignore' });
  for (const [width, scheme] of [[1280, 'light'], [400, 'dark']]) {
    const page = await open(html, { width, scheme });
    assert.deepEqual(await page.locator('section:has(.chart)').evaluateAll((all) => all.map((each) => each.id)), ['copies']);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the screen');
    const [{ copies }] = await embedded(page);
    const rows = (await saved(page, '#copies', 'CSV')).trim().split('\r\n').slice(1).map((row) => row.split(','));
    assert.deepEqual(rows.map((row) => Number(row.at(-2))).sort(), copies.flatMap((copy) => copy.sizes.map((size) => (size.bytes * 1e9) / size.median_ns)).sort());
    await page.screenshot({ path: `calibrate-${width}-${scheme}.png`, fullPage: true });
    await shut(page);
  }
});

test('rows in any format make the same page', async () => {
  const lists = ['--link', '4GB/s:256GB/s:x2', '--schedule', 'capacity,vdnn-all'];
  const rings = [];
  const numbers = async (ending) => {
    const html = join(folder, `rows-${ending}.html`);
    execFileSync(program, ['sweep', ...job, ...lists, '-o', join(folder, `rows.${ending}`), '--report', html], { stdio: 'ignore' });
    const page = await open(html);
    const rows = await saved(page, '#link', 'CSV');
    rings.push(ringsIn(await saved(page, '#link', 'SVG')));
    assert.match(await page.locator('footer').innerText(), /Assumed, not measured/);
    await shut(page);
    return rows.replaceAll('true', '1').replaceAll('false', '0'); // as databases have them
  };
  const first = await numbers('json');
  for (const ending of ['csv', 'jsonl', 'sqlite']) assert.equal(await numbers(ending), first, ending);
  assert.equal(new Set(rings.map(String)).size, 1, rings.join('; '));
});

test('every axis that has several values makes lines, a column and a choice', async () => {
  const study = report('study', 'sweep', join(process.env.OOC_SOURCES, 'studies/link_or_memory.json'), '--quiet');
  const page = await open(study.html);
  const { knees } = study.json();
  assert.deepEqual(await page.locator('section:has(.chart)').evaluateAll((all) => all.map((each) => each.id)), ['link', 'budget', 'compute-scale']);
  assert.match(await page.locator('#rows thead').innerText(), /schedule\s+compute scale\s+memory\s+link/);
  const choice = page.locator('#link select');
  const scales = await choice.locator('option').allInnerTexts();
  assert.deepEqual(scales, ['1', '2', '4']);
  for (const scale of scales) {
    await choice.selectOption(scale);
    const rows = (await saved(page, '#link', 'CSV')).trim().split('\r\n').slice(1).map((row) => row.split(','));
    assert.equal(rows.length, 30);
    assert.equal(new Set(rows.map(([link, each, memory, schedule]) => [link, memory, schedule].join())).size, 30, 'a line has each link once');
    const drawn = await saved(page, '#link', 'SVG');
    assert.ok(drawn.includes(`, compute scale ${scale}<`), 'the picture says which');
    const known = knees.filter((knee) => knee.compute_scale === Number(scale) && knee.within_1_percent_link_bytes_per_s);
    assert.deepEqual(ringsIn(drawn), [...new Set(known.map((knee) => knee.within_1_percent_link_bytes_per_s / 1e9))].sort((a, b) => a - b));
  }
  await shut(page);
});

test('of two networks both are in the chart, and lists that step together make one line', async () => {
  const both = await open(report('networks', 'sweep', 'alexnet', 'vgg16', '--schedule', 'capacity', '--hardware', 'v100-16gb-pcie3', '--batch', '16:256:+16', '--link', '4GB/s:32GB/s:x2', '--quiet').html);
  const drawn = await saved(both, '#batch', 'SVG');
  for (const name of ['alexnet', 'vgg16']) assert.ok(drawn.includes(`>${name}`), name);
  await shut(both);
  const zipped = await open(report('zipped', 'sweep', 'vgg16', '--hardware', 'v100-16gb-pcie3', '--batch', '128,256,65536', '--memory', '12GiB,16GiB,32GiB', '--schedule', 'capacity', '--zip', '--quiet').html);
  const svg = await saved(zipped, '#batch', 'SVG');
  assert.ok(svg.includes('>65536<') && !svg.includes('memory 12.88 GB'), 'exact labels, one line');
  await shut(zipped);
});

test('names are no control characters in pictures', async () => {
  const network = join(folder, 'controls_network.json');
  writeFileSync(network, readFileSync(example, 'utf8').replace('"worked_example"', '"a\\u001b[31mb\\u0000\\u009bc"'));
  const made = report('controls', 'predict', network, '--hardware', machine, '--memory', '3GB', '--quiet');
  const page = await open(made.html);
  for (const svg of [plotted(made.html), await saved(page, '#timeline', 'SVG')]) {
    assert.ok(svg.includes('a?[31mb??c'));
    assert.doesNotMatch(svg, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  }
  await shut(page);
});

test('paper has every chart, as wide as it is', async () => {
  const page = await open(report('paper', 'predict', ...job, '--memory', '14GiB').html);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const widths = await page.locator('.chart svg').evaluateAll((all) => all.map((each) => { const { width, height } = each.getBoundingClientRect(); return [width / each.closest('section').clientWidth, height]; }));
  assert.equal(widths.length, 4);
  for (const [share, height] of widths) assert.ok(share > 0.98 && height > 60, `${share} of the width, ${height} high`);
  await shut(page);
});

test('outside a browser a page is an SVG of its first chart; where nothing fits it is nothing', () => {
  assert.match(plotted(report('plot', 'predict', ...job, '--memory', '14GiB').html), /^<svg .*What near memory holds.*<\/svg>\n$/s);
  const study = plotted(report('study_T2', 'validate', 'T2').html);
  for (const said of ['compress and swap', 'published (hollow)', 'batch, images', 'images/s', 'TensorFlow 1.8']) assert.ok(study.includes(said), said);
  assert.ok(study.length < 30000, `${study.length} bytes`);
  assert.throws(() => report('none', 'compare', ...job, '--memory', '1MB'), { status: 3 });
  assert.equal(plotted(join(folder, 'none.html')), '');
});

test('two results lie over each other', async () => {
  const files = ['12GiB', '14GiB'].map((memory) => {
    report(`at${memory}`, 'predict', ...job, '--memory', memory);
    return join(folder, `at${memory}.json`);
  });
  const html = join(folder, 'both.html');
  execFileSync(program, ['report', ...files, '-o', html]);
  const page = await open(html);
  assert.match(await page.locator('#schedules').innerText(), /at12GiB: capacity[\s\S]*at14GiB: capacity/);
  await shut(page);
});

test('a timeline of 20,000 steps opens in less than 2 s and zooms smoothly', async (t) => {
  const made = report('many', 'predict', 'resnet50', '--hardware', 'v100-16gb-pcie3', '--batch', '1024', '--sub-batch', '20', '--memory', '3GiB', '--quiet');
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => (await session.send('Performance.getMetrics')).metrics.find((each) => each.name === 'TaskDuration').value;
  const begun = Date.now();
  await page.goto(`file://${made.html}`);
  const opening = await worked();
  t.diagnostic(`opened in ${Date.now() - begun} ms, ${Math.round(1000 * opening)} ms of processor time`);
  const [, timeline] = await embedded(page);
  const steps = Object.values(timeline.queues).reduce((sum, queue) => sum + queue.name.length, 0);
  assert.ok(steps > 20000, `${steps} steps`);
  // Processor time: the clock on the wall tells more of what else the machine does.
  assert.ok(opening < 2, `${opening} s`);
  const box = await page.locator('#timeline .chart').boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 120);
  await page.evaluate(() => {
    globalThis.frames_ = [];
    let last = performance.now();
    const frame = (now) => { globalThis.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  const before_zoom = await worked();
  const turns = 60;
  for (let i = 0; i < turns; i += 1) {
    await page.mouse.wheel(0, i < 40 ? -100 : 100);
    await page.waitForTimeout(16);
  }
  const each = (1000 * (await worked() - before_zoom)) / turns;
  const frames = (await page.evaluate(() => globalThis.frames_)).sort((a, b) => a - b);
  t.diagnostic(`${steps} steps, a turn of the wheel ${each.toFixed(1)} ms of processor time, half of the frames within ${frames[frames.length >> 1].toFixed(1)} ms`);
  assert.ok(each < 100, `${each} ms`);
  await page.close();
});
