import { beforeAll, describe, expect, test } from 'vitest'
import type { RunEventBody } from '../../src/protocol/event.ts'
import type { FactType } from '../../src/protocol/fact.ts'
import type { RunOutcome } from '../../src/protocol/run.ts'
import { MORE } from '../../scripts/lib/more.mjs'
import { eachNth } from '../unit/more.ts'
import { comparable, type Pair } from './compared/comparable.ts'
import { differences } from './compared/differences.ts'
import { expectStoredIsShown } from './compared/expect-shown.ts'
import { readFamily, writeFamily, type Fixture } from './fixture.ts'
import { record, type Scenario } from './record.ts'
import type { Recording } from './recording.ts'
import { families } from './scenarios/index.ts'

// Reading a file takes real time, which these worlds don't have.
beforeAll(() =>
  Promise.all([
    import('../../src/client/execution/file-output.ts'),
    import('../../src/client/features/read-history.ts'),
    import('../../src/client/tools/tool-names.ts'),
    import('../../src/providers/anthropic/define-messages.ts'),
    import('../../src/providers/core/request-form.ts'),
    import('../../src/providers/core/form-adapter.ts'),
    import('../../src/providers/openai/define-chat.ts'),
    import('../../src/providers/scripted.ts'),
  ]),
)

/** `RECORD=1 npx vitest run test/recorded` adds the scenarios that were never recorded to the fixtures. */
const isRecording = process.env['RECORD'] !== undefined

/**
 * In how many played runs each of them is, at least. A new one is missing here until it is played; `request` is asked for
 * by an option that no scenario has.
 */
const EVENTS: Record<Exclude<RunEventBody['type'], 'request'>, number> = {
  'run-start': 400,
  'run-snapshot': 80,
  'run-paused': 25,
  'run-continued': 15,
  'message-queued': 5,
  'message-delivered': 4,
  'message-withdrawn': 1,
  'message-returned': 1,
  'answer-rejected': 1,
  'answer-reflected': 2,
  'step-start': 400,
  'text-start': 400,
  'text-delta': 400,
  'text-end': 400,
  'reasoning-start': 100,
  'reasoning-delta': 100,
  'reasoning-end': 80,
  'tool-input-start': 20,
  'tool-input-delta': 20,
  'tool-input-end': 20,
  file: 1,
  'tool-call': 300,
  'tool-approval-request': 60,
  'tool-approval-response': 40,
  'tool-execution-start': 300,
  'tool-progress': 10,
  'tool-result': 300,
  'tool-unavailable': 3,
  'tool-interrupted': 6,
  'tool-suspended': 3,
  question: 6,
  'step-reset': 20,
  'step-end': 400,
  retry: 30,
  warning: 5,
  raw: 3,
  'run-end': 500,
}

/** Facts that no scenario writes: they are newer than the recordings, or no run writes them. */
type Unwritten =
  | 'call-proposed'
  | 'step-outcome'
  | 'child-started'
  | 'child-usage'
  | 'undo-started'
  | 'undo-settled'
  | 'renamed'
  | 'row-set-aside'
  | 'run-resumed'
  | 'results-cleared'
  | 'compacted'
  | 'skill-activated'
  | 'skill-dropped'
  | 'plan-changed'
  | 'descriptions-changed'
  | 'memory-retrieved'
  | 'consent-given'
  | 'consent-revoked'

/** In how many conversations. */
const FACTS: Record<Exclude<FactType, Unwritten>, number> = {
  'run-started': 400,
  'step-started': 400,
  'attempt-failed': 14,
  'model-output': 350,
  'step-cut': 14,
  'answer-rejected': 1,
  'answer-reflected': 2,
  'approval-requested': 55,
  'approval-answered': 40,
  'question-asked': 6,
  'question-answered': 5,
  'output-requested': 8,
  'call-started': 250,
  'call-withdrawn': 4,
  'call-suspended': 3,
  'call-interrupted': 6,
  'interruption-resolved': 3,
  'call-settled': 290,
  'message-queued': 5,
  'message-withdrawn': 2,
  'message-delivered': 4,
  'message-amended': 1,
  'run-paused': 3,
  'run-continued': 2,
  'run-ended': 400,
  'head-moved': 1,
  'history-cleared': 3,
  'messages-imported': 15,
  'context-tainted': 15,
}

const OUTCOMES: Record<Exclude<RunOutcome['outcome'], 'limit'>, number> = {
  completed: 300,
  'max-steps': 3,
  aborted: 80,
  failed: 50,
  waiting: 8,
}

