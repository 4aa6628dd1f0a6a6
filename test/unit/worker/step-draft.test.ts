import { describe, expect, test, vi } from 'vitest'
import { view } from '../../../src/conversation/view.ts'
import type { ConversationSnapshot } from '../../../src/conversation/snapshot.ts'
import type { StepDraft } from '../../../src/worker/store/store.ts'
import {
  createWorld,
  openConversation,
  SCOPE,
  startCommand,
  startLife,
  type SimTool,
  type World,
} from './simulation.ts'
import { append, ended, newId, started, stores } from './store-support.ts'

const draftUnder = (epoch: number): StepDraft => ({
  conversationId: 'c',
  epoch,
  runId: 'r1',
  step: 1,
  attempt: 1,
  messageId: 'm1',
  parts: [{ type: 'text', text: 'Half an ans' }],
})

describe.each(stores)('a draft in %s', (_name, open) => {
  test('is overwritten, and deleted by the append that ends its step', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('r1', 'Hi'))
    const draft = draftUnder(epoch)
    await store.keepDraft({ ...draft, parts: [] })
    await store.keepDraft(draft)
    await append(store, { epoch }, { type: 'renamed', runId: null, title: 'T', at: 2 })
    expect(await store.draftOf('c')).toEqual(draft)
    await append(store, { epoch }, ended('r1'))
    expect(await store.draftOf('c')).toBeUndefined()
    await store.keepDraft(draft)
    expect(await store.draftOf('c')).toBeUndefined()
  })

  test('is refused from a replaced owner, and deleted with its conversation', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('r1', 'Hi'))
    const next = await store.claim('c', 2)
    await store.keepDraft(draftUnder(epoch))
    expect(await store.draftOf('c')).toBeUndefined()
    await store.keepDraft(draftUnder(next.epoch))
    expect(await store.draftOf('c')).toBeDefined()
    await store.delete('c')
    expect(await store.draftOf('c')).toBeUndefined()
  })
})

/** A worker that died while its model was writing, after that was kept. */
async function cutOff(): Promise<World> {
  const world = createWorld([{ text: 'Half an answer', stalls: true }], {})
  const { host, life } = startLife(world)
  void host.startRun(startCommand(newId(), 'Tell me'))
  await vi.waitFor(async () => expect(await world.store.draftOf('talk')).toBeDefined(), 10_000)
  life.dead = true
  return world
}

async function shown(world: World): Promise<ConversationSnapshot> {
  const conversation = openConversation(world)
  await conversation.refresh()
  await conversation.drafts.showStored(conversation.run)
  return view(conversation.state, conversation.stream.live)
}

describe('a partial answer after its worker died', () => {
  test('is shown as partial, and not as being written', async () => {
    const { messages, status, run } = await shown(await cutOff())
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', parts: [{ type: 'text', text: 'Half an answer' }], partial: true },
    ])
    expect(status).toBe('idle')
    expect(run).toMatchObject({ step: 1 })
    expect(run).not.toHaveProperty('messageId')
  })

  test('is never sent to the model, and disappears when the step is streamed again', async () => {
    const world = await cutOff()
    const { host, ended, events } = startLife(world)
    await host.resumeRun({ ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 0 })
    expect(await ended()).toMatchObject({ outcome: 'completed', text: 'Half an answer' })
    expect(events.find(({ type }) => type === 'run-snapshot')).toMatchObject({ text: '' })
    const [, again] = world.requests
    expect(again?.messages.map(({ role }) => role)).toEqual(['user'])
    expect(await world.store.draftOf('talk')).toBeUndefined()
    expect((await shown(world)).messages.some((each) => 'partial' in each)).toBe(false)
  })

  test('stays as a partial answer when the run is aborted', async () => {
    const world = await cutOff()
    const { host } = startLife(world)
    const { run } = await shown(world)
    await host.abortRun({ ...SCOPE, runId: run?.runId ?? '', reason: 'enough' })
    const { messages, ended } = await shown(world)
    expect(ended).toMatchObject({ outcome: 'aborted' })
    expect(messages[1]).toMatchObject({ partial: true, parts: [{ text: 'Half an answer' }] })
    expect(await world.store.draftOf('talk')).toBeUndefined()
  })
})

describe('while a step is written', () => {
  /** The drafts that are stored when the page is about to be left. */
  async function draftsOf(
    tools: Record<string, SimTool>,
    { redacts }: { readonly redacts?: true } = {},
  ): Promise<readonly StepDraft[]> {
    const world = createWorld([{ text: 'Half an answer', stalls: true }], tools)
    const { page, store } = world
    const drafts: StepDraft[] = []
    world.store = { ...store, keepDraft: async (draft) => void drafts.push(draft) }
    const api = page.api.bind(page)
    page.api = (life) => ({ ...api(life), redact: async ({ facts }) => facts })
    const { host, life, until } = startLife(world)
    void host.startRun({ ...startCommand(newId(), 'Tell me'), ...(redacts && { redacts }) })
    expect(await until('text-delta')).toMatchObject({ delta: 'Half an answer' })
    host.views.keepDrafts()
    // Between the request and the store are promises only, so a draft that is kept is here after some turns.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve))
    life.dead = true
    return drafts
  }

  const tool = (descriptor: SimTool['descriptor']): SimTool => ({
    descriptor,
    run: () => expect.unreachable(),
  })

  test('a draft is kept if nothing in it can be secret', async () => {
    const drafts = await draftsOf({ pay: tool({}) })
    expect(drafts[0]).toMatchObject({ parts: [{ type: 'text', text: 'Half an answer' }] })
  })

  test('no draft is kept with redact', async () => {
    expect(await draftsOf({ pay: tool({}) }, { redacts: true })).toEqual([])
  })

  test('no draft is kept while a tool has secrets in its input', async () => {
    const tools = { pay: tool({}), login: tool({ hasSecretsIn: true }) }
    expect(await draftsOf(tools)).toEqual([])
  })
})
