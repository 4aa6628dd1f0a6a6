// npm run mutate -- --help says what it does.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { installDependencies, requireNode } from './lib/install.mjs'
import { mutantsOf, withMutant } from './lib/mutants.mjs'
import { inProject } from './lib/project.mjs'

const HELP = `npm run mutate [-- options]

Changes one thing at a time in the modules that durability stands on (a condition negated, a statement dropped, another operator …)
and runs the unit tests about them, then, where none of those fails, all that go through them: a change that no test notices
survives, and is listed. Nothing on disk is changed.

  --only decide       targets whose file has this in its name
  --minutes 30        stops after so long; the same command goes on where it was
  --seed 1            the order in which mutants are tried: each beginning of it is a fair sample

Kept in .cache/mutate/. Ends with 0, whatever survives: some mutants change nothing that matters.
`

const WORKER = 'test/unit/worker'
/** What is mutated, by the tests that should notice. */
const TARGETS = {
  'src/conversation/fold.ts': ['test/unit/conversation'],
  'src/conversation/fold-run.ts': ['test/unit/conversation', `${WORKER}/crash.test.ts`],
  'src/conversation/fold-call.ts': ['test/unit/conversation', `${WORKER}/crash.test.ts`],
  'src/worker/run/decide.ts': [
    `${WORKER}/loop.test.ts`,
    `${WORKER}/repetition.test.ts`,
    `${WORKER}/parking.test.ts`,
    'test/unit/testing/control-tools.test.ts',
    'test/unit/testing/steering.test.ts',
    'test/unit/testing/verify.test.ts',
    'test/unit/testing/limits.test.ts',
  ],
  'src/worker/run/recover-call.ts': [`${WORKER}/crash.test.ts`, `${WORKER}/lost-answer.test.ts`],
  'src/worker/run/answer-call.ts': [
    `${WORKER}/answers.test.ts`,
    'test/unit/testing/questions.test.ts',
  ],
  'src/client/execution.ts': [
    'test/unit/client/executions.test.ts',
    'test/unit/client/execute-tool.test.ts',
  ],
  'src/client/executions.ts': [
    'test/unit/client/executions.test.ts',
    'test/unit/client/adoption.test.ts',
  ],
  'src/worker/ownership/lease.ts': [`${WORKER}/ownership`],
  'src/worker/ownership/succession.ts': [`${WORKER}/ownership`],
  'src/worker/store/record.ts': [`${WORKER}/store.test.ts`, `${WORKER}/store-contract.test.ts`],
  'src/worker/store/apply-append.ts': [
    `${WORKER}/store.test.ts`,
    `${WORKER}/store-contract.test.ts`,
  ],
  'src/providers/core/assemble-tool-calls.ts': [
    'test/unit/providers/assemble-tool-calls.test.ts',
    'test/unit/providers/openai-quirks.test.ts',
    'test/unit/providers/wire-ids.test.ts',
    'test/unit/providers/chunking.test.ts',
  ],
}
/** What stands on the targets: whatever survives their own tests has to survive these, too. */
const OTHERS = ['conversation', 'worker', 'client', 'testing', 'providers', 'http-store'].map(
  (folder) => `test/unit/${folder}`,
)
const LIMIT_MS = 1_200_000

const words = process.argv.slice(2)
if (words.includes('--help')) {
  console.log(HELP)
  process.exit(0)
}
const option = (name, otherwise) => {
  const at = words.indexOf(name)
  return at < 0 ? otherwise : words[at + 1]
}
const until = performance.now() + Number(option('--minutes', '30')) * 60_000
const folder = inProject('.cache/mutate')
const results = path.join(folder, 'results.jsonl')

requireNode()
await installDependencies()
mkdirSync(folder, { recursive: true })

