import { describe, expect, it } from 'vitest'
import { view } from '../../../src/conversation/view.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import { FORMAT, type Fact, type Row } from '../../../src/protocol/fact.ts'
import { NOTHING_SEEN, see } from './support.ts'

const runId = 'run1'

function rowsOf(...facts: Fact[]): Row[] {
  return facts.map((fact, index) => ({
    ...fact,
    runId,
    seq: index + 1,
    at: 1,
    appendId: `a${index}`,
    conversationId: 'c1',
    format: FORMAT,
  }))
}

/** Ids that a model's server gave. */
describe.each(['constructor', '__proto__', 'toString'])('a call with the id %s', (toolCallId) => {
  const path = [toolCallId]
  const by = { definition: 'd', replayable: true, reconcilable: false }
  const message = { id: 'm1', parts: [{ type: 'text', text: 'hello' }] } as const
  const rows = rowsOf(
    { type: 'run-started', message, limits: { maxSteps: 9, retries: 1 }, parentId: null },
    {
      type: 'model-output',
      step: 1,
      attempt: 1,
      parentId: 'm1',
      message: {
        role: 'assistant',
        id: 'm2',
        parts: [{ type: 'tool-call', toolCallId, toolName: 'look', input: {} }],
      },
      toolsId: 'm3',
      calls: [{ toolCallId, known: true, parallel: false }],
      usage: {},
      finishReason: 'tool-calls',
      toolMode: 'native',
    },
    { type: 'call-started', path, executionId: 'e', by, repeats: false },
    { type: 'call-settled', path, status: 'succeeded', output: { type: 'text', value: 'x' } },
  )
  const executing = rows.slice(0, 3).reduce<typeof NOTHING_SEEN>(see, NOTHING_SEEN)
  const callOf = ({ state, live }: typeof NOTHING_SEEN) => view(state, live).messages[1]?.calls?.[0]

  it('shows no progress before there is any', () => {
    expect(callOf(executing)).toMatchObject({ toolCallId, status: 'executing' })
    expect(callOf(executing)).not.toHaveProperty('progress')
  })

  it('shows its progress until it has ended', () => {
    const progress: Delta = { type: 'tool-progress', runId, path, progress: 0.5 }
    const reported = see(executing, progress)
    expect(callOf(reported)).toMatchObject({ progress: 0.5 })
    const settled = rows.slice(3).reduce<typeof NOTHING_SEEN>(see, reported)
    expect(callOf(settled)).not.toHaveProperty('progress')
    expect(Object.keys(settled.live.progress)).toEqual([])
  })
})
