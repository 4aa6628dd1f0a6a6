import { expect, onTestFinished, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'

const say = (text: string): readonly StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'finish', finishReason: 'stop' },
]
const ask: readonly StreamPart[] = [
  { type: 'tool-call', toolCallId: 'a', toolName: 'ask_expert', input: { prompt: 'How tall?' } },
  { type: 'finish', finishReason: 'tool-calls' },
]

/** A run whose call's answer becomes data by extractions; the first `deaths` of them kill their worker. */
function boss(deaths: number) {
  let extractions = 0
  const workers: WorkerLike[] = []
  const left: Record<string, (readonly StreamPart[])[]> = {
    boss: [ask, say('Done.')],
    expert: [say('It is 12 m.')],
  }
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }, config) {
      if (JSON.stringify(messages).includes('outcome of this work')) {
        extractions += 1
        // A model in the worker may run out of memory.
        if (extractions <= deaths) {
          workers.at(-1)?.terminate?.()
          await new Promise(() => undefined)
        }
        for (const part of say('{"metres":12}')) yield [part]
        return
      }
      for (const part of left[config.model]?.shift() ?? say('More.')) yield [part]
    },
  }
  const make = inProcessWorker({ storage: createTestStorage(), providers: [provider] })
  const worker = (): WorkerLike => {
    const made = make()
    workers.push(made)
    return made
  }
  const given = { worker, heartbeatMs: 50 }
  const expert = createAgent({ model: { provider: 'listed', model: 'expert' }, ...given })
  const output = {
    type: 'object',
    properties: { metres: { type: 'number' } },
    required: ['metres'],
  } as const
  const tool = expert.asTool({ name: 'ask_expert', description: 'Knows.', output })
  const agent = createAgent({
    model: { provider: 'listed', model: 'boss' },
    tools: [tool],
    ...given,
  })
  onTestFinished(async () => {
    await Promise.all([agent.dispose(), expert.dispose()])
    simulateReload()
  })
  return { result: agent.run('How tall?').result, extractions: () => extractions }
}

test("when a worker dies during a called agent's extraction, that is tried once more", async () => {
  const { result, extractions } = boss(1)
  const { outcome, toolCalls } = await result
  expect(outcome).toBe('completed')
  expect(toolCalls).toMatchObject([
    { status: 'succeeded', output: { value: { ok: true, output: { metres: 12 } } } },
  ])
  expect(extractions()).toBe(2)
})

test("when a called agent's extraction kills its worker twice, the call fails, and isn't tried for ever", async () => {
  const { result, extractions } = boss(Infinity)
  const { outcome, toolCalls } = await result
  expect(outcome).toBe('completed')
  expect(toolCalls).toMatchObject([{ status: 'failed' }])
  expect(extractions()).toBe(2)
})
