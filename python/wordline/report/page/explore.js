// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The page of a study: its table, heat maps, the Pareto front, parallel coordinates; each point opens its numbers.

const firstLine = (text) => text.split('\n')[0];
const pointName = (row) =>
    Object.entries(row.values).map(([key, value]) => `${key} = ${value}`).join(', ') || 'the only point';
// Numbers of one unit in their order, other values in that of their first appearance.
function axisValues(rows, key) {
  const values = [...new Set(rows.map((row) => row.values[key]))];
  const parts = values.map((value) => /^(-?[\d.]+)(\D*)$/.exec(value));
  const ordered = parts.every((part) => part && part[2] === parts[0][2]);
  return ordered ? values.sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b)) : values;
}

function chooser(title, options, value, changed) {
  const choice =
      el('select', {onchange: () => changed(choice.value)},
         options.map(([name, text]) => el('option', {value: name, selected: name === value}, text)));
  return el('label', {}, title, choice);
}

function openPoint(row) {
  const dialog = document.getElementById('point');
  forget(dialog);
  const parts = row.run ? pointParts(row.run) : [
    el('p', {class: row.error ? 'alarm' : 'absent'},
       row.error || 'The folder of this run is not beside the table; the explore command makes it again.'),
    row.sentence ? el('p', {}, row.sentence) : null
  ];
  const links = row.report ? el('p', {}, el('a', {href: row.report}, 'The whole report of this run')) :
      row.point && row.run ? el('p', {class: 'soft'}, 'The whole report of this run, with its slowest requests: ',
                                code(`./scripts/wordline report DIR/points/${row.point}`)) :
                             null;
  dialog.replaceChildren(
      el('div', {class: 'head'}, el('h2', {id: 'point-title'}, pointName(row)),
         el('button', {type: 'button', onclick: () => dialog.close()}, 'Close')),
      el('p', {class: 'soft'},
         `Workload ${row.workload}. ${
             row.cost ? `${row.cost[0]} dies, ${row.cost[1]} channels, ${row.cost[2]} cores.` : ''}`),
      ...parts.flat().filter(Boolean), links || '');
  dialog.showModal();
  dialog.scrollTop = 0;
  showAll(dialog);
}

// Of the rows those that no other beats in both: `cost` is least, `gain` greatest (or least, where less is better).
function front(rows, cost, gain) {
  const better = gain.more ? (a, b) => gain.of(a) > gain.of(b) : (a, b) => gain.of(a) < gain.of(b);
  const order = [...rows].sort((a, b) => cost.of(a) - cost.of(b) || (better(a, b) ? -1 : 1));
  const kept = [];
  for (const row of order)
    if (!kept.length || better(row, kept[kept.length - 1])) kept.push(row);
  return kept;
}

// Few values, far apart, get a mark each on a logarithmic axis.
function scaleOf(values) {
  const marks = [...new Set(values)].sort((a, b) => a - b);
  const wide = marks.length > 2 && marks[0] > 0 && marks[marks.length - 1] > 15 * marks[0];
  if (!wide) return {tickformat: ',~s'};
  return {
    type: 'log',
    ...(marks.length <= 10 ? {tickvals: marks, ticktext: marks.map(short)} :
                             {tickvals: logMarks(marks), ticktext: logMarks(marks).map(short)})
  };
}

class Study {
  constructor() {
    this.workloads = [...new Set(data.points.map((row) => row.workload))];
    this.workload = this.workloads[0];
    this.axes = data.axes.filter((key) => axisValues(data.points, key).length > 1);
    this.take();
  }

  take() {
    this.rows = data.points.filter((row) => row.workload === this.workload);
    this.done = this.rows.filter((row) => !row.error && row.iops !== null);
    this.passing = new Set(this.rows);
    this.measures = MEASURES.filter(({of}) => this.done.some((row) => isThere(of(row))));
    this.mapState = this.paretoState = this.parallel = null;
    this.figures = {};
  }

