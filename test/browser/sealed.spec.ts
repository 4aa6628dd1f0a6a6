import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Agent, Conversation } from '../../src/index.ts'
import type { pageTools as PageTools } from '../../src/page-tools/index.ts'
import { dumpStorage } from './support/dump-storage.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE, inSlice } from './support/more.ts'

// A model types a random secret into a password field: it is looked for wherever something is kept, shown or sent.

interface Watched {
  readonly sealed: {
    readonly agent: Agent
    readonly chat: Conversation
    /** Events, snapshots, warnings, and what tabs post to each other. */
    readonly seen: unknown[]
    readonly posted: unknown[]
  }
}

const BODY = `<form onsubmit="event.preventDefault()"><label>User <input name="user"></label>
<label>Password <input name="password" type="password"></label><button>Log in</button></form>`

interface Model {
  readonly baseURL: string
  readonly toolMode: 'native' | 'action'
  readonly toolApproval?: 'always' | 'never'
}

async function watch(page: Page, given: Model): Promise<void> {
  await page.evaluate(async ({ toolApproval = 'never', ...of }) => {
    const { createAgent } = window.offstage
    const path = '/dist/page-tools.js'
    const { pageTools } = (await import(path)) as { readonly pageTools: typeof PageTools }
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', ...of },
      tools: pageTools(),
      toolApproval,
    })
    const [seen, posted]: unknown[][] = [[], []]
    agent.on('warning', (event) => seen?.push(event))
    const chat = agent.conversation('talk')
    chat.subscribe(() => seen?.push(structuredClone(chat.getSnapshot())))
    new BroadcastChannel('offstage:durable:offstage').addEventListener('message', ({ data }) =>
      posted?.push(data),
    )
    Object.assign(window, { sealed: { agent, chat, seen, posted } })
  }, given)
}

async function run(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const { chat, seen } = (window as unknown as Watched).sealed
    const started = chat.send('Log in, please.')
    for await (const event of started) seen.push(event)
    const result = await started.result
    seen.push(result)
    return result.outcome
  })
}

const seenOn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const { agent, seen, posted } = (window as unknown as Watched).sealed
    const file = await new Response(await agent.conversations.export()).text()
    return JSON.stringify([seen, posted, file])
  })

const passwordOn = (page: Page): Promise<string> =>
  page.locator('input[name=password]').inputValue()

for (const toolMode of ['native', 'action'] as const)
  test(
    `a password typed by the model is on the page, and nowhere else (${toolMode} mode)`,
    inSlice(toolMode === 'native'),
    async ({ context, openPage, model }) => {
      const secret = randomUUID()
      const input = { ref: 'Password', text: secret }
      const fields = [
        { ref: 'User', value: 'ada' },
        { ref: 'Password', value: `${secret}2` },
      ]
      model.enqueue(
        toolMode === 'native'
          ? callTools([{ id: 'p1', name: 'type_text', input }])
          : say(
              `<ACTION><type_text><ref>Password</ref><text>${secret}</text></type_text></ACTION>`,
            ),
        toolMode === 'native'
          ? callTools([{ id: 'p2', name: 'fill_form', input: { fields } }])
          : say(`<ACTION><fill_form>${JSON.stringify({ fields })}</fill_form></ACTION>`),
        say('Done.'),
        say('Again.'),
        say('After a reload.'),
      )
      const given = { baseURL: model.baseURL, toolMode }
      const page = await openPage({ body: BODY })
      const other = await openPage({ body: BODY, context })
      await watch(page, given)
      await watch(other, given)
      expect(await run(page)).toBe('completed')
      expect(await passwordOn(page)).toBe(`${secret}2`)
      expect(await page.locator('input[name=user]').inputValue()).toBe('ada')
      expect(await run(page)).toBe('completed')
      const seen = [await seenOn(page), await seenOn(other), await page.evaluate(dumpStorage)]
      for (const one of seen) {
        expect(one).not.toContain(secret)
        expect(one).toContain('[sealed value 1 of')
      }
      expect(
        await other.evaluate(() => (window as unknown as Watched).sealed.posted.length),
      ).toBeGreaterThan(0)
      await page.reload()
      await page.locator('html[data-ready]').waitFor({ state: 'attached' })
      await watch(page, given)
      expect(await run(page)).toBe('completed')
      expect(await seenOn(page)).not.toContain(secret)
      expect(model.requests).toHaveLength(5)
      for (const { body } of model.requests) expect(JSON.stringify(body)).not.toContain(secret)
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('[sealed value 1 of')
    },
  )

test(
  'after a reload before approval, nothing is typed, and the model is informed',
  MORE,
  async ({ openPage, model }) => {
    const secret = randomUUID()
    const input = { ref: 'Password', text: secret }
    model.enqueue(callTools([{ id: 'p1', name: 'type_text', input }]), say('I see.'))
    const given = { baseURL: model.baseURL, toolMode: 'native', toolApproval: 'always' } as const
    const page = await openPage({ body: BODY })
    await watch(page, given)
    await page.evaluate(() => void (window as unknown as Watched).sealed.chat.send('Log in.'))
    await expect
      .poll(() =>
        page.evaluate(
          () => (window as unknown as Watched).sealed.chat.getSnapshot().pending.length,
        ),
      )
      .toBe(1)
    await page.reload()
    await page.locator('html[data-ready]').waitFor({ state: 'attached' })
    await watch(page, given)
    const result = await page.evaluate(async () => {
      const resumed = await (window as unknown as Watched).sealed.agent.resume('talk')
      return resumed?.result
    })
    expect(result).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'failed', output: { code: 'not-kept' } }],
    })
    expect(await passwordOn(page)).toBe('')
    expect(await page.evaluate(dumpStorage)).not.toContain(secret)
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('value of this call was not kept')
  },
)
