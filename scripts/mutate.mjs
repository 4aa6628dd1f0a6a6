// npm run mutate -- --help says what it does.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hashOf } from './lib/build-stamp.mjs'
import { installDependencies, requireNode } from './lib/install.mjs'
import { commandLine } from './lib/long-run/command-line.mjs'
import { endLongRun } from './lib/long-run/end.mjs'
import { planMutants, scoreOf, shuffle } from './lib/mutation/plan.mjs'
import { measureReach, MutantRunner } from './lib/mutation/runner.mjs'
import { reachedBy, testsFor } from './lib/mutation/reach.mjs'
import { TESTS } from './lib/mutation/targets.mjs'
import { inProject } from './lib/project.mjs'

const SAMPLE = 200

const HELP = `npm run mutate [-- options]

Mutation testing: changes one thing at a time in the modules of durability, approval and stream reading (a condition
negated, a statement dropped, another operator …) and runs the unit tests that reach it. A change that no test notices
survives. Prints the score, killed / (killed + survived), by group and in total, and lists the survivors. Nothing on disk
is changed.

  --sample ${SAMPLE}       how many mutants, drawn at random from all
  --seed 1           draws the same ones again
  --only decide      from files with this in their path
  --minutes 60       starts no mutant after so long; the same command continues where it was
  --percent 2        how much of the time of all tests each mutant gets, the most specific tests first
  --repeat file      the mutants of an earlier result, which is compared with this one

The first run for a state of the sources and the tests also runs all tests once, to learn which mutants each reaches. The
result is .cache/mutate/result.json. Ends with 1 when no mutant was tried; survivors are no failure.
`

const { option } = commandLine(HELP)
const sample = Number(option('--sample', String(SAMPLE)))
const seed = option('--seed', '1')
const only = option('--only', '')
const minutes = Number(option('--minutes', '60'))
const percent = Number(option('--percent', '2'))
const repeatFile = option('--repeat')

requireNode()
await installDependencies()
mkdirSync(inProject('.cache/mutate'), { recursive: true })
const build = hashOf([
  'src',
  ...TESTS,
  'test/setup',
  'test/fixtures',
  'scripts/lib/mutation',
  'package-lock.json',
]).slice(0, 16)

const all = planMutants()
const previous = repeatFile && JSON.parse(readFileSync(repeatFile, 'utf8'))
const chosen = previous ? mutantsOf(previous) : drawSample()
const reach = await loadReach()
const { results, played } = await playAll()
report()

function drawSample() {
  return shuffle(
    all.filter(({ file }) => file.includes(only)),
    seed,
  ).slice(0, sample)
}

function mutantsOf({ mutants }) {
  const byId = new Map(all.map((mutant) => [mutant.id, mutant]))
  const missing = mutants.filter(({ id }) => !byId.has(id))
  for (const { file, line } of missing) console.log(`no longer there: ${file}:${line}`)
  return mutants.flatMap(({ id }) => byId.get(id) ?? [])
}

async function loadReach() {
  const file = inProject(`.cache/mutate/reach-${build}.json`)
  if (!existsSync(file)) {
    console.log('Running all tests once, to learn which mutants each reaches …')
    const measured = await measureReach(TESTS, all.length)
    if (measured.tests.length === 0) throw new Error('No test passed.')
    writeFileSync(file, JSON.stringify(measured))
  }
  const { tests, failed } = JSON.parse(readFileSync(file, 'utf8'))
  console.log(`${tests.length} tests passed without a mutant.`)
  for (const { file, name } of failed) console.log(`left out, since it failed: ${file}: ${name}`)
  return reachedBy(tests, all)
}

async function playAll() {
  const stored = readResults()
  // A finished run is played again: only an interrupted one is continued.
  if (chosen.every(({ id }) => stored.has(id))) stored.clear()
  const deadline = performance.now() + minutes * 60_000
  const runner = await MutantRunner.start(all.length)
  const results = []
  let played = 0
  for (const mutant of chosen) {
    const storedResult = stored.get(mutant.id)
    if (storedResult) {
      results.push(storedResult)
      continue
    }
    if (performance.now() > deadline) break
    const result = await play(runner, mutant)
    played += 1
    results.push(result)
    appendFileSync(resultsFile(), `${JSON.stringify(result)}\n`)
    console.log(`${String(results.length).padStart(4)} ${lineOf(result)}`)
  }
  await runner.close()
  return { results, played }
}

async function play(runner, mutant) {
  const { id, group, file, line, kind, before, after, number } = mutant
  const { tests, reaching } = testsFor(reach, number, percent / 100)
  const { outcome, by } =
    tests.length === 0 ? { outcome: 'survived' } : await runner.tryMutant(number, tests)
  return { id, group, file, line, kind, before, after, outcome, by, tests: tests.length, reaching }
}

function resultsFile() {
  return inProject(`.cache/mutate/results-${build}-${percent}.jsonl`)
}

function readResults() {
  if (!existsSync(resultsFile())) return new Map()
  // The last line may be cut off: the run that wrote it was ended.
  const lines = readFileSync(resultsFile(), 'utf8').split('\n').slice(0, -1)
  return new Map(lines.map((line) => JSON.parse(line)).map((result) => [result.id, result]))
}

function report() {
  const survivors = results.filter(({ outcome }) => outcome === 'survived')
  if (survivors.length > 0) console.log('\nSurvivors:')
  for (const survivor of survivors) console.log(lineOf(survivor))
  console.log()
  for (const group of new Set(all.map((mutant) => mutant.group)))
    console.log(`${group}: ${formatScore(results.filter((result) => result.group === group))}`)
  const total = formatScore(results)
  console.log(`total: ${total}`)
  if (previous) compareWithPrevious()
  writeFileSync(
    inProject('.cache/mutate/result.json'),
    `${JSON.stringify({ seed, build, total: scoreOf(results), mutants: results }, null, 2)}\n`,
  )
  endLongRun({
    row: 'mutation',
    tally: { played, kept: results.length - played, violated: 0 },
    unit: 'mutants',
    figure: `${total}`,
    seed,
    isWhole: !previous && !only && results.length === sample && sample >= SAMPLE,
  })
}

function compareWithPrevious() {
  const before = new Map(previous.mutants.map((result) => [result.id, result]))
  const counterparts = results.map(({ id }) => before.get(id))
  console.log(`before: ${formatScore(counterparts)}`)
  for (const result of results) {
    const { outcome } = before.get(result.id)
    if ((outcome === 'survived') !== (result.outcome === 'survived'))
      console.log(`was ${outcome}, now ${lineOf(result)}`)
  }
}

function formatScore(results) {
  const { tried, killed, timedOut, percent } = scoreOf(results)
  const suffix = timedOut > 0 ? `, ${timedOut} of them by a time limit` : ''
  return `${percent} %, ${killed} of ${tried} killed${suffix}`
}

function lineOf({ outcome, file, line, kind, before, after, by, tests, reaching }) {
  const reason = by ? `by "${by}"` : `${tests} of ${reaching} tests that reach it`
  return `${outcome.padEnd(9)} ${file}:${line} ${kind}: ${short(before)} → ${short(after)} (${reason})`
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
