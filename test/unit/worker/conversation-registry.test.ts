import { describe, expect, it, vi } from 'vitest'
import {
  ConversationRegistry,
  ConversationViews,
} from '../../../src/worker/conversation-registry.ts'
import { realEffects } from '../../../src/worker/effects.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import { Redaction, Stores } from '../../../src/worker/store/stores.ts'

const MINUTE = 60_000

function createRegistry() {
  const redaction = new Redaction({ redact: async ({ facts }) => facts })
  const clock = { now: 0 }
  const registry = new ConversationRegistry({
    redaction,
    stores: new Stores({
      openDurable: async () => createMemoryStore(),
      notify: () => undefined,
      redaction,
    }),
    effects: { ...realEffects, monotonic: () => clock.now, locks: undefined },
    output: { notify: () => undefined, nextBatch: () => 0 },
    host: {
      perform: async () => 'not-waiting',
      inherit: async () => undefined,
      toolNames: async () => [],
    },
  })
  const scope = (conversationId: string) =>
    ({ agentId: 'a', storage: 'memory', conversationId }) as const
  return { registry, scope, clock }
}

describe('conversations in use', () => {
  it('those not used for long are dropped, except for some recent ones', async () => {
    const { registry, scope, clock } = createRegistry()
    for (let n = 0; n < 500; n++) {
      clock.now += MINUTE
      await registry.openConversation(scope(`c${n}`))
    }
    expect([...registry.all()].length).toBeLessThan(30)
    expect(registry.find(scope('c499'))).toBeDefined()
    expect(registry.find(scope('c1'))).toBeUndefined()
  })

  it('those used within minutes are kept, however many', async () => {
    const { registry, scope, clock } = createRegistry()
    for (let n = 0; n < 500; n++) {
      clock.now += 100
      await registry.openConversation(scope(`c${n}`))
    }
    expect([...registry.all()].length).toBe(500)
  })

  it('those that are shown or have a run are never dropped', async () => {
    const { registry, scope, clock } = createRegistry()
    const shown = await registry.openConversation(scope('shown'))
    shown.conversation.stream.isJoined = true
    const started = await registry.openConversation(scope('started'))
    started.admissions.set('run', {
      agentId: 'a',
      runId: 'run',
      stop: new AbortController(),
      isPaused: false,
      isOver: new Promise(() => undefined),
    })
    for (let n = 0; n < 100; n++) {
      clock.now += 10 * MINUTE
      await registry.openConversation(scope(`c${n}`))
    }
    expect(await registry.openConversation(scope('shown'))).toBe(shown)
    expect(await registry.openConversation(scope('started'))).toBe(started)
    expect([...registry.all()].length).toBeLessThan(30)
  })
})

describe('a view of a conversation that takes long to read', () => {
  const scope = { agentId: 'a', storage: { name: 'offstage' }, conversationId: 'c' }
  it.each<[string, (views: ConversationViews) => unknown]>([
    ['left', (views) => views.leave(scope)],
    ['released with its agent', (views) => views.release('a')],
  ])('is not joined or followed if it is %s meanwhile', async (_, leave) => {
    let read = (): void => undefined
    const isRead = new Promise<void>((resolve) => (read = resolve))
    const begun = vi.fn(() => isRead)
    const stream = { isJoined: false }
    const conversation = {
      preview: async () => undefined,
      refresh: begun,
      drafts: { showStored: async () => undefined },
      stream,
      publish: () => undefined,
    }
    const tabs = { follow: vi.fn(), unfollow: () => undefined }
    const active = { conversation, tabs, checkOtherDevices: async () => undefined }
    const registry = { openConversation: async () => active }
    const views = new ConversationViews(registry as never, () => undefined)
    const joining = views.join(scope)
    await vi.waitFor(() => expect(begun).toHaveBeenCalled())
    await leave(views)
    read()
    await joining
    expect(stream.isJoined).toBe(false)
    expect(tabs.follow).not.toHaveBeenCalled()
  })
})
