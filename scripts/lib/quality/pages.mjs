import { markdownTable } from '../markdown-table.mjs'
import { RUNS } from './runs.mjs'

const NOT_RUN = 'not run yet on this version'
const MARKERS = ['<!-- mutation score: begin -->', '<!-- mutation score: end -->']

/**
 * docs/quality.md. A row of another version says that its run has not been made.
 *
 * @param {Record<string, import('./rows.mjs').Row>} rows
 * @param {string} version
 */
export function qualityPage(rows, version) {
  const unknown = Object.keys(rows).filter((id) => !(id in RUNS))
  if (unknown.length > 0) throw new Error(`No long run is called ${unknown.join(', ')}.`)
  const lines = Object.entries(RUNS).map(([id, { description, command }]) => {
    const { figure, date, commit, machine, seed = '' } = currentRow(rows, id, version)
    return [description, `\`${command}\``, figure, date, commit, seed, machine].map(asCell)
  })
  return `# Quality

<!-- Written by the long runs and by \`npm run quality\`, from etc/quality.json. -->

\`npm test\` runs on every change and takes minutes. The runs below take hours. They look for what short tests miss:
lost data, doubled side effects, leaks, slow growth, and tests that notice nothing.

A run writes its row itself, and only if it was whole. A shorter run, such as \`--trials 100\`, prints its result and
leaves the row alone. Figures of an older version are not shown.

- **Violations** are broken promises: a side effect that happened twice, a lost message, a tab that shows something
  else, an attack that succeeded. The right number is 0. A run that plays nothing fails.
- **Mutation score** is the share of small changes to the code that make a unit test fail. The changes are drawn at
  random from the modules of durability, approval and stream reading.
- **Benchmarks** measure beside a floor in the same run. Compare the ratio: times differ between machines.

The seed repeats the same trials in the same order. Times and interleavings still differ a little, as they do between
two users.

${markdownTable([['run', 'command', 'result', 'date', 'commit', 'seed', 'machine'], ...lines])}
`
}

/** test/README.md with the mutation score of the last whole run. */
export function withMutationScore(readme, rows, version) {
  const [begin, end] = MARKERS
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`test/README.md has no ${begin} … ${end}.`)
  const { figure, date, commit, seed } = currentRow(rows, 'mutation', version)
  const text = date
    ? `${figure} (${date}, commit ${commit}, seed ${seed}).`
    : `${asSentence(NOT_RUN)}.`
  return `${readme.slice(0, from + begin.length)}\n\n${text}\n\n${readme.slice(to)}`
}

function currentRow(rows, id, version) {
  const row = rows[id]
  return row?.version === version ? row : { figure: NOT_RUN, date: '', commit: '', machine: '' }
}

function asCell(text) {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

function asSentence(words) {
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
