import { expect, onTestFinished, test, vi } from 'vitest'
import type { AgentEvent, AgentOptions, RunUsage } from '../../../src/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'
import { titleOf } from '../../../src/conversation/title.ts'

const said = (text: string): StreamPart[] => [
  { type: 'text-delta', delta: text },
  { type: 'usage', usage: { inputTokens: 10, outputTokens: 2 } },
  { type: 'finish', finishReason: 'stop' },
]

const titler = { provider: 'titler', model: 'small', prices: { input: 1, output: 1 } } as const

interface Titling extends Pick<TestAgentOptions, 'testStorage'> {
  readonly options?: Partial<AgentOptions>
  /** The small model's answer to its n-th request. */
  readonly title?: (n: number) => Promise<string> | string
}

function talk({ options, title = () => '"Two blue mugs"', testStorage }: Titling = {}) {
  const asked: ModelRequest[] = []
  let answersRead = 0
  const provider: StreamProviderDefinition = {
    id: 'titler',
    async *stream(request, _config, { signal }) {
      asked.push(request)
      const stopped = new Promise<string>((resolve) =>
        signal?.addEventListener('abort', () => resolve('')),
      )
      yield said(await Promise.race([title(asked.length), stopped]))
      answersRead += 1
    },
  }
  const agent = createTestAgent({
    script: { fallback: [{ text: 'Which colour?' }] },
    instructions: 'Be a shop.',
    context: () => 'A cart.',
    providers: [provider],
    titles: { model: titler },
    ...(testStorage && { testStorage }),
    ...options,
  })
  onTestFinished(() => agent.dispose())
  const titled = new Promise<Extract<AgentEvent, { type: 'conversation-titled' }>>((resolve) =>
    agent.on('conversation-titled', resolve),
  )
  const titleOfC = async () => (await agent.conversations.get('c'))?.title
  return { agent, asked, read: () => answersRead, titled, titleOfC }
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 900))

test('a model titles the first exchange once no run is open, and every tab sees it', async () => {
  const testStorage = createTestStorage()
  let answer = (_title: string): void => undefined
  const answered = new Promise<string>((resolve) => (answer = resolve))
  const { agent, asked, titled, titleOfC } = talk({ testStorage, title: () => answered })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  expect(await titleOfC()).toBe('I want two mugs')
  answer('"Two blue mugs"')
  const { title, conversationId, usage } = await titled
  expect([conversationId, title]).toEqual(['c', 'Two blue mugs'])
  expect(usage).toMatchObject<RunUsage>({ modelCalls: 1, inputTokens: 10, costUSD: 12e-6 })
  expect(await titleOfC()).toBe('Two blue mugs')
  const other = talk({ testStorage, options: { titles: false } })
  expect(await other.titleOfC()).toBe('Two blue mugs')
  // The title model gets neither the agent's instructions nor its context or tools.
  expect(asked[0]?.messages).toMatchObject([
    {
      role: 'user',
      parts: [{ text: 'Person: I want two mugs\n\nAssistant: Which colour?' }],
    },
  ])
  expect(asked[0]).toMatchObject({ tools: [], instructions: expect.not.stringContaining('shop') })
  expect(asked[0]?.trailer).toBeUndefined()
})

test('a title is made once, and not if a person has set one', async () => {
  const { agent, asked, titled, titleOfC } = talk()
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  await titled
  await agent.run('Blue ones', { conversationId: 'c' }).result
  const run = agent.run('A plate', { conversationId: 'd' })
  for await (const { type } of run)
    if (type === 'step-start') await agent.conversations.rename('d', 'My plate')
  await settle()
  expect(asked).toHaveLength(1)
  expect(await titleOfC()).toBe('Two blue mugs')
  expect((await agent.conversations.get('d'))?.title).toBe('My plate')
})

