import { say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

test('conversations are exported, imported into an empty database, and gone after a wipe', async ({
  openPage,
  model,
}) => {
  for (const text of ['One.', 'Two.', 'Three.']) model.enqueue(say(text))
  const page = await openPage()
  const seen = await page.evaluate(async (baseURL) => {
    const { createAgent } = window.offstage
    const agentOf = (name: string) =>
      createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL },
        storage: { name },
      })
    const [from, to] = [agentOf('from'), agentOf('to')]
    await from.run('Say one', { conversationId: 'a' }).result
    await from.run('Say two', { conversationId: 'b' }).result
    const picture = { type: 'file', mediaType: 'image/png', data: 'A'.repeat(3_000_000) } as const
    await from.run([{ type: 'text', text: 'Look' }, picture], { conversationId: 'b' }).result
    const file = await new Response(await from.conversations.export()).blob()
    const report = await to.conversations.import(file)
    const again = await new Response(await to.conversations.export()).text()
    const twice = await to.conversations.import(await from.conversations.export('b'))
    const shown = (await to.conversations.get('b'))?.messages.map(({ role }) => role)
    const counts = [await to.conversations.wipe(), (await to.conversations.list()).length]
    return {
      report,
      shown,
      counts,
      twice,
      isSame: again === (await file.text()),
      size: file.size,
    }
  }, model.baseURL)
  expect(seen.report).toEqual({
    imported: [
      { from: 'a', to: 'a' },
      { from: 'b', to: 'b' },
    ],
    refused: [],
  })
  expect(seen.isSame).toBe(true)
  expect(seen.size).toBeGreaterThan(3_000_000)
  expect(seen.shown).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(seen.twice.imported).toMatchObject([{ from: 'b', to: expect.not.stringMatching(/^b$/) }])
  expect(seen.counts).toEqual([3, 0])
})
