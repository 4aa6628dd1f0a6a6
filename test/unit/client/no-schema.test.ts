import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { Tool } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

async function callWith(input: JsonValue, tool: Partial<Tool> = {}) {
  const got: unknown[] = []
  const agent = createTestAgent({
    script: { steps: [{ toolCalls: [{ toolName: 'close', input }] }, { text: 'done' }] },
    tools: [
      { name: 'close', description: 'Closes.', execute: (value) => void got.push(value), ...tool },
    ],
  })
  const { toolCalls } = await agent.run('go').result
  await agent.dispose()
  return { got, call: toolCalls[0] }
}

describe('a tool without a schema', () => {
  it('declares that it takes no parameters', async () => {
    for (const tool of [{}, { inputSchema: {} }]) {
      const { got, call } = await callWith({ force: true }, tool)
      expect(got).toEqual([])
      expect(call).toMatchObject({ status: 'invalid', output: { code: 'invalid_params' } })
      expect(JSON.stringify(call?.output)).toContain("unknown parameter 'force'")
      expect(JSON.stringify(call?.output)).toContain('Expected: no parameters.')
    }
  })

  it('runs with no input, an empty one, or null', async () => {
    for (const input of [{}, null]) {
      const { got, call } = await callWith(input)
      expect(call?.status).toBe('succeeded')
      expect(got).toEqual([{}])
    }
  })

  it('takes any input when its schema is open', async () => {
    const { got } = await callWith({ force: true }, { inputSchema: { type: 'object' } })
    expect(got).toEqual([{ force: true }])
  })
})
