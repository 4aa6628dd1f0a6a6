import { expect, it } from 'vitest'
import type { Agent, CredentialRequest, ModelConfig, RunEvent } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { serve, type Reply } from '../doctor/small-server.ts'

const KEY_A = 'sk-aaaa-1111-2222-3333'
const KEY_B = 'sk-bbbb-4444-5555-6666'

const sse = (...texts: string[]): Reply => ({
  sse: [
    ...texts.map((content) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] })),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join(''),
})

const overloaded: Reply = { status: 503, json: { error: { message: 'busy' } } }

const modelAt = (origin: string, apiKey: NonNullable<ModelConfig['apiKey']>): ModelConfig => ({
  provider: 'openai-compatible',
  model: 'm',
  baseURL: `${origin}/v1`,
  apiKey,
  retry: { baseDelayMs: 1 },
})

const keysSeen = (asked: readonly { readonly headers: object }[]): unknown[] =>
  asked.map(({ headers }) => Reflect.get(headers, 'authorization'))

async function eventsOf(agent: Agent, ...on: [string, () => void][]): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of agent.run('Hello')) {
    events.push(event)
    for (const [type, act] of on) if (event.type === type) act()
  }
  return events
}

it('a retried step keeps the key of its address, whatever is configured meanwhile', async () => {
  let answers = 0
  const b = await serve(() => sse('from b'))
  const a = await serve(() => {
    answers += 1
    if (answers === 1) agent.configure({ model: modelAt(b.origin, KEY_B) })
    return answers < 3 ? overloaded : sse('from a')
  })
  const agent = createTestAgent({ model: modelAt(a.origin, KEY_A) })
  expect((await agent.run('Hello').result).text).toBe('from a')
  expect(keysSeen(a.asked)).toEqual([`Bearer ${KEY_A}`, `Bearer ${KEY_A}`, `Bearer ${KEY_A}`])
  expect((await agent.run('Again').result).text).toBe('from b')
  expect(keysSeen(b.asked)).toEqual([`Bearer ${KEY_B}`])
  await agent.dispose()
})

it('when another model is configured, a pending key function still serves its own address', async () => {
  const a = await serve(() => sse('from a'))
  const b = await serve(() => sse('from b'))
  let give = (_key: string): void => undefined
  const asked: CredentialRequest[] = []
  const agent = createTestAgent({
    model: modelAt(a.origin, (request) => {
      asked.push(request)
      return new Promise((resolve) => {
        give = resolve
      })
    }),
  })
  const run = agent.run('Hello')
  await expect.poll(() => asked.length).toBe(1)
  agent.configure({ model: modelAt(b.origin, KEY_B) })
  give(KEY_A)
  expect((await run.result).text).toBe('from a')
  expect(keysSeen(a.asked)).toEqual([`Bearer ${KEY_A}`])
  expect(asked[0]).toMatchObject({
    provider: 'openai-compatible',
    baseURL: `${a.origin}/v1`,
    origin: a.origin,
    previousRejected: false,
    signal: expect.any(AbortSignal),
  })
  await agent.dispose()
})

it('concurrent runs and extractions each get the key of their own model', async () => {
  const b = await serve(() => sse('2'))
  let waiting = 0
  const a = await serve(() => {
    waiting += 1
    if (waiting === 3) agent.configure({ model: modelAt(b.origin, KEY_B) })
    return waiting <= 3 ? overloaded : sse('1')
  })
  const agent = createTestAgent({ model: modelAt(a.origin, KEY_A) })
  const begun = [
    agent.run('One').result,
    agent.run('Two').result,
    agent.extract({ schema: { type: 'integer' }, input: 'Three' }),
  ]
  await Promise.all(begun)
  expect(new Set(keysSeen(a.asked))).toEqual(new Set([`Bearer ${KEY_A}`]))
  expect(b.asked.every(({ headers }) => headers.authorization === `Bearer ${KEY_B}`)).toBe(true)
  await agent.dispose()
})

it("a header changed later in the caller's object does not reach a request", async () => {
  const headers: { [name: string]: string } = { 'x-team': 'team-one-secret' }
  const a = await serve(() => sse('ok'))
  const agent = createTestAgent({ model: { ...modelAt(a.origin, KEY_A), headers } })
  headers['x-team'] = 'team-two-secret'
  await agent.run('Hello').result
  expect(a.asked[0]?.headers['x-team']).toBe('team-one-secret')
  await agent.dispose()
})

it('a key that the server repeats appears nowhere', async () => {
  const repeats = [KEY_A, `user:${KEY_A}`]
  const whole = repeats.map((words) => `[${words}]`).join(' ')
  const replies: Reply[] = [
    { status: 500, json: { error: { message: whole, type: KEY_A } } },
    sse('Your key is ', whole),
  ]
  const a = await serve(() => replies.shift())
  const agent = createTestAgent({ model: modelAt(a.origin, KEY_A), raw: true })
  const events = await eventsOf(agent)
  const text = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
  expect(text.match(/\[redacted\]/g)).toHaveLength(repeats.length)
  const stored = await agent.conversations.list()
  const messages = await agent.conversations.get(stored[0]?.conversationId ?? '')
  for (const place of [JSON.stringify(events), JSON.stringify(messages), text]) {
    for (const secret of repeats) expect(place).not.toContain(secret)
  }
  expect(events.find((event) => event.type === 'retry')?.error.message).toContain('[redacted]')
  await agent.dispose()
})

it('a key in the address appears in no error, whether or not the address works', async () => {
  const secret = 'query-secret-77aa'
  const a = await serve(({ path }) => ({ status: 400, json: { error: { message: path } } }))
  const ask = async (baseURL: string): Promise<string> => {
    const agent = createTestAgent({ model: { ...modelAt(a.origin, KEY_A), baseURL } })
    const result = await agent.run('Hello').result
    await agent.dispose()
    return JSON.stringify(result)
  }
  const answered = await ask(`${a.origin}/v1?key=${secret}`)
  expect(answered).toContain('[redacted]')
  expect(answered).not.toContain(secret)
  const refused = await ask(`http://user:${secret}@127.0.0.1:1/v1`)
  expect(refused).toContain('failed')
  expect(refused).not.toContain(secret)
})
