import { expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

/** A model that answers nothing until it may, and then whoever asks. */
function slowModel() {
  let answers = false
  let asked = 0
  const provider: StreamProviderDefinition = {
    id: 'slow',
    async *stream(_request, _config, { signal }) {
      asked++
      if (!answers)
        await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
      if (signal?.aborted) return
      yield [
        { type: 'text-delta', delta: 'Answered.' },
        { type: 'finish', finishReason: 'stop' },
      ]
    },
  }
  return {
    provider,
    asked: () => asked,
    answer: () => {
      answers = true
    },
  }
}

test('repeated dispose and remount asks the model each time and counts as no crash', async () => {
  const model = slowModel()
  const testStorage = createTestStorage()
  const mount = (): Agent => {
    const agent = createTestAgent({
      model: { provider: 'slow', model: 'm' },
      providers: [model.provider],
      testStorage,
    })
    onTestFinished(() => agent.dispose())
    return agent
  }
  let agent = mount()
  agent.run('Hello', { conversationId: 'c' })
  for (let mounts = 1; mounts <= 5; mounts++) {
    await until(() => model.asked() === mounts)
    await agent.dispose()
    if (mounts === 5) model.answer()
    agent = mount()
    const run = await agent.resume('c')
    expect(run).not.toBeNull()
    if (mounts === 5)
      expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Answered.' })
  }
  expect(model.asked()).toBe(6)
})