  columns() {
    const axis = data.axes.map((key) => ({key, title: key, of: (row) => row.values[key], kind: 'choice'}));
    const measured = this.measures.map((measure) => ({...measure, kind: 'number', shown: (row) => sure(measure, row)}));
    const state = (row) => {
      const states = (row.judged || []).map((judged) => judged.state);
      if (!states.length) return null;
      return states.includes('failed') ? 'fails' : states.includes('not decided') ? 'not decided' : 'meets';
    };
    const words = (row) => [row.best && 'best', row.alike && 'not distinguishable from the best',
                            row.cheapest && 'cheapest', CLASSES[row.steady], state(row)]
                               .filter(Boolean);
    const marks = (row) =>
        (row.error ? el('span', {class: 'red'}, `failed: ${firstLine(row.error)}`) :
                     words(row).map((word) => [el('span', {class: 'mark'}, word), ' ']).flat());
    const hardware = ['dies', 'channels', 'cores', 'energy'];
    const measuredOf = (passes) => measured.filter(({key}) => key !== 'busy' && passes(key));
    return [
      ...axis, ...measuredOf((key) => !hardware.includes(key)),
      {key: 'limit', title: 'limit', of: (row) => row.limit || 'failed', kind: 'choice'},
      ...measured.filter(({key}) => key === 'busy'),
      ...(this.done.some((row) => row.next_limit) ?
              [{key: 'next', title: 'next', of: (row) => row.next_limit || '', kind: 'choice'}] :
              []),
      {key: 'marks', title: '', of: () => '', shown: marks, kind: 'none'},
      ...measuredOf((key) => hardware.includes(key))
    ];
  }

  page() {
    const settings = Object.entries(data.sets);
    const summary = section(
        'summary', 'Summary',
        el('p', {}, 'Drive ', code(data.config),
           settings.length ?
               [', at every point with ', code(settings.map(([key, value]) => `${key}=${value}`).join(', '))] :
               null,
           '.'));
    if (this.workloads.length > 1) {
      summary.append(
          el('div', {class: 'choices'},
             chooser(
                 'Workload of everything below', this.workloads.map((name) => [name, name]), this.workload,
                 (name) => this.change(name))));
    }
    this.tiles = el('div');
    summary.append(this.tiles);
    this.judge(summary);
    this.mapSection = section('map', 'Heat map');
    this.paretoSection = section('pareto', 'Pareto front');
    this.parallelSection = section('coordinates', 'Parallel coordinates');
    // Last, so that its filters do not move the charts that they change.
    this.tableSection = section(
        'table', 'All points',
        el('p', {class: 'soft'}, 'A click or Enter on a row opens its run. ',
           'Heads sort; the fields below them filter the table and the charts of the points.'));
    this.fillAll();
    redraws.push(() => this.parallel && this.parallel.draw());
    window.addEventListener('resize', () => this.parallel && this.parallel.draw());
  }

  // What was required, what was not run, and what runs noted.
  judge(summary) {
    if (data.answer) summary.append(...data.answer.text.split('\n').map((line) => el('p', {}, line)));
    if (data.not_run && data.not_run.length) {
      const named = data.not_run.slice(0, 5).map((point) => `${pointName(point)}: ${point.reason}`);
      summary.append(el('p', {class: 'soft'}, `Not run: ${data.not_run.length}. ${named.join('; ')}`));
    }
    for (const note of data.notes || [])
      summary.append(el('p', {class: 'soft'}, `Note of ${note.runs} runs: ${note.text}`));
    if (data.points.some((row) => row.few && row.few.length))
      summary.append(el('p', {class: 'soft'}, '~ before a percentile: fewer than 10 samples beyond it.'));
    const unranked = data.points.filter((row) => CLASSES[row.steady]);
    if (unranked.length) {
      summary.append(
          el('p', {class: 'soft'}, `${unranked.length} rows are not steady: what is before GC is not compared `,
             'with steady points, and the others have no rank.'));
    }
  }

  change(name) {
    this.workload = name;
    this.take();
    this.fillAll();
    document.querySelectorAll('section').forEach(showAll);
  }

