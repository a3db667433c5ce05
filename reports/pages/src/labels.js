// Where the names of points go so that they cover neither points nor each other: the first free of twelve places beside a
// point, the important ones first. What finds none stays without, but for the important.
const kSize = 11; // of the font, in pixels
const kWidth = 0.62 * kSize; // of a character: nothing measures text outside a browser
const kHalf = 8; // of a point
const kPlaces = [0, -12, 12, -24, 24].flatMap((dy) => [['right', kHalf, dy], ['left', -kHalf, dy]]);
kPlaces.splice(2, 0, ['top', 0, -15], ['bottom', 0, 15]);

const boxAt = ([side, dx, dy], { x, y, text }) => {
  const width = kWidth * text.length;
  const left = side === 'right' ? x + dx : side === 'left' ? x + dx - width : x - width / 2;
  return { left, right: left + width, top: y + dy - kSize / 2 - 1, bottom: y + dy + kSize / 2 + 1 };
};
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Whether a line goes through a box: it has a part of it inside (Liang and Barsky). */
function crosses([x1, y1, x2, y2], box) {
  let [from, to] = [0, 1];
  for (const [step, room] of [[x1 - x2, x1 - box.left], [x2 - x1, box.right - x1], [y1 - y2, y1 - box.top], [y2 - y1, box.bottom - y1]]) {
    if (step === 0) {
      if (room < 0) return false;
    } else if (step < 0) {
      from = Math.max(from, room / step);
    } else {
      to = Math.min(to, room / step);
    }
  }
  return from < to;
}

/** `labels`: [{ x, y, text, important }] in pixels, `points` all of them, `taken` boxes, `lines` [x1, y1, x2, y2]; by label { position, offset } or null. */
export function placed(labels, { points, taken, lines, inside }) {
  const marks = points.map(({ x, y }) => ({ left: x - kHalf + 1, right: x + kHalf - 1, top: y - kHalf + 1, bottom: y + kHalf - 1 }));
  const done = [...taken];
  const out = new Map();
  for (const label of [...labels].sort((a, b) => Boolean(b.important) - Boolean(a.important))) {
    const cost = (place) => {
      const box = boxAt(place, label);
      if (box.left < inside.left || box.right > inside.right || box.top < inside.top || box.bottom > inside.bottom) return 1000;
      return 20 * done.filter((each) => overlap(each, box)).length + 10 * marks.filter((each) => overlap(each, box)).length + 3 * lines.filter((each) => crosses(each, box)).length + Math.abs(place[2]) / 12;
    };
    const [best] = kPlaces.map((place) => ({ place, cost: cost(place) })).sort((a, b) => a.cost - b.cost);
    if (best.cost >= 10 && !label.important) {
      out.set(label, null);
      continue;
    }
    done.push(boxAt(best.place, label));
    const [position, , dy] = best.place;
    out.set(label, { position, fontSize: kSize, distance: position === 'right' || position === 'left' ? 3 : 4, offset: position === 'right' || position === 'left' ? [0, dy] : [0, 0] });
  }
  return out;
}
