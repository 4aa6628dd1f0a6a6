import { expect, test } from 'vitest'
import type { RunEventBody } from '../../src/protocol/event.ts'
import type { JournalBody } from '../../src/protocol/journal.ts'
import type { RunOutcome } from '../../src/protocol/run.ts'
import { readFamily } from './fixture.ts'
import { families } from './scenarios/index.ts'

/** In how many recorded runs each of them is, at least. A new one is missing here until it is recorded. */
const EVENTS: Record<RunEventBody['type'], number> = {
  'run-start': 400,
  'run-snapshot': 80,
  'run-parked': 25,
  'run-continued': 15,
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
  'tool-call': 300,
  'tool-approval-request': 60,
  'tool-approval-response': 40,
  'tool-execution-start': 300,
  'tool-progress': 10,
  'tool-result': 300,
  'tool-unavailable': 3,
  'tool-interrupted': 6,
  question: 6,
  'step-reset': 20,
  'step-end': 400,
  retry: 30,
  warning: 5,
  raw: 3,
  'run-end': 500,
}

/** In how many recorded conversations. */
const FACTS: Record<JournalBody['type'], number> = {
  'run-started': 400,
  'step-started': 400,
  'attempt-failed': 14,
  'model-output': 350,
  'approval-requested': 55,
  'approval-answered': 40,
  'question-asked': 6,
  'question-answered': 5,
  'output-requested': 8,
  'call-started': 250,
  'call-withdrawn': 4,
  'call-interrupted': 6,
  'call-settled': 290,
  'run-parked': 3,
  'run-continued': 2,
  'run-ended': 400,
  'history-cleared': 3,
  'messages-imported': 15,
}

const OUTCOMES: Record<RunOutcome['outcome'], number> = {
  completed: 300,
  'max-steps': 3,
  aborted: 80,
  failed: 50,
  waiting: 8,
}

const recordings = families.flatMap(({ family }) => [...readFamily(family).values()])
const runs = recordings.flatMap((recording) => recording.runs)
const conversations = recordings.flatMap((recording) => Object.values(recording.conversations))

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

test('there are hundreds of recorded runs', () => {
  expect(runs.length).toBeGreaterThan(500)
})

test('each type of event is in some of them', () => {
  const types = runs.map(({ events }) => events.map(({ type }) => type))
  expectAtLeast(counts(types), EVENTS)
})

test('each type of fact is in some of their journals', () => {
  const types = conversations.map(({ journal }) => journal.map(({ type }) => type))
  expectAtLeast(counts(types), FACTS)
})

test('they end in every way', () => {
  const outcomes = runs.map(({ result }) => (result ? [result.outcome] : []))
  expectAtLeast(counts(outcomes), OUTCOMES)
})
