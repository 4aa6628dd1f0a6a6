import { describe, expect, it } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { UNOPENED_REASONING } from '../../../src/providers/unopened-reasoning.ts'
import { TurnReader, type TurnDelta } from '../../../src/worker/model/turn-reader.ts'

function read(parts: readonly StreamPart[], used: readonly string[] = []) {
  const events: TurnDelta[] = []
  let ids = 0
  const reader = new TurnReader({
    toolMode: 'native',
    tools: [],
    partPrefix: '1.1.',
    emit: (event) => events.push(event),
    raw: false,
    newId: () => `fresh${++ids}`,
    isUsedId: (id) => used.includes(id),
  })
  for (const part of parts) reader.read(part)
  return { reader, turn: reader.end(), events }
}

const finish: StreamPart = { type: 'finish', finishReason: 'stop' }
const call = (toolCallId: string): StreamPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 't',
  input: {},
})

describe('TurnReader', () => {
  it('collects text and reasoning in order', () => {
    const { turn, events } = read([
      { type: 'reasoning-delta', delta: 'hm' },
      { type: 'text-delta', delta: 'a' },
      { type: 'text-delta', delta: 'b' },
      call('c'),
      finish,
    ])
    expect(turn?.parts.map((part) => part.type)).toEqual(['reasoning', 'text', 'tool-call'])
    expect(turn?.finishReason).toBe('tool-calls')
    expect(events.map((event) => event.type)).toEqual([
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
    ])
  })

  it('returns no turn without a proof of its end', () => {
    expect(read([{ type: 'text-delta', delta: 'a' }, call('c')]).turn).toBeNull()
    const error = { code: 'network', message: '', retryable: true } as const
    expect(read([finish, { type: 'error', error }]).turn).toBeNull()
  })

  it("replaces ids that are already used, and keeps the provider's id", () => {
    const { turn } = read([call('old'), call('x'), call('x'), call(''), finish], ['old'])
    expect(turn?.parts).toMatchObject([
      { toolCallId: 'fresh1', providerCallId: 'old' },
      { toolCallId: 'x' },
      { toolCallId: 'fresh2', providerCallId: 'x' },
      { toolCallId: 'fresh3' },
    ])
    expect(turn?.parts[1]).not.toHaveProperty('providerCallId')
  })

  it('uses one internal id for a call from its first delta', () => {
    const { turn, events } = read(
      [
        { type: 'tool-input-start', toolCallId: 'old', toolName: 't' },
        { type: 'tool-input-delta', toolCallId: 'old', delta: '{}' },
        call('old'),
        finish,
      ],
      ['old'],
    )
    expect(events).toEqual([
      { type: 'tool-input-start', toolCallId: 'fresh1', toolName: 't' },
      { type: 'tool-input-delta', toolCallId: 'fresh1', delta: '{}' },
      { type: 'tool-input-end', toolCallId: 'fresh1' },
    ])
    expect(turn?.parts[0]).toMatchObject({ toolCallId: 'fresh1', providerCallId: 'old' })
  })

  it('withdraws text that turns out to have been reasoning', () => {
    const { turn, events } = read([
      { type: 'text-delta', delta: 'let me think' },
      UNOPENED_REASONING,
      { type: 'text-delta', delta: 'Hello.' },
      finish,
    ])
    expect(turn?.parts).toEqual([
      { type: 'reasoning', text: 'let me think' },
      { type: 'text', text: 'Hello.' },
    ])
    expect(events.map((event) => event.type)).toContain('step-reset')
  })
})
