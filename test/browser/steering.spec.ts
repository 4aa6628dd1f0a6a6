import { MORE } from './support/more.ts'
import type { Page } from '@playwright/test'
import type { Agent, Conversation, Run, SentMessage } from '../../src/index.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI } from './support/mock-openai.ts'
import { expect, test } from './support/test.ts'

declare global {
  interface Window {
    steered: {
      readonly agent: Agent
      readonly chat: Conversation
      readonly workers: Worker[]
      run: Run | null
      sent: SentMessage[]
      finishWork: () => void
    }
  }
}

/** An agent whose conversation is shown. Its tool `work` runs until the test ends it, `pay` asks a person. */
function mount(page: Page, baseURL: string): Promise<void> {
  return page.evaluate((url) => {
    const { createAgent, defineTool } = window.offstage
    let finishWork = (): void => undefined
    const workers: Worker[] = []
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL: url },
      worker: () => {
        const worker = new Worker('/dist/worker.js', { type: 'module' })
        workers.push(worker)
        return worker
      },
      tools: [
        defineTool({
          name: 'work',
          description: 'Works.',
          annotations: { idempotent: true },
          execute: () =>
            new Promise<string>((resolve) => {
              window.steered.finishWork = () => resolve('worked')
            }),
        }),
        defineTool({
          name: 'pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => 'paid',
        }),
      ],
    })
    const chat = agent.conversation('c')
    chat.subscribe(() => undefined)
    window.steered = { agent, chat, workers, run: null, sent: [], finishWork }
  }, baseURL)
}

const begin = (page: Page, text: string): Promise<void> =>
  page.evaluate((words) => {
    window.steered.run = window.steered.chat.send(words)
  }, text)

const steer = (page: Page, text: string, when?: 'next-step' | 'now' | 'after-run'): Promise<void> =>
  page.evaluate(
    ([words, how]) => {
      const { run, sent } = window.steered
      if (run) sent.push(run.send(words, how ? { when: how } : {}))
    },
    [text, when] as const,
  )

const outcome = (page: Page, index = 0) =>
  page.evaluate((at) => window.steered.sent[at]?.outcome, index)

const result = (page: Page) => page.evaluate(() => window.steered.run?.result)

const resume = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    window.steered.run = await window.steered.agent.resume('c')
  })

