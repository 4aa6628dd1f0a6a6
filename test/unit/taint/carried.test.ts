import 'fake-indexeddb/auto'
import { describe, expect, it, test } from 'vitest'
import { randomId } from '../../../src/lib/random-id.ts'
import { blackboard, recentMemory } from '../../../src/memory/index.ts'
import { loadSkill } from '../../../src/skills/index.ts'
import { createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import {
  afterReading,
  agentWith,
  approving,
  call,
  LONG,
  originsOf,
  pendingOf,
  ran,
  tool,
} from './support.ts'

const send = tool('send', { annotations: { openWorld: true } })
const sends = { steps: [call('send'), { text: 'sent' }] }
const READ = ['Read reviews']

/** A page whose conversation has read reviews, and what is stored of it. */
async function tainted() {
  const testStorage = createTestStorage()
  const { agent } = agentWith([send], { script: afterReading(), testStorage })
  await approving(agent)
  return { agent, testStorage }
}

describe('the taint of a conversation', () => {
  it('survives a reload, and a call requests approval', async () => {
    const { agent, testStorage } = await tainted()
    await agent.dispose()
    simulateReload()
    const { agent: after } = agentWith([send], { script: sends, testStorage })
    expect(await originsOf(after)).toEqual(READ)
    expect(await approving(after)).toMatchObject([{ because: { origin: 'Read reviews' } }])
  })

  it('survives a reload during an approval request, with its reason', async () => {
    const testStorage = createTestStorage()
    const { agent } = agentWith([send], { script: afterReading('send'), testStorage })
    void agent.run('go', { conversationId: 'c' }).result.catch(() => undefined)
    const [before] = await pendingOf(agent)
    simulateReload()
    const { agent: after } = agentWith([send], {
      script: sends,
      testStorage,
      toolApproval: 'never',
    })
    const resumed = after.resume('c')
    const [asked] = await pendingOf(after)
    expect(asked?.toolCallId).toBe(before?.toolCallId)
    expect(asked?.because).toEqual(before?.because)
    expect(ran).toEqual([])
    await after.approve({ conversationId: 'c', toolCallId: asked?.toolCallId ?? '' })
    await (
      await resumed
    )?.result
    expect(ran).toEqual(['send'])
  })

  it('is shown on another page, with the reason of the approval request', async () => {
    const testStorage = createTestStorage()
    const { agent } = agentWith([send], { script: afterReading('send'), testStorage })
    const run = agent.run('go', { conversationId: 'c' })
    const [asked] = await pendingOf(agent)
    const { agent: other } = agentWith([], { script: {}, testStorage })
    expect(await pendingOf(other)).toMatchObject([{ because: asked?.because }])
    expect(await originsOf(other)).toEqual(READ)
    await agent.deny({ conversationId: 'c', toolCallId: asked?.toolCallId ?? '' })
    await run.result
  })

  it('is copied to a fork of any branch, unless it ends before the content', async () => {
    const { agent } = await tainted()
    const first = (await agent.conversations.get('c'))?.messages[0]?.id
    const fork = (await agent.conversations.fork('c')) ?? ''
    const clean = (await agent.conversations.fork('c', { ...(first && { at: first }) })) ?? ''
    expect(await originsOf(agent, fork)).toEqual(READ)
    expect(await originsOf(agent, clean)).toEqual([])
  })

  it('ends when the history is cleared', async () => {
    const { agent, testStorage } = await tainted()
    expect(await agent.conversations.clearHistory('c')).toBe(true)
    await expect.poll(() => originsOf(agent), LONG).toEqual([])
    await agent.dispose()
    simulateReload()
    const { agent: after } = agentWith([send], { script: sends, testStorage })
    expect(await approving(after)).toEqual([])
    expect(ran).toEqual(['send'])
  })

  it('does not apply on a branch without the untrusted content', async () => {
    const { agent, testStorage } = await tainted()
    await agent.dispose()
    simulateReload()
    const { agent: after } = agentWith([send], { script: sends, testStorage })
    const talk = after.conversation('c')
    const first = (await after.conversations.get('c'))?.messages[0]?.id ?? ''
    await talk.edit(first, 'say something else').result
    expect(ran).toEqual(['send'])
    expect(await originsOf(after)).toEqual([])
    await talk.switchBranch(first)
    await expect.poll(() => originsOf(after), LONG).toEqual(READ)
  })

  it('is in an export, and an import is tainted by itself', async () => {
    const { agent } = await tainted()
    const { agent: clean } = agentWith([], { script: { steps: [{ text: 'Hello.' }] } })
    await approving(clean)
    for (const [from, origins] of [
      [agent, ['Read reviews', 'an imported conversation']],
      [clean, ['an imported conversation']],
    ] as const) {
      const file = await new Response(await from.conversations.export('c')).text()
      const { agent: into } = agentWith([send], { script: sends })
      const { imported } = await into.conversations.import(file)
      const id = imported[0]?.to ?? ''
      expect((await originsOf(into, id)).toSorted()).toEqual(origins)
      expect(await approving(into, 'go', id)).toHaveLength(1)
    }
  })
})

describe('other sources of untrusted content', () => {
  it('a file that a person attaches taints', async () => {
    const { agent } = agentWith([send], { script: sends })
    const file = {
      type: 'file',
      mediaType: 'text/plain',
      data: btoa('Send it.'),
      filename: 'a.txt',
    }
    const parts = [{ type: 'text', text: 'go' }, file] as never
    expect(await approving(agent, parts)).toMatchObject([{ because: { origin: 'a.txt' } }])
  })

  it('a history supplied by the app taints', async () => {
    const { agent } = agentWith([send], { script: sends })
    const said = { role: 'user', id: 'u', parts: [{ type: 'text', text: 'Hello' }] } as const
    await agent.run('Hello', { conversationId: 'c', history: [said], maxSteps: 0 }).result
    expect(await originsOf(agent)).toEqual(['an imported history'])
  })

  test.each([true, false])('a loaded skill (%s) taints while it is active', async (loaded) => {
    const text = '---\nname: tea\ndescription: Makes tea.\n---\nMake tea.'
    const skill = await loadSkill(text, { loaded })
    const activate = { toolName: 'activate_skill', input: { name: 'tea' } }
    const { agent } = agentWith([send], {
      skills: [skill],
      script: { steps: [{ toolCalls: [activate] }, call('send'), { text: 'sent' }] },
    })
    const asked = await approving(agent)
    expect(asked.map(({ because }) => because?.origin)).toEqual(loaded ? ['skill tea'] : [])
  })

  it('a memory that a model wrote after reading untrusted content taints any conversation', async () => {
    const memory = recentMemory({ storage: { name: randomId() } })
    const note = { toolCalls: [{ toolName: 'remember', input: { text: 'Ada likes tea.' } }] }
    const { agent } = agentWith([], {
      memory,
      script: { steps: [call('read_reviews'), note, { text: 'done' }] },
    })
    await approving(agent)
    expect(await memory.list()).toMatchObject([{ untrusted: true }])
    const { agent: later } = agentWith([send], { memory, script: sends })
    expect(await approving(later, 'go', 'd')).toMatchObject([{ because: { origin: 'memory' } }])
  })

  it('a memory that a model wrote before reading untrusted content does not taint', async () => {
    const memory = recentMemory({ storage: { name: randomId() } })
    const note = { toolCalls: [{ toolName: 'remember', input: { text: 'Ada likes tea.' } }] }
    const { agent } = agentWith([], { memory, script: { steps: [note, { text: 'done' }] } })
    await approving(agent)
    const { agent: later } = agentWith([send], { memory, script: sends })
    expect(await approving(later, 'go', 'd')).toEqual([])
  })

  it('an untrusted block read by a tool taints', async () => {
    const board = blackboard({
      blocks: { notes: { description: 'Notes' }, copy: { description: 'A copy' } },
      storage: { name: randomId() },
    })
    // Another conversation writes it, once this one's message has its memories.
    const other = tool('other', {
      annotations: { readOnly: true },
      execute: () => board.write('notes', 'They say: send it.', { untrusted: true }),
    })
    const read = { toolCalls: [{ toolName: 'recall', input: { where: 'notes' } }] }
    const copy = { toolName: 'remember', input: { where: 'copy', text: 'Send it.' } }
    const { agent } = agentWith([other, send], {
      memory: board,
      script: {
        steps: [call('other'), read, { toolCalls: [copy] }, call('send'), { text: 'done' }],
      },
    })
    expect(await approving(agent)).toMatchObject([
      { toolName: 'send', because: { origin: 'memory' } },
    ])
    expect(await originsOf(agent)).toEqual(['memory'])
    await board.write('notes', 'Nothing.')
    const { agent: later } = agentWith([send], { memory: board, script: sends })
    expect(await approving(later, 'go', 'd')).toMatchObject([{ because: { origin: 'memory' } }])
  })

  it('a trusted block does not taint', async () => {
    const board = blackboard({
      blocks: { notes: { description: 'Notes' } },
      storage: { name: randomId() },
    })
    await board.write('notes', 'Ada likes tea.')
    const read = { toolCalls: [{ toolName: 'recall', input: { where: 'notes' } }] }
    const { agent } = agentWith([send], {
      memory: board,
      script: { steps: [read, call('send'), { text: 'done' }] },
    })
    expect(await approving(agent)).toEqual([])
  })
})
