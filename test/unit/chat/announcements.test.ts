import { expect, onTestFinished, test } from 'vitest'
import { announcedBy, announceIn } from '../../../src/ui/chat/parts/announce.ts'
import { Failures } from '../../../src/ui/chat/parts/failures.ts'
import { rowsOf } from '../../../src/ui/chat/parts/rows.ts'
import type { ChatEnvironment } from '../../../src/ui/chat/parts/states.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { createAgent, type Agent, type Conversation, type Tool } from '../../../src/index.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { chatStream, serve } from '../doctor/small-server.ts'
import { agentFor, payCall } from './chat-stage.ts'

// Announcements for screen readers, from the opening of a conversation on.

interface Heard {
  readonly conversation: Conversation
  readonly said: readonly string[]
  /** The network goes or comes back. */
  around(around: ChatEnvironment): void
  /** Waits until something is said, and returns all that was said since. */
  hears(last: string | RegExp): Promise<readonly string[]>
}

/** A chat with a screen reader. */
async function listen(agent: Agent): Promise<Heard> {
  const conversation = agent.conversation('c1')
  const said: string[] = []
  let current: ChatEnvironment = {}
  let before = announcedBy(conversation.getSnapshot())
  let from = 0
  const say = (): void => {
    const { texts, announced } = announceIn(before, {
      snapshot: conversation.getSnapshot(),
      words: en,
      around: current,
    })
    before = announced
    said.push(...texts)
  }
  onTestFinished(conversation.subscribe(say))
  await until(() => conversation.getSnapshot().status === 'idle')
  say()
  return {
    conversation,
    said,
    around(around) {
      current = around
      say()
    },
    async hears(last) {
      await until(() => said.length > from && new RegExp(last).test(said.at(-1) ?? ''))
      return said.slice(from, (from = said.length))
    },
  }
}

/** Without what is said only where the first words come later than the beginning of the run. */
const spoken = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => text !== 'Thinking…')

const look: Tool = {
  name: 'look',
  title: 'Look it up',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  execute: () => 'found',
}

const fail: Tool = { ...look, name: 'fail', execute: () => Promise.reject(new Error('Closed.')) }

const lookCall = { toolCalls: [{ toolName: 'look', input: {} }] } as const
const failCall = { toolCalls: [{ toolName: 'fail', input: {} }] } as const

/** A model at an address that answers with each of the replies, and with the last one from then on. */
async function served(...replies: readonly (string | number)[]): Promise<Agent> {
  const { origin, asked } = await serve(() => {
    const reply = replies[Math.min(asked.length, replies.length) - 1] ?? ''
    return typeof reply === 'number' ? { status: reply, json: {} } : { sse: reply }
  })
  const agent = createAgent({
    worker: inProcessWorker({ storage: createTestStorage() }),
    model: {
      provider: 'openai-compatible',
      model: 'm',
      baseURL: `${origin}/v1`,
      retry: { maxRetries: 1, baseDelayMs: 200 },
    },
  })
  onTestFinished(() => agent.dispose())
  return agent
}

const says = (text: string): string => chatStream([{ content: text }])

test('a plain answer is announced once, in whole sentences, with its end', async () => {
  const { conversation, hears } = await listen(
    agentFor({ steps: [{ text: 'One. And *two*. Three', delayMs: 40 }] }),
  )
  conversation.send('Hello')
  const said = spoken(await hears('Done'))
  expect(said.join(' ')).toBe('One. And two. Three Done')
})

test('failed tool calls are announced, and fast successful ones are not', async () => {
  const script = { steps: [lookCall, failCall, { text: 'Found.', delayMs: 40 }] }
  const { conversation, hears } = await listen(agentFor(script, undefined, { tools: [look, fail] }))
  conversation.send('Look')
  expect(spoken(await hears('Done'))).toEqual(['Look it up: Failed', 'Found.', 'Done'])
})

test('an approval and the answer after it are announced', async () => {
  const agent = agentFor({ steps: [payCall, { text: 'Paid.', delayMs: 40 }] })
  const { conversation, hears } = await listen(agent)
  conversation.send('Pay')
  expect(spoken(await hears('Needs your approval: pay'))).toEqual(['Needs your approval: pay'])
  const [call] = conversation.getSnapshot().pending
  await agent.approve(call!)
  expect(spoken(await hears('Done'))).toEqual(['Paid.', 'Done'])
})

test('a denied call is announced as denied', async () => {
  const agent = agentFor({ steps: [payCall, { text: 'Not paid.', delayMs: 40 }] })
  const { conversation, hears } = await listen(agent)
  conversation.send('Pay')
  await hears('Needs your approval: pay')
  const [call] = conversation.getSnapshot().pending
  await agent.deny(call!)
  const said = spoken(await hears('Done'))
  expect(said).toEqual(['pay: Denied', 'Not paid.', 'Done'])
})

test('a retry is announced once, with its reason', async () => {
  const { conversation, hears } = await listen(await served(503, says('Here I am.')))
  conversation.send('Hello')
  const [retry, ...rest] = spoken(await hears('Done'))
  expect(retry).toMatch(/^Retrying in 1s: The model is busy/)
  expect(rest).toEqual(['Here I am.', 'Done'])
})

