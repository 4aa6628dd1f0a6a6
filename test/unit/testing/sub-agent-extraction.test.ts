import { expect, onTestFinished, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestStorage, inProcessWorker, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const say = (text: string): readonly StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'finish', finishReason: 'stop' },
]
const ask: readonly StreamPart[] = [
  { type: 'tool-call', toolCallId: 'a', toolName: 'ask_expert', input: { prompt: 'How tall?' } },
  { type: 'finish', finishReason: 'tool-calls' },
]

test("a worker that dies while a called agent's answer is made data fails no call", async () => {
  let extractions = 0
  const left: Record<string, (readonly StreamPart[])[]> = {
    boss: [ask, say('Done.')],
    expert: [say('It is 12 m.')],
  }
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream({ messages }, config, { signal }) {
      const isData = JSON.stringify(messages).includes('outcome of this work')
      if (isData && ++extractions === 1)
        await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      const turn = isData ? say('{"metres":12}') : (left[config.model]?.shift() ?? say('More.'))
      for (const part of turn) yield [part]
    },
  }
  const make = inProcessWorker({ storage: createTestStorage(), providers: [provider] })
  const workers: WorkerLike[] = []
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
  const boss = createAgent({
    model: { provider: 'listed', model: 'boss' },
    tools: [tool],
    ...given,
  })
  onTestFinished(async () => {
    await Promise.all([boss.dispose(), expert.dispose()])
    simulateReload()
  })
  const run = boss.run('How tall?')
  await until(() => extractions === 1)
  workers[0]?.terminate?.()
  const { toolCalls } = await run.result
  expect(toolCalls).toMatchObject([
    { status: 'succeeded', output: { value: { ok: true, output: { metres: 12 } } } },
  ])
})
