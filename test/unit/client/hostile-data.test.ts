import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defineTool, OffstageError, type Agent, type Tool } from '../../../src/index.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { createTestAgent, type TestAgentOptions } from '../../../src/testing/index.ts'

const UNSAFE = [
  '{"a":1,"__proto__":{"admin":true}}',
  '{"a":{"b":[{"__proto__":1}]}}',
  '{"a":{"constructor":{"prototype":{"admin":true}}}}',
]

function agentWith(
  tools: readonly Tool[],
  input: JsonValue,
  options: Partial<TestAgentOptions> = {},
): Agent {
  const agent = createTestAgent({
    tools,
    script: { steps: [{ toolCalls: [{ toolName: 'merge', input }] }, { text: 'Done.' }] },
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return agent
}

const merge = (execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  name: 'merge',
  description: 'Merges settings.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: true },
  execute,
  ...more,
})

describe.each(UNSAFE)('the input %s', (json) => {
  const input = JSON.parse(json) as JsonValue

  it('never reaches a function, and the model gets the reason', async () => {
    const execute = vi.fn()
    const agent = agentWith([merge(execute)], input)
    const { toolCalls } = await agent.run('Go').result
    expect(toolCalls).toMatchObject([
      {
        status: 'invalid',
        output: { code: 'invalid_params', message: expect.stringMatching(/no allowed key/) },
      },
    ])
    expect(execute).not.toHaveBeenCalled()
  })

  it("is refused in an edited call and in a hook's change", async () => {
    const execute = vi.fn()
    const asked = agentWith([merge(execute, { needsApproval: true })], { fine: 1 })
    const run = asked.run('Go')
    const refusals: unknown[] = []
    for await (const event of run)
      if (event.type === 'tool-approval-request') {
        await asked.approve(event, { input }).catch((error: unknown) => refusals.push(error))
        await asked.deny(event)
      }
    expect(refusals).toMatchObject([{ code: 'invalid-input' }])
    const hooked = agentWith([merge(execute)], { fine: 1 }, { beforeToolCall: () => ({ input }) })
    expect((await hooked.run('Go').result).toolCalls).toMatchObject([{ status: 'invalid' }])
    expect(execute).not.toHaveBeenCalled()
  })

  it('is refused in a composite tool’s call', async () => {
    const execute = vi.fn()
    const both = defineTool({
      name: 'both',
      description: 'Both.',
      run: async (_input, { call }) =>
        call('merge', input).catch((error: unknown) => String(error)),
    })
    const steps = [{ toolCalls: [{ toolName: 'both', input: {} }] }, { text: 'Done.' }]
    const agent = agentWith([merge(execute), both as never], {}, { script: { steps } })
    await agent.run('Go').result
    expect(execute).not.toHaveBeenCalled()
  })
})

describe('a schema', () => {
  const cyclic: Record<string, unknown> = { type: 'object' }
  cyclic['properties'] = { self: cyclic }
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 10_000; depth++) deep = { type: 'array', items: deep }
  const throwing = {
    type: 'object',
    get properties(): never {
      throw new Error('no')
    },
  }

  it.each<[string, object]>([
    ['holds itself', cyclic],
    ['is 10 000 levels deep', { type: 'object', properties: { deep } }],
    ['throws when it is read', throwing],
    ['holds a big integer', { type: 'object', properties: { n: { const: 10n } } }],
  ])('is a typed error when it %s', async (_, inputSchema) => {
    const tool = merge(() => 1, { inputSchema: inputSchema as never })
    expect(codeOf(() => defineTool(tool))).toBe('schema-invalid')
    const agent = agentWith([], {})
    await expect(agent.extract({ schema: inputSchema, input: 'x' } as never)).rejects.toMatchObject(
      {
        code: 'schema-invalid',
      },
    )
  })

  it('is copied when the tool is registered', async () => {
    const properties: Record<string, object> = { a: { type: 'string' } }
    const execute = vi.fn()
    const agent = agentWith([merge(execute, { inputSchema: { type: 'object', properties } })], {
      a: 1,
    })
    properties['a'] = { type: 'number' }
    expect((await agent.run('Go').result).toolCalls).toMatchObject([{ status: 'invalid' }])
  })
})

describe('a result', () => {
  const cyclic: Record<string, unknown> = { a: 1 }
  cyclic['self'] = cyclic
  let deep: unknown = 1
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  const throwing = {
    get secret(): never {
      throw new Error('no')
    },
  }

  it.each<[string, unknown, object]>([
    ['holds itself', cyclic, { status: 'succeeded' }],
    ['is nested too deep', deep, { status: 'failed' }],
    ['throws when it is read', throwing, { status: 'failed' }],
    ['is a big integer', { n: 10n }, { status: 'succeeded' }],
    ['is huge', 'x'.repeat(5_000_000), { status: 'succeeded' }],
    ['is a proxy that refuses all', refusing(), { status: 'failed' }],
  ])('ends its call when it %s, and the run continues', async (_, result, expected) => {
    const { outcome, toolCalls } = await agentWith([merge(() => result)], {}).run('Go').result
    expect(outcome).toBe('completed')
    expect(toolCalls).toMatchObject([expected])
  })
})

function refusing(): object {
  const refuse = (): never => {
    throw new Error('refused')
  }
  return new Proxy(
    {},
    {
      get: (_target, key) => (key === 'then' ? undefined : refuse()),
      has: refuse,
      ownKeys: refuse,
    },
  )
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (thrown) {
    return OffstageError.is(thrown) ? thrown.code : String(thrown)
  }
}
