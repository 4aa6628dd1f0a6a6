import { expect, onTestFinished, test, vi } from 'vitest'
import type { Agent, Tool } from '../../../src/index.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

/** The results in a request, as the model reads them. */
const resultsIn = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])),
  )

interface Reloaded {
  readonly more?: Partial<Tool>
  /** Tools of the page after the reload. Default: the same. */
  readonly later?: (pay: Tool) => readonly Tool[]
  readonly waitForToolsMs?: number
}

/** A run whose call was running when the page was reloaded, and that asks the person about it. */
async function askedAfterReload({
  more,
  later = (pay) => [pay],
  waitForToolsMs = 10_000,
}: Reloaded = {}) {
  const testStorage = createTestStorage()
  const results: unknown[][] = []
  const provider: StreamProviderDefinition = {
    id: 'paying',
    async *stream({ messages }) {
      const found = resultsIn(messages)
      if (found.length > 0) {
        results.push(found)
        yield [{ type: 'text-delta', delta: 'Done.' }]
        yield [{ type: 'finish', finishReason: 'stop' }]
      } else {
        yield [{ type: 'tool-call', toolCallId: 'p', toolName: 'pay', input: { sum: 12 } }]
        yield [{ type: 'finish', finishReason: 'tool-calls' }]
      }
    },
  }
  const execute = vi.fn<(input: unknown, context: { idempotencyKey: string }) => unknown>()
  const pay: Tool = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
    execute,
    ...more,
  }
  const open = (tools: readonly Tool[]): Agent => {
    const agent = createTestAgent({
      model: { provider: 'paying', model: 'm' },
      providers: [provider],
      testStorage,
      tools,
    })
    onTestFinished(() => agent.dispose())
    return agent
  }
  execute.mockReturnValueOnce(new Promise(() => undefined))
  open([pay]).run('Pay', { conversationId: 'talk' })
  await until(() => execute.mock.calls.length === 1)
  simulateReload()
  execute.mockImplementation(() => 'Paid.')
  const agent = open(later(pay))
  const chat = agent.conversation('talk')
  onTestFinished(chat.subscribe(() => undefined))
  const run = await agent.resume(undefined, { interrupted: 'ask', waitForToolsMs })
  if (!run) throw new Error('No run was found.')
  await until(() => chat.getSnapshot().pending.length > 0)
  const [call] = chat.getSnapshot().pending
  if (!call) throw new Error('No call is pending.')
  expect(call).toMatchObject({ toolName: 'pay', kind: 'decision' })
  // Nothing happens before the person has answered.
  expect(execute).toHaveBeenCalledTimes(1)
  expect(results).toEqual([])
  return {
    agent,
    run,
    call: { conversationId: 'talk', toolCallId: call.toolCallId },
    execute,
    results,
  }
}

test('an interrupted call that is to run again runs once more, with the same input and key', async () => {
  const { agent, run, call, execute, results } = await askedAfterReload()
  expect(await agent.resolveInterrupted(call, 'run-again')).toBe(true)
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    toolCalls: [{ toolName: 'pay', status: 'succeeded', output: { value: 'Paid.' } }],
  })
  expect(execute).toHaveBeenCalledTimes(2)
  const [[input, before], [inputAgain, after]] = execute.mock.calls as [
    [unknown, { idempotencyKey: string }],
    [unknown, { idempotencyKey: string }],
  ]
  expect(inputAgain).toEqual(input)
  expect(after.idempotencyKey).toBe(before.idempotencyKey)
  expect(results).toMatchObject([[{ type: 'text', value: 'Paid.' }]])
  // The question was answered once and for all.
  expect(await agent.resolveInterrupted(call, 'run-again')).toBe(false)
})

test('an interrupted call that did not happen fails without running, and the model reads why', async () => {
  const { agent, run, call, execute, results } = await askedAfterReload()
  expect(await agent.resolveInterrupted(call, 'did-not-happen')).toBe(true)
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    toolCalls: [{ toolName: 'pay', status: 'failed', output: { type: 'error' } }],
  })
  expect(execute).toHaveBeenCalledTimes(1)
  expect(results).toHaveLength(1)
  expect(JSON.stringify(results[0])).toContain('did not happen')
})

test.each<[string, Reloaded]>([
  ['its tool is gone', { later: () => [], waitForToolsMs: 1 }],
  ['its secret is lost', { more: { secretsIn: () => ['/sum'] } }],
  ['its tool has changed', { later: (pay) => [{ ...pay, description: 'Pays twice.' }] }],
])('an interrupted call that is to run again may have happened if %s', async (_, reloaded) => {
  const { agent, run, call, execute, results } = await askedAfterReload(reloaded)
  expect(await agent.resolveInterrupted(call, 'run-again')).toBe(true)
  expect((await run.result).toolCalls).toMatchObject([{ status: 'interrupted' }])
  expect(execute).toHaveBeenCalledTimes(1)
  expect(JSON.stringify(results)).toContain('may or may not have happened')
})

test('an interrupted call that is to run again may have happened if its run is stopped before', async () => {
  const { agent, run, call } = await askedAfterReload({ later: () => [] })
  expect(await agent.resolveInterrupted(call, 'run-again')).toBe(true)
  run.abort('Enough')
  const chat = agent.conversation('talk')
  const shown = () => chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
  await until(() => shown()[0]?.output !== undefined)
  expect(shown()).toMatchObject([{ status: 'interrupted' }])
})