/** Texts that are shown, and what waits. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const { messages, queued, pending } = window.steered.chat.getSnapshot()
    const textOf = ({ parts }: { readonly parts: readonly unknown[] }): string =>
      parts.map((part) => (part as { text?: string }).text ?? '').join('')
    return {
      texts: messages.filter(({ role }) => role !== 'tool').map(textOf),
      queued: queued.map(textOf),
      pending: pending.length,
      calls: messages.flatMap(({ calls = [] }) => calls).map(({ status }) => status),
    }
  })

async function reload(page: Page, baseURL: string): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(page, baseURL)
}

/** Texts that users and tools have sent to the model. */
const sentTo = ({ requests }: MockOpenAI): string[][] =>
  requests.map(({ body }) =>
    (body.messages ?? [])
      .filter(({ role }) => role === 'user' || role === 'tool')
      .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`),
  )

test(
  'a steering message survives a reload, and a withdrawn one is not delivered',
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(callTools([{ name: 'work', input: {} }]), say('Both done.'))
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'One')
    await expect.poll(async () => (await shown(page)).calls).toEqual(['executing'])
    await steer(page, 'Two')
    await steer(page, 'Three')
    await expect.poll(async () => (await shown(page)).queued).toEqual(['Two', 'Three'])
    expect(await page.evaluate(() => window.steered.sent[1]?.cancel())).toBe(true)
    await reload(page, model.baseURL)
    await expect.poll(async () => (await shown(page)).queued).toEqual(['Two'])
    await resume(page)
    await expect
      .poll(() => page.evaluate(() => String(window.steered.finishWork)))
      .toContain('resolve')
    await page.evaluate(() => window.steered.finishWork())
    expect(await result(page)).toMatchObject({ outcome: 'completed', text: 'Both done.' })
    expect(sentTo(model).at(-1)).toEqual(['user: One', 'tool: worked', 'user: Two'])
    expect((await shown(page)).queued).toEqual([])
  },
)

test(
  'an after-run message survives a reload, and so does the run that it begins',
  MORE,
  async ({ openPage, model }) => {
    const words = 'At great length, word by word. '.repeat(40)
    model.enqueue(
      callTools([{ name: 'work', input: {} }]),
      say('First done.'),
      say(words, { paceMs: 30 }),
      say('Second done.'),
    )
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'One')
    await expect.poll(async () => (await shown(page)).calls).toEqual(['executing'])
    await steer(page, 'Two', 'after-run')
    await expect.poll(async () => (await shown(page)).queued).toEqual(['Two'])
    await reload(page, model.baseURL)
    await expect.poll(async () => (await shown(page)).queued).toEqual(['Two'])
    await resume(page)
    await expect
      .poll(() => page.evaluate(() => String(window.steered.finishWork)))
      .toContain('resolve')
    await page.evaluate(() => window.steered.finishWork())
    const first = await result(page)
    expect(first).toMatchObject({ outcome: 'completed', text: 'First done.' })
    await expect.poll(async () => (await shown(page)).texts.at(-1)).toContain('At great')
    expect((await shown(page)).queued).toEqual([])
    await reload(page, model.baseURL)
    await resume(page)
    expect(await result(page)).toMatchObject({
      runId: first?.nextRunId,
      outcome: 'completed',
      text: 'Second done.',
    })
    expect((await shown(page)).texts).toEqual(['One', '', 'First done.', 'Two', 'Second done.'])
    expect(sentTo(model).at(-1)).toEqual(['user: One', 'tool: worked', 'user: Two'])
  },
)

test(
  'when a tab is closed, another tab resumes its run and the next one',
  MORE,
  async ({ openPage, model, context }) => {
    model.enqueue(callTools([{ name: 'pay', input: {} }]), say('Paid.'), say('Wrapped.'))
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'Pay')
    await expect.poll(async () => (await shown(page)).pending).toBe(1)
    await steer(page, 'And wrap it', 'after-run')
    await expect.poll(async () => (await shown(page)).queued).toEqual(['And wrap it'])
    const other = await openPage({ context })
    await mount(other, model.baseURL)
    await expect.poll(async () => (await shown(other)).queued).toEqual(['And wrap it'])
    await page.close()
    const answered = await other.evaluate(() => {
      const { chat } = window.steered
      const [call] = chat.getSnapshot().pending
      return call ? chat.approve(call.toolCallId) : false
    })
    expect(answered).toBe(true)
    await expect.poll(async () => (await shown(other)).texts.at(-1)).toBe('Wrapped.')
    expect((await shown(other)).texts).toEqual(['Pay', '', 'Paid.', 'And wrap it', 'Wrapped.'])
    expect((await shown(other)).queued).toEqual([])
  },
)

test(
  'when the worker dies after a steering message, the message is delivered once',
  MORE,
  async ({ openPage, model }) => {
    model.enqueue(callTools([{ name: 'work', input: {} }]), say('Both done.'))
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'One')
    await expect.poll(async () => (await shown(page)).calls).toEqual(['executing'])
    await steer(page, 'Two')
    await expect.poll(async () => (await shown(page)).queued).toEqual(['Two'])
    await page.evaluate(() => window.steered.workers.at(-1)?.terminate())
    await page.evaluate(() => window.steered.finishWork())
    expect(await result(page)).toMatchObject({ outcome: 'completed', text: 'Both done.' })
    expect(await outcome(page)).toEqual({ status: 'delivered' })
    expect(
      sentTo(model)
        .at(-1)
        ?.filter((text) => text === 'user: Two'),
    ).toHaveLength(1)
  },
)

test(
  'an answer is cut short in the worker, and an immediate reload loses nothing',
  MORE,
  async ({ openPage, model }) => {
    const words = 'At great length, word by word. '.repeat(40)
    model.enqueue(say(words, { paceMs: 30 }), say('Short.'))
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'One')
    await expect.poll(async () => (await shown(page)).texts[1] ?? '').toContain('At great')
    await steer(page, 'Be brief', 'now')
    expect(await outcome(page)).toEqual({ status: 'delivered' })
    await reload(page, model.baseURL)
    await resume(page)
    await expect.poll(async () => (await shown(page)).texts.at(-1)).toBe('Short.')
    const { texts } = await shown(page)
    expect(texts).toHaveLength(4)
    expect(texts[1]).toContain('At great')
    expect(texts[1]?.length).toBeLessThan(words.length)
    expect(texts.slice(2)).toEqual(['Be brief', 'Short.'])
  },
)

test(
  'a message waits while an approval is pending; another tab approves',
  MORE,
  async ({ openPage, model, context }) => {
    model.enqueue(callTools([{ name: 'pay', input: {} }]), say('Paid, wrapped.'))
    const page = await openPage()
    await mount(page, model.baseURL)
    await begin(page, 'Pay')
    await expect.poll(async () => (await shown(page)).pending).toBe(1)
    await steer(page, 'And wrap it')
    const other = await openPage({ context })
    await mount(other, model.baseURL)
    await expect.poll(async () => (await shown(other)).queued).toEqual(['And wrap it'])
    const answered = await other.evaluate(() => {
      const { chat } = window.steered
      const [call] = chat.getSnapshot().pending
      return call ? chat.approve(call.toolCallId) : false
    })
    expect(answered).toBe(true)
    await expect.poll(async () => (await shown(other)).texts.at(-1)).toBe('Paid, wrapped.')
    expect(sentTo(model).at(-1)?.slice(-2)).toEqual(['tool: paid', 'user: And wrap it'])
    expect(await outcome(page)).toEqual({ status: 'delivered' })
  },
)

test('an edited message has three branches, shown alike after a reload and in another tab', async ({
  openPage,
  model,
  context,
}) => {
  model.enqueue(say('First.'), say('Second.'), say('Third.'), say('Fourth.'))
  const page = await openPage()
  await mount(page, model.baseURL)
  await begin(page, 'One')
  await result(page)
  const idOf = (text: string) =>
    page.evaluate((words) => {
      const { messages } = window.steered.chat.getSnapshot()
      return messages.find(({ parts }) => JSON.stringify(parts).includes(words))?.id ?? ''
    }, text)
  await expect.poll(async () => (await shown(page)).texts).toEqual(['One', 'First.'])
  const one = await idOf('One')
  for (const text of ['One, edited', 'One, edited again'])
    await page.evaluate(([id, words]) => window.steered.chat.edit(id, words).result, [
      one,
      text,
    ] as const)
  await expect.poll(async () => (await shown(page)).texts).toEqual(['One, edited again', 'Third.'])
  await reload(page, model.baseURL)
  await expect.poll(async () => (await shown(page)).texts).toEqual(['One, edited again', 'Third.'])
  const branch = await page.evaluate(() => {
    const { messages, branches } = window.steered.chat.getSnapshot()
    return branches[messages[0]?.id ?? '']
  })
  expect(branch).toMatchObject({ index: 2 })
  expect(branch?.ids).toHaveLength(3)

  const other = await openPage({ context })
  await mount(other, model.baseURL)
  expect(await page.evaluate((id) => window.steered.chat.switchBranch(id), one)).toBe(true)
  await expect.poll(async () => (await shown(page)).texts).toEqual(['One', 'First.'])
  await expect.poll(async () => (await shown(other)).texts).toEqual(['One', 'First.'])
  const again = await other.evaluate(() => window.steered.chat.regenerate().result)
  expect(again).toMatchObject({ outcome: 'completed', text: 'Fourth.' })
  expect(sentTo(model).at(-1)).toEqual(['user: One'])
  await expect.poll(async () => (await shown(page)).texts).toEqual(['One', 'Fourth.'])
})
