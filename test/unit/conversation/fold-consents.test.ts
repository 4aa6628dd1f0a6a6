import { describe, expect, test } from 'vitest'
import { emptyState, fold, type Fact, FORMAT, type Row } from '../../../src/conversation/index.ts'

const scope = { toolName: 'send', definition: 'd' } as const

function consentsAfter(...facts: (Fact & { readonly runId?: string })[]): string[] {
  const rows = facts.map((fact, index): Row => ({
    runId: 'r',
    ...fact,
    format: FORMAT,
    conversationId: 'c',
    seq: index + 1,
    at: index,
    appendId: 'a',
  }))
  return fold(emptyState('c'), rows).consents.map(({ consentId }) => consentId)
}

const given = (consentId: string, more: object = {}): Fact => ({
  type: 'consent-given',
  consentId,
  scope: { ...scope, within: 'conversation', ...more },
})
const taken: Fact = { type: 'context-tainted', after: null, origin: 'elsewhere' }
const ended: Fact = { type: 'run-ended', end: { outcome: 'completed' } }

describe('the consents in force', () => {
  test.each<[string, (Fact & { readonly runId?: string })[], string[]]>([
    ['are those given', [given('a'), given('b')], ['a', 'b']],
    [
      'lack the revoked ones',
      [given('a'), given('b'), { type: 'consent-revoked', consentId: 'a' }],
      ['b'],
    ],
    ['of the run end with it', [given('a', { within: 'run' }), given('b'), ended], ['b']],
    [
      'of a run outlast others',
      [given('a', { within: 'run' }), { ...ended, runId: 'other' }],
      ['a'],
    ],
    [
      'for effects outside end with words of others',
      [given('a', { openWorld: true }), given('b'), taken],
      ['b'],
    ],
    ['that came after those stay', [taken, given('a', { openWorld: true })], ['a']],
    ['end with the history', [given('a'), { type: 'history-cleared' }], []],
  ])('%s', (_name, facts, expected) => {
    expect(consentsAfter(...facts)).toEqual(expected)
  })
})
