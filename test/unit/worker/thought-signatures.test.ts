import { afterEach, expect, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const signed = { extra_content: { google: { thought_signature: 'A==' } } }

/** Gemini's answers: a call, then words. */
function serve(): { readonly sent: string[] } {
  const sent: string[] = []
  const chunk = (delta: object, finish?: string): string =>
    `data: ${JSON.stringify({ choices: [{ delta, index: 0, ...(finish && { finish_reason: finish }) }] })}\n\n`
  const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' }, ...signed }
  vi.stubGlobal('fetch', async (_url: string, { body }: { readonly body: string }) => {
    sent.push(body)
    const answer =
      sent.length === 1
        ? chunk({ tool_calls: [call] }) + chunk({}, 'stop')
        : chunk({ content: 'Seen.' }, 'stop')
    return new Response(`${answer}data: [DONE]\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  })
  return { sent }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a thought signature is sent back with its call, also after a reload', async () => {
  const { sent } = serve()
  const testStorage = createTestStorage()
  const open = (): Agent =>
    createTestAgent({
      model: { provider: 'gemini', model: 'gemini-3.8-flash', apiKey: 'key-123' },
      testStorage,
      tools: [{ name: 'look', description: 'Looks.', execute: () => 'seen' }],
    })
  const before = open()
  const { result, conversationId } = before.run('x')
  expect(await result).toMatchObject({ outcome: 'completed', text: 'Seen.', steps: 2 })
  await before.dispose()
  const after = open()
  expect(await after.run('y', { conversationId }).result).toMatchObject({ outcome: 'completed' })
  await after.dispose()
  expect(sent).toHaveLength(3)
  for (const body of sent.slice(1)) {
    const { messages }: { readonly messages: readonly object[] } = JSON.parse(body)
    expect(messages).toContainEqual(
      expect.objectContaining({ tool_calls: [expect.objectContaining(signed)] }),
    )
  }
})
