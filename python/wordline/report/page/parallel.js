// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a line for each row, an axis for each column. Dragging along an axis keeps the lines that pass
// there. Drawn as SVG, since Plotly's needs WebGL, which remote desktops and printers do not have.

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 360;
const ROOM = {
  top: 42,
  bottom: 26,
  left: 70,
  right: 70
};
const LEAST_WIDTH = 104;

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Colours of Cividis from low to high, told apart with any colour vision and in grey.
const CIVIDIS = [[0, 32, 77], [60, 77, 110], [124, 123, 120], [187, 175, 113], [255, 234, 70]];

// The end that the paper would swallow is left out.
function shade(share) {
  const [dark, bright] = theme === 'dark' ? [0.3, 1] : [0, 0.85];
  const at = Math.min(0.999, dark + (bright - dark) * Math.max(0, share)) * (CIVIDIS.length - 1);
  const [low, high] = [CIVIDIS[Math.floor(at)], CIVIDIS[Math.floor(at) + 1]];
  return `rgb(${low.map((part, i) => Math.round(part + (high[i] - part) * (at % 1))).join(',')})`;
}

// `axes`: {key, title, of(row)}; `places` are the values that have a place of their own, in this order, else the values
// are numbers and shown(value) writes them. `brushed(key, passes or null)` is told of each drag.
class Parallel {
  constructor({axes, rows, passing, colourBy, brushed, open}) {
    Object.assign(this, {axes, rows, colourBy, brushed, open, passing: new Set(passing), brushes: new Map()});
    this.element = el('div', {class: 'wide', id: 'parallel'});
    this.scales = axes.map((axis) => this.scaleOf(axis));
  }

  scaleOf(axis) {
    const span = HEIGHT - ROOM.top - ROOM.bottom;
    if (axis.places) {
      const places = new Map(axis.places.map(
          (value, i) => [value, ROOM.top + span * (axis.places.length > 1 ? 1 - i / (axis.places.length - 1) : 0.5)]));
      return {at: (value) => places.get(value), ticks: axis.places.map((value) => [places.get(value), value])};
    }
    const values = this.rows.map(axis.of).filter(isThere);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const at = (value) => ROOM.top + span * (high > low ? 1 - (value - low) / (high - low) : 0.5);
    const marks = high > low ? [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low)) : [low];
    return {at, low, high, ticks: marks.map((value) => [at(value), axis.shown(value)])};
  }

  show(passing) {
    this.passing = new Set(passing);
    this.draw();
  }

  draw() {
    const c = colours();
    const room = (this.element.clientWidth || 1000) - ROOM.left - ROOM.right;
    const step = Math.max(LEAST_WIDTH, room / (this.axes.length - 1));
    const x = (i) => ROOM.left + i * step;
    const width = ROOM.left + ROOM.right + (this.axes.length - 1) * step;
    const colour = this.axes.findIndex(({key}) => key === this.colourBy);
    const {low, high} = this.scales[colour];
    const path = (row) => this.axes.map((axis, i) => [x(i), axis.of(row), this.scales[i]])
                              .filter(([, value]) => isThere(value))
                              .map(([left, value, scale], i) => `${i ? 'L' : 'M'}${left},${scale.at(value).toFixed(1)}`)
                              .join('');
    const line = (row, passes) => {
      const made = svg('path', {
        d: path(row),
        fill: 'none',
        stroke: passes ? shade((this.axes[colour].of(row) - low) / (high - low || 1)) : c.faint,
        'stroke-width': passes ? 1.4 : 0.6,
        'stroke-opacity': passes ? 0.85 : 0.25
      });
      if (passes) {
        made.style.cursor = 'pointer';
        made.addEventListener('click', () => this.open(row));
      }
      return made;
    };
    const rest = this.rows.filter((row) => !this.passing.has(row));
    const lines =
        svg('g', {}, ...rest.map((row) => line(row, false)), ...[...this.passing].map((row) => line(row, true)));
    const axes = this.axes.map((axis, i) => this.axis(axis, i, x(i)));
    this.element.replaceChildren(
        svg('svg', {
          viewBox: `0 0 ${width} ${HEIGHT}`,
          width,
          height: HEIGHT,
          role: 'img',
          'aria-label': `Parallel coordinates of ${this.rows.length} points`
        },
            lines, ...axes));
  }

  axis(axis, i, x) {
    const {ticks} = this.scales[i];
    const title = axis.title.length > 17 ? `…${axis.title.slice(-16)}` : axis.title;
    const labels = ticks.map(
        ([y, text]) =>
            svg('text', {x: x + 6, y: y + 4, 'paint-order': 'stroke', stroke: colours().paper, 'stroke-width': 3},
                String(text)));
    const group =
        svg('g', {'data-axis': axis.key},
            svg('line', {class: 'axis', x1: x, x2: x, y1: ROOM.top, y2: HEIGHT - ROOM.bottom}),
            svg('text', {x, y: i % 2 ? 14 : 30, 'text-anchor': 'middle', 'font-weight': 600}, title,
                svg('title', {}, axis.title)),
            ...labels);
    const brush = this.brushes.get(axis.key);
    if (brush)
      group.append(
          svg('rect', {class: 'brush', x: x - 8, width: 16, y: brush[0], height: Math.max(2, brush[1] - brush[0])}));
    const room =
        svg('rect',
            {x: x - 14, width: 28, y: ROOM.top - 6, height: HEIGHT - ROOM.top - ROOM.bottom + 12, fill: 'transparent'});
    room.style.cursor = 'ns-resize';
    room.style.touchAction = 'pan-x';
    room.addEventListener('pointerdown', (event) => this.drag(event, axis, i));
    group.append(room);
    return group;
  }

  // Places are those of the drawing, whatever size the browser shows it in.
  drag(event, axis, i) {
    const box = this.element.querySelector('svg');
    const place = (moved) => new DOMPoint(moved.clientX, moved.clientY).matrixTransform(box.getScreenCTM().inverse()).y;
    const begin = place(event);
    const ends = (moved) => {
      window.removeEventListener('pointerup', ends);
      const range = [begin, place(moved)].sort((a, b) => a - b);
      const {at} = this.scales[i];
      const within = (row) => {
        const value = axis.of(row);
        return isThere(value) && at(value) >= range[0] && at(value) <= range[1];
      };
      const isClick = range[1] - range[0] < 4;  // takes the choice back
      if (isClick)
        this.brushes.delete(axis.key);
      else
        this.brushes.set(axis.key, range);
      this.brushed(axis.key, isClick ? null : within);
    };
    event.preventDefault();
    window.addEventListener('pointerup', ends);
  }
}
