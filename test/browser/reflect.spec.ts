import type { Page } from '@playwright/test'
import type { Agent, Conversation, Run } from '../../src/index.ts'
import { say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

declare global {
  interface Window {
    reflecting: { readonly agent: Agent; readonly chat: Conversation; run: Run | null }
  }
}

/** An agent whose answers another model makes better, and whose conversation is shown. */
function mount(page: Page, baseURL: string): Promise<void> {
  return page.evaluate((url) => {
    const provider = 'openai-compatible'
    const agent = window.offstage.createAgent({
      model: { provider, model: 'mock', baseURL: url },
      reflect: {
        mode: 'replace',
        instructions: 'Is the sum right?',
        model: { provider, model: 'judge', baseURL: url },
      },
      worker: () => new Worker('/dist/worker.js', { type: 'module' }),
    })
    const chat = agent.conversation('c')
    chat.subscribe(() => undefined)
    window.reflecting = { agent, chat, run: null }
  }, baseURL)
}

async function reload(page: Page, baseURL: string): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(page, baseURL)
}

/** Texts that the chat shows, and the originals that they replaced. */
const shown = (page: Page) =>
  page.evaluate(() =>
    window.reflecting.chat.getSnapshot().messages.map(({ parts, reflection }) => ({
      text: parts.map((part) => ('text' in part ? part.text : '')).join(''),
      ...(reflection?.mode === 'replace' && { original: reflection.original }),
    })),
  )

test(
  'after a reload during a reflection, it is requested again once, and its answer stays',
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(say('52 euros.'), { pieces: say('54 eu').pieces?.slice(0, 1) ?? [], end: 'hang' })
    const page = await openPage()
    await mount(page, model.baseURL)
    await page.evaluate(() => {
      window.reflecting.run = window.reflecting.chat.send('Two mugs and a vase?')
    })
    await expect.poll(() => model.requests.length).toBe(2)
    // Nothing of what it says is shown before it is whole.
    await expect
      .poll(() => shown(page))
      .toEqual([{ text: 'Two mugs and a vase?' }, { text: '52 euros.' }])
    await reload(page, model.baseURL)
    model.enqueue(say('54 euros.'))
    const resumed = await page.evaluate(async () => {
      const run = await window.reflecting.agent.resume('c')
      const types: string[] = []
      for await (const { type } of run ?? []) types.push(type)
      return { types, result: await run?.result }
    })
    expect(resumed.result).toMatchObject({ outcome: 'completed', text: '54 euros.', steps: 1 })
    expect(resumed.types).toEqual([
      'run-snapshot',
      'step-reset',
      'text-start',
      'text-delta',
      'text-end',
      'answer-reflected',
      'step-end',
      'run-end',
    ])
    expect(model.requests.map(({ body }) => body.model)).toEqual(['mock', 'judge', 'judge'])
    expect(model.requests[2]?.body.messages).toEqual(model.requests[1]?.body.messages)

    await reload(page, model.baseURL)
    const stands = [{ text: 'Two mugs and a vase?' }, { text: '54 euros.', original: '52 euros.' }]
    await expect.poll(() => shown(page)).toEqual(stands)
    expect(await page.evaluate(() => window.reflecting.agent.resume('c'))).toBeNull()
    expect(model.requests).toHaveLength(3)
    // The model goes on from the answer that the person has.
    model.enqueue(say('Sure.'), say('Sure.'))
    await page.evaluate(() => window.reflecting.chat.send('Wrap it.').result)
    expect(model.requests[3]?.body.messages).toMatchObject([
      { content: 'Two mugs and a vase?' },
      { content: '54 euros.' },
      { content: 'Wrap it.' },
    ])
  },
)
