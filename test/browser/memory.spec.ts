import type { Page } from '@playwright/test'
import type * as memoryEntry from '../../src/memory/index.ts'
import { dumpStorage } from './support/dump-storage.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI } from './support/mock-openai.ts'
import { expect, test } from './support/test.ts'
import { MORE, eachNth } from './support/more.ts'

interface Asked {
  readonly baseURL: string
  readonly prompt: string
  readonly conversationId: string
  /** Default: the run's end is awaited. */
  readonly leaveOpen?: boolean
}

/** Runs a prompt with what the origin remembers. */
function ask(page: Page, asked: Asked) {
  return page.evaluate(async ({ baseURL, prompt, conversationId, leaveOpen = false }) => {
    const { createAgent } = window.offstage
    const { keywordMemory } = (await import('/dist/memory.js' as string)) as typeof memoryEntry
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      memory: keywordMemory(),
    })
    const run =
      prompt === '' ? await agent.resume(conversationId) : agent.run(prompt, { conversationId })
    if (leaveOpen) return null
    const result = await run?.result
    await agent.dispose()
    return result ?? null
  }, asked)
}

/** Calls one of the person's methods. */
function own(page: Page, method: 'list' | 'clear') {
  return page.evaluate(async (name) => {
    const { keywordMemory } = (await import('/dist/memory.js' as string)) as typeof memoryEntry
    return keywordMemory()[name]()
  }, method)
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
}

const sent = (model: MockOpenAI): string => JSON.stringify(model.requests.at(-1)?.body.messages)

const facts = [
  { language: 'English', fact: 'Is allergic to peanuts.', query: 'A snack without peanuts?' },
  { language: 'Chinese', fact: '对花生过敏。', query: '有没有不含花生的零食?' },
  {
    language: 'Japanese',
    fact: 'ピーナッツアレルギーがある。',
    query: 'ピーナッツなしのおやつは?',
  },
  { language: 'German', fact: 'Verträgt keine Erdnüsse.', query: 'Was gibt es ohne Erdnüsse?' },
]

for (const [at, { language, fact, query }] of facts.entries())
  test(
    `a memory is sent in a later conversation, after a reload, in ${language}`,
    eachNth(2, at),
    async ({ openPage, model }) => {
      const { baseURL } = model
      const others = facts.filter((one) => one.fact !== fact).map((one) => one.fact)
      model.enqueue(
        callTools(
          [fact, ...others].map((text, at) => ({
            id: `r${at}`,
            name: 'remember',
            input: { text },
          })),
        ),
        say('Noted.'),
        say('Dried apples.'),
      )
      const page = await openPage()
      await ask(page, { baseURL, prompt: 'Please remember this.', conversationId: 'first' })
      await reload(page)
      expect(await ask(page, { baseURL, prompt: query, conversationId: 'second' })).toMatchObject({
        outcome: 'completed',
        text: 'Dried apples.',
      })
      expect(sent(model)).toContain(fact)
      for (const other of others) expect(sent(model)).not.toContain(other)
    },
  )

test(
  'a run resumed after a reload is sent the same memories, even if forgotten since',
  MORE,
  async ({ openPage, model }) => {
    const { baseURL } = model
    model.enqueue(
      callTools([{ name: 'remember', input: { text: 'The locker is number 4711.' } }]),
      say('Noted.'),
      { ...say('Never heard.'), end: 'hang' },
      say('It is 4711.'),
    )
    const page = await openPage()
    await ask(page, { baseURL, prompt: 'Remember my locker.', conversationId: 'first' })
    await ask(page, { baseURL, prompt: 'Which locker?', conversationId: 'second', leaveOpen: true })
    await expect.poll(() => model.requests.length).toBe(3)
    const before = sent(model)
    expect(before).toContain('number 4711')
    expect(await own(page, 'clear')).toBe(1)
    await reload(page)
    expect(await ask(page, { baseURL, prompt: '', conversationId: 'second' })).toMatchObject({
      text: 'It is 4711.',
    })
    expect(sent(model)).toBe(before)
  },
)

test(
  'a memory forgotten in one tab is in no store and found by no other tab',
  MORE,
  async ({ openPage, model, context }) => {
    const { baseURL } = model
    model.enqueue(say('Hello.'), say('I know nothing of it.'))
    const page = await openPage()
    const other = await openPage({ context })
    await page.evaluate(async () => {
      const { keywordMemory } = (await import('/dist/memory.js' as string)) as typeof memoryEntry
      await keywordMemory().remember('The marmalade is behind the clock.')
    })
    // The other tab has its index by then.
    expect(await own(other, 'list')).toMatchObject([{ text: 'The marmalade is behind the clock.' }])
    await ask(other, { baseURL, prompt: 'Hello there', conversationId: 'greeting' })
    expect(await other.evaluate(dumpStorage)).toContain('marmalade')
    expect(await own(page, 'clear')).toBe(1)
    await ask(other, { baseURL, prompt: 'What is behind the clock?', conversationId: 'later' })
    expect(sent(model)).not.toContain('marmalade')
    expect(await other.evaluate(dumpStorage)).not.toContain('marmalade')
  },
)