  fillAll() {
    const best = this.rows.find((row) => row.best);
    const cheapest = this.rows.find((row) => row.cheapest);
    const chosen = (title, row) =>
        (row ? tile(title, `${sure(MEASURES[0], row)} IOPS`, `${pointName(row)}. ${row.sentence || ''}`) : null);
    this.tiles.replaceChildren(
        el('div', {class: 'tiles chosen'},
           best === cheapest ? chosen('best, and the cheapest within 1 % of it', best) :
                               [chosen('best', best), chosen('cheapest within 1 % of the best', cheapest)],
           tile('points', grouped(this.rows.length), `${grouped(this.rows.length - this.done.length)} failed`)));
    this.fillTable();
    this.fillMap();
    this.fillPareto();
    this.fillParallel();
  }

  fillTable() {
    if (this.table) this.table.element.remove();
    this.table = new Table({
      id: 'points',
      columns: this.columns(),
      rows: this.rows,
      open: openPoint,
      changed: (passing) => this.passed(passing)
    });
    this.tableSection.append(this.table.element);
  }

  passed(passing) {
    this.passing = new Set(passing);
    if (this.figures.pareto && drawn.has(this.figures.pareto.chart)) draw(this.figures.pareto.chart);
    if (this.parallel) this.parallel.show(passing.filter((row) => this.done.includes(row)));
  }

  // Takes the figure of that name out of the page, and the new one in.
  put(name, root, made, ...before) {
    forget(root);
    const head = root.querySelector('h2');
    root.replaceChildren(head, ...before, made);
    this.figures[name] = made;
    if (made.chart) near.observe(made);
  }

