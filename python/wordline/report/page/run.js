// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
// The page of one run. Parts that a point of a study shows, too, take the run as argument.

function driveText(config) {
  const {channels, cpu, nand, host} = config;
  if (!channels || !cpu) return null;
  const dies = channels.count * channels.packages * channels.dies_per_package;
  const many = (count, one, several = `${one}s`) => `${count} ${count === 1 ? one : several}`;
  return `${many(channels.count, 'channel')}, ${many(dies, 'die')}${
      nand && nand.cell ?
          ` of ${String(nand.cell).toUpperCase()}` :
          ''}, ${many(cpu.cores, 'core')} at ${cpu.clock} (${cpu.model})${host ? `, host model ${host.model}` : ''}.`;
}

function runPage() {
  const {run, distribution, config} = data;
  const ops = operations(run);
  const summary = section(
      'summary', 'Summary', alarms(run),
      el('p', {}, run.wordline.workload, config ? el('br') : null, config ? driveText(config) : null), tiles(run));
  const {mismatches, reads_checked: checked} = run.check;
  summary.append(
      el('p', {class: 'soft'},
         `Measured: ${time(run.window.length_ps)} of simulated time. ${
             grouped(checked)} reads were checked block by block, ${grouped(mismatches)} blocks differed.`));
  if (!ops.length) {
    content.append(absent(
        'No request completed in the measurement, so there is nothing to draw. ', code('run.ramp_time'),
        ' may be longer than the workload.'));
    return;
  }
  section(
      'latency', 'Latency',
      el('div', {class: 'pair'}, el('div', {}, latencyFigure(run, distribution)), percentileTable(run)),
      distribution ?
          el('p', {class: 'soft'}, 'From the buckets of all latencies in ', code(distribution.file), '.') :
          absent(
              'Between the marks of result.json the line is drawn straight. The whole distribution appears with ',
              code('--fio-json-plus DIR/fio.json'), ' of ', code('./scripts/wordline run --out DIR'), '.'));
  section(
      'stages', 'Stages',
      el('p', {class: 'soft'}, 'Each stage begins where the one before it ends. Hatched: waiting for a resource.'),
      waitingSection(run), waitsTable(run));
  const channels = config && config.channels ? config.channels.count : run.utilisation.channels.length;
  section(
      'resources', 'Resources',
      el('div', {class: 'pair'}, utilisationFigure(run),
         run.utilisation.dies.length > 1 ? dieFigure(
                                               run, channels, run.utilisation.dies, 'How busy each die is',
                                               'Unequal dies mean that requests gather on some of them.') :
                                           null),
      bufferText(run), whatIfTable(run));
  section(
      'time', 'Over time', seriesFigure(run), overTimeFigures(run),
      data.cores_over_time ? coresFigure(data.cores_over_time) :
                             absent(
                                 'How busy each core is over time: ', code('./scripts/wordline run --profile'),
                                 ' with ', code('cpu.model = iss'), ' records it.'));
  section(
      'flash', 'Writes and wear',
      el('div', {class: 'pair'},
         el('div', {},
            run.flash.waf === null ? absent('No write amplification: nothing was written by this workload.') :
                                     wafFigure(run),
            wearPart(run)),
         blockTable(run)));
  section(
      'energy', 'Energy',
      run.energy_pj.total ?
          energyFigure(run) :
          absent('The flash took no energy in this run: ', code('nand.energy'), ' has its currents.'));
  section('retries', 'Retries', el('div', {class: 'pair'}, retryPart(run)));
  section(
      'slowest', 'Slowest requests',
      el('p', {class: 'soft'}, 'A click or Enter on a row shows where its time went. ',
         data.waves ? null : ['With ', code('observe.waves = true'), ' the waveform of each can be opened, too.']),
      slowestPart(run, data.waves));
  if (Object.keys(run.firmware_cycles || {}).length) section('firmware', 'Firmware', firmwareFigure(run));
  section('origin', 'Configuration and origin', originTable(run), configPart());
}

function originTable(run) {
  const {provenance = {}, wordline} = run;
  return plainTable([['', false], ['', false]], [
    ['version, revision', `${wordline.version}, ${provenance.revision || 'unknown'}`],
    ['seed', `${wordline.seed}`],
    ['SHA-256 of the configuration', code(wordline.config_sha256 || NONE)],
    ['command', code((provenance.command || []).join(' ') || NONE)],
  ]);
}

function configPart() {
  if (!data.config_text) return absent('config.toml, with every effective value, is not in the folder.');
  return el(
      'details', {}, el('summary', {}, 'Every effective value of the configuration (config.toml)'),
      el('pre', {tabindex: '0'}, data.config_text));
}

// Inside the page of a study.
function pointParts(run) {
  return [
    alarms(run), el('p', {}, run.bottleneck.sentence), tiles(run),
    el('div', {class: 'pair'}, utilisationFigure(run), percentileTable(run)), waitingSection(run),
    el('div', {class: 'pair'}, run.flash.waf === null ? null : wafFigure(run),
       run.energy_pj.total ? energyFigure(run) : null)
  ];
}