test('offline and back online are announced, and a run that failed meanwhile resumes', async () => {
  const { conversation, hears, around } = await listen(await served(503, 503, says('Here I am.')))
  // Both tabs follow the run, which the first one drives.
  const [failures, ofOtherTab] = [new Failures(), new Failures()]
  const follow = (): void => {
    const snapshot = conversation.getSnapshot()
    if (snapshot.runId === undefined) return
    failures.update(snapshot, true)
    ofOtherTab.update({ ...snapshot, ownership: 'other-tab' }, true)
  }
  onTestFinished(conversation.subscribe(follow))
  around({ isOffline: true })
  expect(await hears(en.offline)).toEqual([en.offline])
  conversation.send('Hello')
  await until(() => conversation.getSnapshot().ended)
  await hears('Something went wrong: ')
  const { ended, ...open } = conversation.getSnapshot()
  if (ended?.outcome !== 'failed') throw new Error('The run did not fail.')
  const lost = { ...open, ended: { ...ended, error: { ...ended.error, code: 'network' } } } as const
  failures.update(lost, true)
  ofOtherTab.update(lost, true)
  expect(failures.takeLostRun(lost, true)).toBe(false)
  around({})
  expect(await hears('Back online')).toEqual(['Back online'])
  expect(failures.takeLostRun(lost, false)).toBe(true)
  expect(failures.takeLostRun(lost, false), 'once').toBe(false)
  expect(ofOtherTab.takeLostRun(lost, false), 'in another tab').toBe(false)
  await conversation.continue()
  expect(spoken(await hears('Done'))).toEqual(['Here I am.', 'Done'])
})

test('a failure without a lost network is left to the person', async () => {
  const failures = new Failures()
  const { conversation } = await listen(agentFor({ steps: [] }))
  const error = { code: 'overloaded', message: 'Busy', retryable: true } as const
  const ended = { runId: 'r1', outcome: 'failed', error } as const
  const messages = [{ id: 'u1', role: 'user', parts: [] }] as const
  const snapshot = { ...conversation.getSnapshot(), messages, ended }
  failures.update(snapshot, true)
  expect(failures.takeLostRun(snapshot, false)).toBe(false)
})

test('a run that fails between two renders is announced', async () => {
  const { conversation } = await listen(agentFor({ steps: [] }))
  const idle = conversation.getSnapshot()
  const error = { code: 'overloaded', message: 'Busy', retryable: true } as const
  const snapshot = { ...idle, ended: { runId: 'r1', outcome: 'failed', error } as const }
  const { texts } = announceIn(announcedBy(idle), { snapshot, words: en, around: {} })
  expect(texts.join()).toMatch(/^Something went wrong: /)
})

test('after regenerating, only the new answer is announced', async () => {
  const agent = agentFor({ steps: [{ text: 'One.', delayMs: 40 }] })
  const { conversation, hears } = await listen(agent)
  conversation.send('Hello')
  await hears('Done')
  const answer = conversation.getSnapshot().messages.at(-1)
  agent.configure({
    model: { provider: 'scripted', model: 'm', script: { steps: [{ text: 'Two.', delayMs: 40 }] } },
  })
  conversation.regenerate(answer!.id)
  expect(spoken(await hears('Done'))).toEqual(['Two.', 'Done'])
  // The version that was heard is not read out again.
  await conversation.switchBranch(answer!.id)
  await until(() => conversation.getSnapshot().messages.at(-1)?.id === answer!.id)
  conversation.send('More')
  expect(spoken(await hears('Done'))).toEqual(['Two.', 'Done'])
})

test('after editing a message, only the new answer is announced', async () => {
  const agent = agentFor({ steps: [{ text: 'One.', delayMs: 40 }] })
  const { conversation, hears } = await listen(agent)
  conversation.send('Hello')
  await hears('Done')
  agent.configure({
    model: { provider: 'scripted', model: 'm', script: { steps: [{ text: 'Two.', delayMs: 40 }] } },
  })
  conversation.edit(conversation.getSnapshot().messages[0]!.id, 'Hello again')
  expect(spoken(await hears('Done'))).toEqual(['Two.', 'Done'])
})

test('a stopped answer is announced as stopped', async () => {
  const { conversation, said, hears } = await listen(
    agentFor({ paceMs: 5, steps: [{ text: 'Once. Upon a time. '.repeat(100) }] }),
  )
  conversation.send('Tell')
  await until(() => said.length > 3)
  await conversation.abort()
  const all = await hears('Stopped')
  expect(spoken(all).join(' ')).toMatch(/^(Once\. Upon a time\. ?)+(Once\.? )?/)
  expect(all.filter((text) => text === 'Stopped')).toHaveLength(1)
})

test('a failure is announced, shown beside its message, and removed after a retry', async () => {
  const { conversation, hears } = await listen(
    await served(401, 401, says('One.'), 401, 401, says('Two.')),
  )
  const failures = new Failures()
  const rows = () =>
    rowsOf(conversation.getSnapshot(), {
      failures: failures.update(conversation.getSnapshot(), false),
    }).flatMap((row) =>
      row.type === 'day' ? [] : row.type === 'message' ? row.message.id : row.type,
    )
  onTestFinished(conversation.subscribe(() => void rows()))
  const failed = 'Something went wrong: The API key was not accepted.'
  conversation.send('First')
  expect(spoken(await hears(failed))).toEqual([failed])
  const first = conversation.getSnapshot().messages[0]!.id
  expect(rows()).toEqual([first, 'failure'])
  await conversation.continue()
  expect(spoken(await hears('Done'))).toEqual(['One.', 'Done'])
  expect(rows()).not.toContain('failure')

  conversation.send('Second')
  expect(spoken(await hears(failed))).toEqual([failed])
  const second = conversation.getSnapshot().messages.at(-1)!.id
  conversation.send('Third')
  await hears('Done')
  expect(rows().slice(2, 5)).toEqual([second, 'failure', expect.any(String)])
  expect(rows()).toHaveLength(6)
})