  fillMap() {
    const root = this.mapSection;
    if (!this.done.length || !this.axes.length) {
      this.put(
          'map', root,
          absent('A heat map needs an axis of two values, ', code('--grid KEY=A,B'), ', and points that ran.'));
      return;
    }
    const state = this.mapState ||
        (this.mapState = {up: this.axes[0], right: this.axes[1] || this.axes[0], measure: 'iops', fixed: {}});
    const best = this.rows.find((row) => row.best) || this.done[0];
    const others = this.axes.filter((key) => key !== state.up && key !== state.right);
    const set = (part) => (value) => {
      state[part] = value;
      this.fillMap();
      show(this.figures.map);
    };
    const keys = this.axes.map((key) => [key, key]);
    const fixed = (key) => state.fixed[key] ?? best.values[key];
    const choices =
        el('div', {class: 'choices'},
           chooser('Colour', this.measures.map(({key, title}) => [key, title]), state.measure, set('measure')),
           chooser('Upwards', keys, state.up, set('up')), chooser('To the right', keys, state.right, set('right')),
           others.map(
               (key) => chooser(key, axisValues(this.rows, key).map((value) => [value, value]), fixed(key), (value) => {
                 state.fixed[key] = value;
                 this.fillMap();
                 show(this.figures.map);
               })));
    const measure = this.measures.find(({key}) => key === state.measure);
    const one = state.up === state.right;
    const [ups, rights] = [one ? [''] : axisValues(this.rows, state.up), axisValues(this.rows, state.right)];
    const cell = (up, right) => this.done.find(
        (row) => (one || row.values[state.up] === up) && row.values[state.right] === right &&
            others.every((key) => row.values[key] === fixed(key)));
    const cells = ups.map((up) => rights.map((right) => cell(up, right)));
    const make = (width) => {
      const room = (width - 130) / rights.length;  // of a cell, in pixels: its words are what fits
      const z = cells.map((line) => line.map((row) => (row ? measure.of(row) : null)));
      const words = cells.map((line) => line.map((row) => {
        if (!row) return '';
        const busy = row.limit_busy === null ? '' : ` ${Math.round(100 * row.limit_busy)} %`;
        const found = ends(measure, row);
        const value = measure.of(row);
        const half = found && value ? ` ±${(50 * (found[1] - found[0]) / value).toFixed(1)} %` : '';
        if (room < 60) return short(value);
        return `${short(value)}${room < 90 ? '' : half}<br>${plain(row.limit)}${room < 75 ? '' : busy}`;
      }));
      // A category counts as its number, and a cell reaches half a number to each side.
      const framed = cells.flatMap(
          (line, y) => line.flatMap(
              (row, x) =>
                  (row && (row.cheapest || row.alike) ? [{
                    type: 'rect',
                    x0: x - 0.5,
                    x1: x + 0.5,
                    y0: y - 0.5,
                    y1: y + 0.5,
                    line: {color: colours().limit, ...(row.cheapest ? {width: 3} : {width: 1.5, dash: 'dot'})}
                  }] :
                                                        [])));
      return {
        data: [{
          type: 'heatmap',
          x: rights.map(plain),
          y: ups.map(plain),
          z,
          customdata: cells.map((line) => line.map((row) => (row ? this.rows.indexOf(row) : -1))),
          hoverongaps: false,
          xgap: 2,
          ygap: 2,
          colorscale: 'Cividis',
          reversescale: !measure.more,
          colorbar: {title: {text: measure.title, side: 'right'}, thickness: 12, outlinewidth: 0, tickformat: ',~s'},
          text: words,
          texttemplate: room >= 36 ? '%{text}' : '',
          hovertext: cells.map(
              (line) => line.map(
                  (row) =>
                      (row ? `${plain(pointName(row))}<br>${measure.title}: ${sure(measure, row)}<br>limit: ${
                                 plain(row.limit)}` :
                             ''))),
          hoverinfo: 'text',
        }],
        layout: {
          shapes: framed,
          xaxis: {type: 'category', title: {text: plain(state.right)}, gridcolor: 'rgba(0,0,0,0)'},
          yaxis: {type: 'category', title: {text: one ? '' : plain(state.up)}, gridcolor: 'rgba(0,0,0,0)'}
        }
      };
    };
    const made = figure({
      title: `${measure.title} at each point`,
      note: `${
          others.length ?
              'Further axes stand where the fields above say. ' :
              ''}Framed: the cheapest within 1 % of the best; dotted: not distinguishable from the best. A click on a cell opens the point. Empty: failed, or not run.`,
      height: Math.min(640, 140 + 52 * ups.length),
      make,
      click: (place) => {
        if (place.customdata >= 0) openPoint(this.rows[place.customdata]);
      }
    });
    this.put('map', root, made, choices);
  }

