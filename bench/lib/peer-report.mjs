import { readFileSync, writeFileSync } from 'node:fs'
import { keepFile } from '../../scripts/lib/kept-file.mjs'
import { markdownTable } from '../../scripts/lib/markdown-table.mjs'
import { inProject } from '../../scripts/lib/project.mjs'
import { currentStamp } from '../../scripts/lib/quality/rows.mjs'
import { barChart } from './peer-chart.mjs'

const FILE = 'docs/performance.md'
const MARKERS = ['<!-- measured: begin -->', '<!-- measured: end -->']

const asTimes = (value, floor) => times(value / floor)
const asDifference = (value, floor) => `${value < floor ? '−' : '+'}${ms(Math.abs(value - floor))}`

/** Rows of the table: the floor's cell is milliseconds, the others' are compared with it. */
const ROWS = [
  { name: '20 000 deltas, main thread', scenario: 'deltas-20000', key: 'mainThread' },
  {
    name: '80 000 deltas, main thread',
    scenario: 'deltas-80000',
    key: 'mainThread',
    chart: 'stream',
  },
  { name: '80 000 deltas, all threads', scenario: 'deltas-80000', key: 'cpu' },
  {
    name: '200 kB of tool input, main thread',
    scenario: 'input-200',
    key: 'mainThread',
    chart: 'input',
  },
  { name: '200 kB of tool input, all threads', scenario: 'input-200', key: 'cpu' },
  { name: '50 turns, main thread', scenario: 'turns-50', key: 'mainThread', chart: 'turns' },
  { name: 'one turn, time', scenario: 'turns-50', key: 'turn', compare: asDifference },
].map(({ compare = asTimes, scenario, key, ...row }) => ({
  ...row,
  compare,
  valueOf: ({ scenarios }) => scenarios[scenario][key],
  isStopped: ({ scenarios }) => scenarios[scenario].isStopped,
}))

const CHARTED = ROWS.filter(({ chart }) => chart)

/**
 * @typedef {object} Library
 * @property {string} name
 * @property {number} scriptBytes
 * @property {Record<string, { mainThread: number, cpu: number, turn: number, isStopped: boolean }>} scenarios
 *   Milliseconds, at least those if it was stopped.
 *
 * @typedef {object} Report
 * @property {readonly Library[]} libraries The floor first, then Offstage's.
 * @property {readonly { page: string, readers: readonly { name: string, first: number, isStopped: boolean }[] }[]} reading
 *   Offstage's reader first.
 * @property {readonly string[]} versions
 * @property {number} rounds
 */

export function printReport(/** @type {Report} */ report) {
  console.log(`\n${tables(report)}`)
  const [floor, ours] = report.libraries
  const [, { name, compare, valueOf }] = ROWS
  console.log(`\n${name}: ${compare(valueOf(ours), valueOf(floor))} of a plain loop`)
}

/** Writes the tables into docs/performance.md, and its charts beside it. */
export function writeReport(/** @type {Report} */ report) {
  const text = readFileSync(inProject(FILE), 'utf8')
  const [begin, end] = MARKERS
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${FILE} has no ${begin} … ${end}.`)
  writeFileSync(
    inProject(FILE),
    `${text.slice(0, from + begin.length)}\n\n${tables(report)}\n\n${text.slice(to)}`,
  )
  const [floor] = report.libraries
  for (const row of CHARTED)
    keepFile({
      file: `docs/performance-${row.chart}.svg`,
      text: barChart(
        `${row.name}, beside a plain loop`,
        report.libraries.map((library) => ({
          name: library.name,
          value: row.valueOf(library) / row.valueOf(floor),
          label: cell(row, library, floor),
        })),
      ),
      command: 'npm run bench -- peers',
      isCheck: false,
    })
}

function tables({ libraries, reading, versions, rounds }) {
  const { date, commit, machine } = currentStamp()
  const [floor] = libraries
  const rows = ROWS.map((row) => [
    row.name,
    ms(row.valueOf(floor)),
    ...libraries.slice(1).map((library) => cell(row, library, floor)),
  ])
  const sizes = ['JavaScript loaded, gzip', ...libraries.map((library) => kB(library.scriptBytes))]
  const [{ readers }] = reading
  return [
    `Measured on ${date} at commit ${commit}: ${machine}; medians of ${rounds} interleaved rounds.`,
    `Versions: ${versions.join(', ')}.`,
    markdownTable([['what', ...libraries.map(({ name }) => name)], ...rows, sizes]),
    markdownTable([
      ['first read of a page, main thread', ...readers.map(({ name }) => name)],
      ...reading.map(({ page, readers }) => [
        page,
        ...readers.map(({ first, isStopped }) => `${isStopped ? '> ' : ''}${ms(first)}`),
      ]),
    ]),
    notFirst(libraries, reading),
    CHARTED.map(({ name, chart }) => `![${name}, as a chart](performance-${chart}.svg)`).join(
      '\n\n',
    ),
  ].join('\n\n')
}

function cell({ compare, valueOf, isStopped }, library, floor) {
  return `${isStopped(library) ? '> ' : ''}${compare(valueOf(library), valueOf(floor))}`
}

/** Names the rows in which another library is better than each of Offstage's. */
function notFirst(libraries, reading) {
  const isOurs = ({ name }) => name.toLowerCase().startsWith('offstage')
  const size = { name: 'JavaScript loaded', valueOf: ({ scriptBytes }) => scriptBytes }
  const comparisons = [
    ...[...ROWS, size].map((row) => ({ ...row, entries: libraries.slice(1) })),
    ...reading.map(({ page, readers }) => ({
      name: `first read of ${page}`,
      entries: readers,
      valueOf: ({ first }) => first,
    })),
  ]
  const lost = comparisons.flatMap(({ name, entries, valueOf }) => {
    const ours = Math.min(...entries.filter(isOurs).map(valueOf))
    const better = entries.filter((entry) => valueOf(entry) < ours)
    return better.length > 0 ? [`- ${name}: ${better.map((entry) => entry.name).join('; ')}`] : []
  })
  return lost.length > 0
    ? `Offstage is not first in these rows:\n\n${lost.join('\n')}`
    : 'Offstage is first in each row.'
}

function ms(value) {
  return `${value.toFixed(value < 20 ? 1 : 0)} ms`
}

function times(ratio) {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
