import { describe, expect, it } from 'vitest'
import { pendingToolCalls } from '../../../src/providers/pending-tool-calls.ts'

const ids = (messages: readonly unknown[]) => pendingToolCalls(messages).map((c) => c.toolCallId)

describe('pendingToolCalls', () => {
  it('reads Offstage messages', () => {
    const messages = [
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'y', input: {} },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', toolCallId: 'a', toolName: 'x', output: {} }],
      },
    ]
    expect(pendingToolCalls(messages)).toEqual([{ toolCallId: 'b', toolName: 'y' }])
  })

  it('reads OpenAI messages', () => {
    const messages = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'x', arguments: '{}' } },
          { id: 'call_2', type: 'function', function: { name: 'y', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'done' },
    ]
    expect(pendingToolCalls(messages)).toEqual([{ toolCallId: 'call_1', toolName: 'x' }])
  })

  it('reads Anthropic messages', () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'let me' },
          { type: 'tool_use', id: 'toolu_1', name: 'x', input: {} },
          { type: 'tool_use', id: 'toolu_2', name: 'y', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
    ]
    expect(pendingToolCalls(messages)).toEqual([{ toolCallId: 'toolu_2', toolName: 'y' }])
  })

  it('F13 counts a reused id once for each call', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'x' } }] }
    const result = { role: 'tool', tool_call_id: 'call_0', content: '' }
    expect(ids([call, result, call])).toEqual(['call_0'])
    expect(ids([call, result, call, result])).toEqual([])
  })

  it("skips what it can't read", () => {
    expect(ids([null, 3, 'x', {}, { content: 'text' }, { tool_calls: [null, {}] }])).toEqual([])
    expect(ids([{ role: 'tool', tool_call_id: 'nobody' }])).toEqual([])
  })
})