const known = new Map(
  existsSync(results)
    ? readFileSync(results, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .map((one) => [one.id, one])
    : [],
)
const planned = inOrder(
  Object.entries(TARGETS)
    .filter(([file]) => file.includes(option('--only', '')))
    .flatMap(([file, tests]) => plan(file, tests)),
)
const baselines = new Map()
for (const mutant of planned) {
  if (known.has(mutant.id)) continue
  if (performance.now() > until) break
  const outcome = await tryOut(mutant)
  const { id, file, line, kind, before, text } = mutant
  const result = { id, file, line, kind, before, after: text, outcome }
  known.set(id, result)
  appendFileSync(results, `${JSON.stringify(result)}\n`)
  console.log(`${outcome.padEnd(8)} ${file}:${line} ${kind}: ${short(before)} → ${short(text)}`)
}
report()

async function tryOut(mutant) {
  for (const tests of [mutant.tests, OTHERS]) {
    const limitMs = await limitFor(mutant.file, tests)
    const { code, isLate } = await runTests({ ...mutant, tests }, limitMs)
    if (isLate) return 'too slow'
    if (code !== 0) return 'killed'
  }
  return 'survived'
}

function plan(file, tests) {
  const source = readFileSync(inProject(file), 'utf8')
  return mutantsOf(source).map((mutant) => {
    const { start, end, kind, text } = mutant
    const id = digest([file, source, start, end, text].join('\n'))
    const line = source.slice(0, start).split('\n').length
    return {
      ...mutant,
      id,
      file,
      tests,
      line,
      kind,
      before: source.slice(start, end),
      code: withMutant(source, mutant),
    }
  })
}

/** Mixed, and the same each time. */
function inOrder(mutants) {
  const seed = option('--seed', '1')
  return mutants.toSorted((a, b) => (digest(seed + a.id) < digest(seed + b.id) ? -1 : 1))
}

/** Three times what the tests need without a mutant; they must pass then. */
async function limitFor(file, tests) {
  const key = tests.join()
  if (!baselines.has(key)) {
    const begun = performance.now()
    const code = readFileSync(inProject(file), 'utf8')
    const { code: exit } = await runTests({ file, tests, code }, LIMIT_MS)
    if (exit !== 0) throw new Error(`Without a mutant ${key} fails.`)
    baselines.set(key, 3 * (performance.now() - begun) + 30_000)
  }
  return baselines.get(key)
}

function runTests({ file, tests, code }, limitMs) {
  const mutant = path.join(folder, 'mutant.ts')
  writeFileSync(mutant, code)
  const vitest = inProject('node_modules/vitest/vitest.mjs')
  const args = [
    'run',
    '--config',
    inProject('scripts/lib/mutate.config.ts'),
    '--bail',
    '1',
    '--maxWorkers',
    '1',
    '--reporter',
    'dot',
    ...tests,
  ]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [vitest, ...args], {
      cwd: inProject(),
      stdio: 'ignore',
      // A group of its own: what hangs is ended with its workers.
      detached: true,
      env: { ...process.env, MUTATED_FILE: inProject(file), MUTANT_FILE: mutant },
    })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    }, limitMs)
    child.once('close', (exit) => {
      clearTimeout(timer)
      resolve({ code: exit ?? 1, isLate })
    })
  })
}

function report() {
  const tried = planned.flatMap(({ id }) => known.get(id) ?? [])
  for (const file of Object.keys(TARGETS)) {
    const all = planned.filter((mutant) => mutant.file === file).length
    const own = tried.filter((one) => one.file === file)
    const count = (outcome) => own.filter((one) => one.outcome === outcome).length
    if (all === 0) continue
    console.log(
      `${file}: ${own.length} of ${all} tried, ${count('killed')} killed, ${count('too slow')} too slow, ${count('survived')} survived`,
    )
  }
  for (const { file, line, kind, before, after } of tried.filter(
    ({ outcome }) => outcome === 'survived',
  ))
    console.log(`survived ${file}:${line} ${kind}: ${short(before)} → ${short(after)}`)
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 77)}…` : line
}
