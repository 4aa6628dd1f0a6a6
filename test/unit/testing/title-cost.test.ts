import { expect, onTestFinished, test } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

test('a title with a very long run of marks does not block the worker', async () => {
  const provider: StreamProviderDefinition = {
    id: 'titler',
    async *stream() {
      const parts: StreamPart[] = [
        { type: 'text-delta', delta: `Mugs ${'*'.repeat(400_000)} and spoons` },
        { type: 'finish', finishReason: 'stop' },
      ]
      yield parts
    },
  }
  const agent = createTestAgent({
    script: { fallback: [{ text: 'Which colour?' }] },
    providers: [provider],
    titles: { model: { provider: 'titler', model: 'small' } },
  })
  onTestFinished(() => agent.dispose())
  const titled = new Promise<string>((resolve) =>
    agent.on('conversation-titled', ({ title }) => resolve(title)),
  )
  await agent.run('Two mugs', { conversationId: 'c' }).result
  expect(await titled).toBe('Mugs')
}, 60_000)
