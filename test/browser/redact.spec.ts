import type { Page } from '@playwright/test'
import { dumpStorage } from './support/dump-storage.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

const SECRET = '4111-1111-1111-1111'

function ask(page: Page, baseURL: string, secret: string) {
  return page.evaluate(
    async ({ url, word }) => {
      const { createAgent, defineTool } = window.offstage
      const agent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL: url },
        tools: [
          defineTool({
            name: 'pay',
            description: 'Pays.',
            jsonSchema: { type: 'object', properties: { card: { type: 'string' } } },
            execute: () => `Paid with ${word}.`,
          }),
        ],
        redact: (fact) => JSON.parse(JSON.stringify(fact).replaceAll(word, '[card]')),
      })
      const shown: string[] = []
      const chat = agent.conversation('shop')
      chat.subscribe(() => undefined)
      const run = chat.send(`My card is ${word}`)
      for await (const event of run) if (event.type === 'text-delta') shown.push(event.delta)
      const result = await run.result
      await agent.dispose()
      return { result, shown: shown.join('') }
    },
    { url: baseURL, word: secret },
  )
}

test(
  'redacted text is in no row, and not shown after a reload',
  MORE,
  async ({ openPage, model }) => {
    const input = { card: SECRET }
    model.enqueue(callTools([{ id: 'p', name: 'pay', input }]), say(`Charged ${SECRET}.`))
    const page = await openPage()
    const { result, shown } = await ask(page, model.baseURL, SECRET)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Charged [card].' })
    // While it was written it was not stored yet.
    expect(shown).toBe(`Charged ${SECRET}.`)
    const kept = await page.evaluate(dumpStorage)
    expect(kept).toContain('Charged [card].')
    expect(kept).not.toContain(SECRET)
    expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(SECRET)
    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    const titles = await page.evaluate(async () => {
      const { createAgent } = window.offstage
      const agent = createAgent({ model: { provider: 'ollama', model: 'none' } })
      const list = await agent.conversations.list()
      await agent.dispose()
      return list.map(({ title }) => title)
    })
    expect(titles).toEqual(['My card is [card]'])
  },
)
