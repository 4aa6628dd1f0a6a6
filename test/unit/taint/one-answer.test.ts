import { expect, it, test } from 'vitest'
import type { Agent, HookedCall, JsonValue, Tool } from '../../../src/index.ts'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { agentWith, call, LONG, ran, tool } from './support.ts'

const inputs: JsonValue[] = []

const post = (more: Partial<Tool> = {}): Tool =>
  tool('post', {
    inputSchema: { type: 'object' },
    execute: (input) => {
      inputs.push(input as JsonValue)
      return 'posted'
    },
    ...more,
  })

const posts = (...recipients: readonly string[]) => ({
  toolCalls: recipients.map((to) => ({ toolName: 'post', input: { to } })),
})

/** Two runs, each with these steps. The first reads a review before. */
const reading = (...steps: readonly ReturnType<typeof posts>[]) => ({
  steps: [call('read_reviews'), ...steps, { text: 'end' }, ...steps, { text: 'end' }],
})

const snapshotOf = (agent: Agent) => agent.conversation('c').getSnapshot()

/** The recipients that approval is requested for, once there are as many. */
async function asked(agent: Agent, count: number) {
  await expect.poll(() => snapshotOf(agent).pending.length, LONG).toBe(count)
  return snapshotOf(agent).pending.map((pending) => ({ ...pending, conversationId: 'c' }))
}

function begin(agent: Agent) {
  inputs.length = 0
  agent.conversation('c').subscribe(() => undefined)
  return agent.run('go', { conversationId: 'c' })
}

// Without annotations, nothing is known of the tool's effect.

it('calls of one answer, when one is approved, run only the approved one', async () => {
  const { agent } = agentWith([post()], { script: reading(posts('me', 'evil')) })
  const run = begin(agent)
  const [mine, evil] = await asked(agent, 2)
  expect([mine?.input, evil?.input]).toEqual([{ to: 'me' }, { to: 'evil' }])
  await agent.approve(mine!)
  await expect.poll(() => inputs, LONG).toEqual([{ to: 'me' }])
  expect(await asked(agent, 1)).toMatchObject([{ toolCallId: evil?.toolCallId }])
  await agent.deny(evil!)
  await run.result
  expect(inputs).toEqual([{ to: 'me' }])
})

it('a tool whose call was approved, in later steps and later runs, requests approval again', async () => {
  const { agent } = agentWith([post()], { script: reading(posts('a'), posts('b')) })
  const run = begin(agent)
  for (const to of ['a', 'b']) {
    const [pending] = await asked(agent, 1)
    expect(pending?.input).toEqual({ to })
    await agent.approve(pending!)
    await expect.poll(() => inputs.at(-1), LONG).toEqual({ to })
  }
  await run.result
  expect(snapshotOf(agent).consents).toEqual([])
  const next = agent.run('again', { conversationId: 'c' })
  const [pending] = await asked(agent, 1)
  await agent.deny(pending!)
  next.abort()
  await next.result
  expect(inputs).toEqual([{ to: 'a' }, { to: 'b' }])
})

it('a consent for the conversation, once given, lets later calls run until it is revoked', async () => {
  const { agent } = agentWith([post()], { script: reading(posts('a'), posts('b')) })
  const run = begin(agent)
  const [first] = await asked(agent, 1)
  expect(first?.rememberable).toEqual({})
  await agent.approve(first!, { remember: 'conversation' })
  expect((await run.result).outcome).toBe('completed')
  expect(inputs).toEqual([{ to: 'a' }, { to: 'b' }])
  const [consent] = snapshotOf(agent).consents
  expect(consent).toMatchObject({ toolName: 'post', within: 'conversation' })
  expect(await agent.conversation('c').revoke(consent!.consentId)).toBe(true)
  const next = agent.run('again', { conversationId: 'c' })
  await asked(agent, 1)
  next.abort()
  await next.result
  expect(inputs).toHaveLength(2)
})

it('a vetoed call, beside others of its tool, does not wait', async () => {
  const { agent } = agentWith([post()], {
    script: reading(posts('a', 'b')),
    beforeToolCall: ({ input }: HookedCall) =>
      JSON.stringify(input) === '{"to":"b"}' ? { veto: 'not this one' } : undefined,
  })
  const run = begin(agent)
  expect(await asked(agent, 1)).toMatchObject([{ input: { to: 'a' } }])
  run.abort()
  await run.result
})

test.each<[string, Partial<Tool>, object]>([
  ['a tool that leaves the app', { annotations: { openWorld: true } }, {}],
  ['a tool with needsApproval', { needsApproval: true }, {}],
  ['a tool whose function asks', { needsApproval: () => true }, {}],
  ['a policy that asks', {}, { toolApproval: ({ toolName }: HookedCall) => toolName === 'post' }],
  ['whileTainted: ask-writes', {}, { whileTainted: 'ask-writes' }],
])('%s requests approval for each call of an answer', async (_, more, options) => {
  const { agent } = agentWith([post(more)], { script: reading(posts('a', 'b', 'c')), ...options })
  const run = begin(agent)
  await asked(agent, 3)
  run.abort()
  await run.result
})

it('calls waiting for approval, after a reload, still wait one by one', async () => {
  const testStorage = createTestStorage()
  const options = { script: reading(posts('a', 'b')), testStorage }
  const { agent: before } = agentWith([post()], options)
  void begin(before).result.catch(() => undefined)
  const pending = await asked(before, 2)
  simulateReload()
  const { agent } = agentWith([post()], options)
  agent.conversation('c').subscribe(() => undefined)
  const resumed = agent.resume('c')
  const [first, second] = await asked(agent, 2)
  expect([first?.toolCallId, second?.toolCallId]).toEqual(pending.map((each) => each.toolCallId))
  await agent.approve(first!)
  await expect.poll(() => inputs, LONG).toEqual([{ to: 'a' }])
  await agent.deny(second!)
  await (
    await resumed
  )?.result
  expect(inputs).toEqual([{ to: 'a' }])
  expect(ran).toEqual([])
})

it.each(['import', 'fork'])(
  'an approval, after an %s of its conversation, allows nothing there',
  async (how) => {
    const { agent } = agentWith([post()], { script: reading(posts('a')) })
    const run = begin(agent)
    const [first] = await asked(agent, 1)
    await agent.approve(first!, { remember: 'conversation' })
    await run.result
    await expect.poll(() => snapshotOf(agent).consents.length, LONG).toBe(1)
    const there =
      how === 'fork' ? agent : agentWith([post()], { script: reading(posts('b')) }).agent
    if (how === 'import') {
      const file = await new Response(await agent.conversations.export('c')).text()
      expect((await there.conversations.import(file)).refused).toEqual([])
    }
    const conversationId = how === 'fork' ? (await agent.conversations.fork('c'))! : 'c'
    const talk = there.conversation(conversationId)
    talk.subscribe(() => undefined)
    const next = there.run('go', { conversationId })
    await expect.poll(() => talk.getSnapshot().pending.length, LONG).toBe(1)
    expect(talk.getSnapshot().consents).toEqual([])
    next.abort()
    await next.result
    expect(inputs).toEqual([{ to: 'a' }])
  },
)