const all = families.flatMap(({ family, scenarios }) =>
  scenarios.map((scenario) => ({ family, scenario, key: `${family}: ${scenario.name}` })),
)
/** Each scenario is played once, by the first test that asks for it. */
const recordings = new Map<Scenario, Promise<Recording>>()

function played(scenario: Scenario): Promise<Recording> {
  const recording = recordings.get(scenario) ?? record(scenario)
  recordings.set(scenario, recording)
  return recording
}

async function allPlayed(): Promise<Recording[]> {
  const ended: Recording[] = []
  for (const { scenario } of all) ended.push(await played(scenario))
  return ended
}

describe.each(families)('recorded runs: $family', ({ family, scenarios }) => {
  if (isRecording) {
    test('are recorded', async () => {
      const known = readFamily(family)
      if (known.size === scenarios.length) return
      const fixtures = new Map<string, Fixture>()
      for (const scenario of scenarios) {
        const { name } = scenario
        if (fixtures.has(name)) throw new Error(`Two are named ${name}.`)
        fixtures.set(name, known.get(name) ?? { format: 2, ...(await record(scenario)) })
      }
      writeFamily(family, fixtures)
    })
  }
  test('exist, and no others do', () => {
    expect([...readFamily(family).keys()]).toEqual(scenarios.map(({ name }) => name))
  })
  test.each(scenarios)('$name', async (scenario) => {
    const fixture = readFamily(family).get(scenario.name)
    if (!fixture) throw new Error('It was never recorded.')
    const now = await played(scenario)
    if ('format' in fixture) return expect(settled({ format: 2, ...now })).toEqual(settled(fixture))
    const compared = comparable({ scenario: scenario.name, old: fixture, now })
    expect(compared.now).toEqual(compared.old)
    expectStoredIsShown(scenario.name, now)
  })
})

/** How many snapshots come before the last one depends on who is notified when. */
function settled({ snapshots, ...rest }: Extract<Fixture, { readonly format: 2 }>): object {
  const last = Object.entries(snapshots).map(([view, states]) => [view, states.at(-1)])
  return { ...rest, snapshots: Object.fromEntries(last) }
}

/** In how many of the lists each word is. */
function counts(lists: readonly (readonly string[])[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const list of lists) {
    for (const word of new Set(list)) found[word] = (found[word] ?? 0) + 1
  }
  return found
}

function expectAtLeast(found: Record<string, number>, least: Record<string, number>): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(least).sort())
  const short = Object.entries(least).filter(([word, count]) => (found[word] ?? 0) < count)
  expect(short.map(([word]) => `${word}: ${found[word]}`)).toEqual([])
}

describe('the scenarios', { timeout: 600_000 }, () => {
  const runs = async (): Promise<Recording['runs']> =>
    (await allPlayed()).flatMap((recording) => recording.runs)

  test('amount to hundreds of runs', async () => {
    expect((await runs()).length).toBeGreaterThan(500)
  })

  test('contain each type of event', async () => {
    const types = (await runs()).map(({ events }) => events.map(({ type }) => type))
    expectAtLeast(counts(types), EVENTS)
  })

  test('contain each type of stored fact', async () => {
    const types = (await allPlayed())
      .flatMap(({ conversations }) => Object.values(conversations))
      .map(({ journal }) => journal.map(({ type }) => type))
    expectAtLeast(counts(types), FACTS)
  })

  test('end in every way', async () => {
    const outcomes = (await runs()).map(({ result }) => (result ? [result.outcome] : []))
    expectAtLeast(counts(outcomes), OUTCOMES)
  })

  test('take the same course on each run', async () => {
    for (const { scenario, key } of eachNth(24, all)) {
      const [again, first] = [await record(scenario), await played(scenario)]
      expect(JSON.stringify(again), key).toBe(JSON.stringify(first))
    }
  })
})

// A difference that nothing needs any more hides nothing, so `npm run test:more` finds it early enough.
describe.runIf(MORE)('intended differences from recordings', { timeout: 600_000 }, () => {
  const pairs = async (): Promise<Pair[]> => {
    const found: Pair[] = []
    for (const { family, scenario } of all) {
      const old = readFamily(family).get(scenario.name)
      if (old && !('format' in old))
        found.push({ scenario: scenario.name, old, now: await played(scenario) })
    }
    return found
  }

  test.each(differences)('"$name" is needed', async ({ name }) => {
    const isNeeded = (await pairs()).some((pair) => {
      const { old, now } = comparable(pair, name)
      return JSON.stringify(sorted(old)) !== JSON.stringify(sorted(now))
    })
    expect(isNeeded).toBe(true)
  })
})

/** The same data with its keys in order, so that it can be compared as text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}