test('a title that a person sets meanwhile, in any tab, wins', async () => {
  const testStorage = createTestStorage()
  const other = talk({ testStorage, options: { titles: false } })
  let isAsked = (): void => undefined
  const whenAsked = new Promise<void>((resolve) => (isAsked = resolve))
  let answer = (_title: string): void => undefined
  const { agent, titleOfC } = talk({
    testStorage,
    title: () => {
      isAsked()
      return new Promise((resolve) => (answer = resolve))
    },
  })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  await whenAsked
  expect(await other.agent.conversations.rename('c', 'Mine')).toBe(true)
  answer('Theirs')
  await settle()
  expect(await titleOfC()).toBe('Mine')
})

test('a new run stops the title request, which is made after that run', async () => {
  let isAsked = (): void => undefined
  const whenAsked = new Promise<void>((resolve) => (isAsked = resolve))
  const { agent, asked, titled } = talk({
    title: (n) => {
      isAsked()
      return n === 1 ? new Promise(() => undefined) : 'Two mugs'
    },
  })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  await whenAsked
  await agent.run('Blue ones', { conversationId: 'c' }).result
  expect((await titled).title).toBe('Two mugs')
  expect(asked).toHaveLength(2)
})

test('when the model makes no title, the first words remain, without endless retries', async () => {
  const { agent, asked, read, titleOfC } = talk({ title: () => ' \n "" ' })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  await vi.waitFor(() => expect(read()).toBe(1), { timeout: 30_000 })
  await agent.run('Blue ones', { conversationId: 'c' }).result
  await settle()
  expect(asked).toHaveLength(1)
  expect(await titleOfC()).toBe('I want two mugs')
})

test('a made title is one line of at most 60 characters, without markup or direction marks', async () => {
  const { agent, titled } = talk({
    title: () => `\n## **\u202eA "good" one** \nI hope you like it`,
  })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  expect((await titled).title).toBe('A "good" one')
})

test("titles: true uses the agent's model; titles: false makes none", async () => {
  const { agent, titled } = talk({ options: { titles: true } })
  await agent.run('I want two mugs', { conversationId: 'c' }).result
  expect((await titled).title).toBe('Which colour?')
  const plain = talk({ options: { titles: false } })
  await plain.agent.run('I want two mugs', { conversationId: 'c' }).result
  await settle()
  expect(await plain.titleOfC()).toBe('I want two mugs')
})

test('a fallback title is cut between whole characters, whatever their code points', () => {
  const cut = (text: string): string => titleOf([{ type: 'text', text }]) ?? ''
  const family = '👨‍👩‍👧‍👦'
  expect(cut(`${'a'.repeat(56)}${family} and more`)).toBe(`${'a'.repeat(56)}…`)
  expect(cut(`${'a'.repeat(52)}${family} and more`)).toBe(`${'a'.repeat(52)}${family}…`)
  expect(cut(`${'a'.repeat(58)}e\u0301 and more`)).toBe(`${'a'.repeat(58)}…`)
  expect(cut(`${'a'.repeat(58)}🇦🇹 and more`)).toBe(`${'a'.repeat(58)}…`)
  expect(cut(`${'a'.repeat(57)}🇦🇹 and more`)).toBe(`${'a'.repeat(57)}🇦🇹…`)
  expect(cut(`${'a'.repeat(58)}👍🏽 and more`)).toBe(`${'a'.repeat(58)}…`)
  expect(cut('\u0301'.repeat(200))).toHaveLength(60)
})

test('a long text is read only as far as its title needs', () => {
  const before = performance.now()
  const title = titleOf([{ type: 'text', text: ' a'.repeat(5_000_000) }])
  // Reading all of it takes more than 2 s.
  expect(performance.now() - before).toBeLessThan(1000)
  expect(title).toBe(`${'a '.repeat(29)}a…`)
  expect(titleOf([{ type: 'text', text: '🧡'.repeat(100_000) }])).toBe(`${'🧡'.repeat(59)}…`)
  let reads = 0
  const part = {
    type: 'text' as const,
    get text() {
      reads += 1
      return 'two mugs '
    },
  }
  expect(titleOf(Array.from({ length: 100_000 }, () => part))).toMatch(/^two mugs two/)
  expect(reads).toBeLessThan(1000)
  expect(titleOf([{ type: 'text', text: `${' \n'.repeat(100_000)}Two\n\nmugs ` }])).toBe('Two mugs')
})
