import { describe, expect, onTestFinished, test } from 'vitest'
import { defineTool, type AgentOptions } from '../../../src/index.ts'
import { Crc32 } from '../../../src/lib/crc32.ts'
import type { RunLimits } from '../../../src/protocol/run.ts'
import type { ModelConfigData } from '../../../src/protocol/model.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const PRICES = { input: 10, output: 10 }

/** An agent whose model calls a tool for ever; `asked`: how it was asked. */
function tireless(options: Partial<AgentOptions>) {
  const asked: (ModelConfigData['toolChoice'] | 'any')[] = []
  const agent = createTestAgent({
    model: { provider: 'tireless', model: 'x', prices: PRICES },
    providers: [
      {
        id: 'tireless',
        async *stream(_request, { toolChoice }): AsyncGenerator<StreamPart[]> {
          asked.push(toolChoice ?? 'any')
          const n = asked.length
          const usage = { inputTokens: 100, outputTokens: 0 }
          const end = { type: 'finish', finishReason: 'tool-calls' } as const
          const call = { type: 'tool-call', toolCallId: `call-${n}`, toolName: 'look' } as const
          if (toolChoice === 'none' || n > 50)
            yield [
              { type: 'text-delta', delta: 'Enough.' },
              { ...end, finishReason: 'stop' },
            ]
          else yield [{ ...call, input: { n } }, { type: 'usage', usage }, end]
        },
      },
    ],
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        annotations: { readOnly: true },
        jsonSchema: { type: 'object' },
        execute: () => 'seen',
      }),
    ],
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return { agent, asked }
}

/** The file of a conversation whose run used up its steps, with other limits in its row than it had. */
async function forged(change: (limits: RunLimits) => object): Promise<string> {
  const { agent } = tireless({ maxSteps: 1 })
  expect((await agent.run('Go', { conversationId: 'c' }).result).outcome).toBe('max-steps')
  const file = await new Response(await agent.conversations.export()).text()
  const [header = '', ...lines] = file.split('\n').filter(Boolean)
  const digest = new Crc32()
  const changed = lines.map((line) => {
    const { row, end } = JSON.parse(line) as { row?: { type: string; limits: RunLimits }; end?: {} }
    if (end) return JSON.stringify({ end: { ...end, crc32: digest.digits } })
    const isStart = row?.type === 'run-started'
    const text = isStart ? JSON.stringify({ row: { ...row, limits: change(row.limits) } }) : line
    digest.add(new TextEncoder().encode(`${text}\n`))
    return text
  })
  return [header, ...changed, ''].join('\n')
}

describe('a run that continues an imported run', () => {
  test('has no more steps than this agent allows', async () => {
    const file = await forged(() => ({ maxSteps: 1000, retries: 3 }))
    const { agent, asked } = tireless({ maxSteps: 5 })
    expect((await agent.conversations.import(file)).refused).toEqual([])
    const run = await agent.continue('c')
    expect(await run?.result).toMatchObject({ outcome: 'max-steps', steps: 5 })
    expect(asked).toHaveLength(5)
  })

  test.each([-1, 1000])('has no higher cost even if the file has maxSteps %d', async (maxSteps) => {
    const file = await forged(() => ({ maxSteps, retries: 3, steps: 500 }))
    // A step costs 0.001 USD.
    const { agent, asked } = tireless({ maxSteps: 40, limits: { costUSD: 0.003 } })
    await agent.conversations.import(file)
    expect(await (await agent.continue('c'))?.result).toMatchObject({
      outcome: 'limit',
      limit: 'costUSD',
    })
    expect(asked).toEqual(['any', 'any', 'any', 'none'])
    // The next continued run keeps to the limit, too, although the file doesn't contain it.
    await (
      await agent.continue('c')
    )?.result
    expect(asked).toHaveLength(8)
  })

  test('keeps a lower limit from the file', async () => {
    const file = await forged(() => ({ maxSteps: -1, retries: 3, steps: 2 }))
    const { agent, asked } = tireless({ maxSteps: 40 })
    await agent.conversations.import(file)
    expect(await (await agent.continue('c'))?.result).toMatchObject({ limit: 'steps' })
    expect(asked).toEqual(['any', 'any', 'none'])
  })

  test('starts within the limits when an output is supplied', async () => {
    const first = tireless({})
    const handed = await first.agent.run('Go', { conversationId: 'c', maxSteps: 0 }).result
    const [call] = handed.outcome === 'waiting' ? handed.pending : []
    const file = await new Response(await first.agent.conversations.export()).text()
    const { agent, asked } = tireless({ maxSteps: 3 })
    await agent.conversations.import(file)
    const toolCallId = call?.toolCallId ?? expect.fail('no call waits')
    const run = await agent.supplyOutput({ conversationId: 'c', toolCallId }, 'seen')
    // The model gets one turn, as in the file's one-shot run. Its calls then wait for the page.
    expect(await run?.result).toMatchObject({ outcome: 'waiting' })
    expect(asked).toHaveLength(1)
  })
})

test("a run started here continues with its own limits, whatever the agent's are", async () => {
  const { agent, asked } = tireless({ maxSteps: 2 })
  await agent.run('Go', { conversationId: 'c', maxSteps: 4 }).result
  await (
    await agent.continue('c')
  )?.result
  expect(asked).toHaveLength(8)
})

test.each([
  { maxSteps: -2, retries: 3 },
  { maxSteps: 0.5, retries: 3 },
  { maxSteps: 1e300, retries: 3 },
  { maxSteps: 10, retries: -5 },
  { maxSteps: 10, retries: 3, steps: 0 },
  { maxSteps: 10, retries: 3, tokens: -1 },
  { maxSteps: 10, retries: 3, costUSD: 0 },
  { maxSteps: 10, retries: 3, minutes: -1 },
  { maxSteps: 10, retries: 3, maxChildren: 1.5 },
])('a file with the limits %j is refused', async (limits) => {
  const { agent } = tireless({})
  const { refused } = await agent.conversations.import(await forged(() => limits))
  expect(refused).toMatchObject([{ error: { code: 'conversation-broken' } }])
})