  fillPareto() {
    const root = this.paretoSection;
    const usable = this.measures.filter(({of, key}) => key !== 'busy' && differs(this.done, of));
    if (usable.length < 2) {
      this.put(
          'pareto', root,
          absent('A Pareto front needs two numbers that differ between the points; here all points cost the same.'));
      return;
    }
    const state = this.paretoState || (this.paretoState = {
                    cost: usable.some(({key}) => key === 'dies') ? 'dies' : usable[1].key,
                    gain: usable[0].key
                  });
    const pick = (key, other) =>
        usable.find((measure) => measure.key === key) || usable.find((measure) => measure !== other);
    const gain = pick(state.gain);
    const cost = pick(state.cost, gain);
    const set = (part) => (value) => {
      state[part] = value;
      this.fillPareto();
      show(this.figures.pareto);
    };
    const names = usable.map(({key, title}) => [key, title]);
    const choices =
        el('div', {class: 'choices'}, chooser('Upwards', names, gain.key, set('gain')),
           chooser('To the right', names, cost.key, set('cost')));
    const known = this.done.filter((row) => gain.of(row) !== null && cost.of(row) !== null);
    const make = () => {
      const c = colours();
      const rows = known.filter((row) => this.passing.has(row));
      const kept = cost.more ? [] : front(rows, cost, gain);
      const others = rows.filter((row) => !kept.includes(row));
      const trace = (part, more) => ({
        x: part.map(cost.of),
        y: part.map(gain.of),
        customdata: part.map((row) => this.rows.indexOf(row)),
        hoverinfo: 'text',
        hovertext: part.map(
            (row) => `${plain(pointName(row))}<br>${cost.title}: ${sure(cost, row)}<br>${gain.title}: ${
                sure(gain, row)}<br>limit: ${plain(row.limit)}`),
        ...(part.some((row) => ends(gain, row)) ? {
          error_y: {
            type: 'data',
            symmetric: false,
            array: part.map((row) => (ends(gain, row) ? ends(gain, row)[1] - gain.of(row) : 0)),
            arrayminus: part.map((row) => (ends(gain, row) ? gain.of(row) - ends(gain, row)[0] : 0)),
            thickness: 1,
            width: 3
          }
        } :
                                                  {}),
        ...more
      });
      return {
        data: [
          trace(others, {name: 'points', mode: 'markers', marker: {color: c.service, size: 7, opacity: 0.55}}),
          trace(kept, {
            name: 'Pareto front',
            mode: 'lines+markers',
            line: {color: c.limit, width: 2, shape: 'hv'},
            marker: {color: c.limit, size: 10, symbol: 'diamond'}
          })
        ],
        layout: {
          showlegend: true,
          xaxis: {title: {text: cost.title}, ...scaleOf(rows.map(cost.of))},
          yaxis: {title: {text: gain.title}, tickformat: ',~s'}
        }
      };
    };
    const note = cost.more ?
        'More of both is better, so there is no front.' :
        `No point on the line is beaten in both ${gain.title} and ${cost.title} at once. A click opens a point.`;
    this.put(
        'pareto', root, figure({
          title: `${gain.title} against ${cost.title}`,
          note,
          height: 400,
          make,
          click: (place) => openPoint(this.rows[place.customdata])
        }),
        choices);
  }

  fillParallel() {
    const root = this.parallelSection;
    root.replaceChildren(root.querySelector('h2'));
    if (this.done.length < 2) {
      root.append(absent('Parallel coordinates need two points that ran.'));
      this.parallel = null;
      return;
    }
    const swept =
        this.axes.map((key) => ({key, title: key, of: (row) => row.values[key], places: axisValues(this.done, key)}));
    const order = ['dies', 'busy', 'waf', 'energy', 'write_p99_9', 'read_p99_9', 'read_p99_99', 'iops'];
    const measured =
        order.map((key) => this.measures.find((measure) => measure.key === key))
            .filter((measure) => measure && (measure.key === 'iops' || differsMuch(this.done, measure.of)))
            .map((measure) => {
              const values = [...new Set(this.done.map(measure.of))].filter(isThere).sort((x, y) => x - y);
              return {
                ...measure,
                shown: short,
                places: ['dies', 'channels', 'cores'].includes(measure.key) && values.length <= 8 ? values : null
              };
            });
    const limits =
        {key: 'limit', title: 'limit', of: (row) => row.limit, places: [...new Set(this.done.map((row) => row.limit))]};
    this.parallel = new Parallel({
      axes: [...swept, ...(differs(this.done, limits.of) ? [limits] : []), ...measured],
      rows: this.done,
      passing: this.done.filter((row) => this.passing.has(row)),
      colourBy: 'iops',
      brushed: (key, passes) => this.table.filter(`axis ${key}`, passes),
      open: openPoint
    });
    root.append(
        el('p', {class: 'soft'},
           'A line is a point; bright lines have more IOPS. Dragging along an axis keeps the lines that pass there, ',
           'in the table and in the front, too; a click on the axis takes that back.'),
        this.parallel.element);
    this.parallel.draw();
  }
}

// Room for four letters: 376k, 1.25M, 88.1.
function short(value) {
  if (value === null || value === undefined) return NONE;
  return Intl
      .NumberFormat('en-US', {notation: Math.abs(value) >= 10000 ? 'compact' : 'standard', maximumSignificantDigits: 3})
      .format(value)
      .replace('K', 'k');
}

function explorePage() {
  new Study().page();
}
