import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent, AgentOptions, TriggerOutcome } from '../../../src/index.ts'
import { createTestStorage } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer, call, gate, said, statusOf, talk, type Turn } from './talk.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let count = 0
/** Triggers stay stored after a test, so each test needs an id of its own. */
const newId = (): string => `trigger ${(count += 1)}`

type Storage = ReturnType<typeof createTestStorage>

/** A tab. Tabs with the same storage share their triggers. */
function tab(
  turns: readonly Turn[] = [],
  storage: Storage = createTestStorage(),
  options: Partial<AgentOptions> = {},
) {
  const opened = talk(turns, storage, options)
  const came: Came[] = []
  opened.agent.on('trigger', ({ type: _type, ...outcome }) => void came.push(outcome))
  return { ...opened, came, outcomes: () => came.map(({ outcome }) => outcome) }
}

type Came = TriggerOutcome

/** The messages that triggers sent, in all conversations of a storage. */
async function sentBy(agent: Agent): Promise<string[]> {
  const records = await agent.conversations.list()
  const stored = await Promise.all(
    records.map(({ conversationId }) => agent.conversations.get(conversationId)),
  )
  return stored.flatMap((each) =>
    (each?.messages ?? []).flatMap(({ role, parts: [first], ...rest }) =>
      role === 'user' && 'trigger' in rest && first?.type === 'text' ? [first.text] : [],
    ),
  )
}

/** Changes what is stored of a trigger. */
function changeFirings(id: string, change: (firings: object[]) => object[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('offstage-triggers', 1)
    opening.onsuccess = () => {
      const store = opening.result.transaction('triggers', 'readwrite').objectStore('triggers')
      const key = `durable:offstage/${id}`
      const reading = store.get(key)
      reading.onsuccess = () => {
        const record = reading.result as { firings: object[] }
        store.put({ ...record, firings: change(record.firings) }, key).onsuccess = () => resolve()
      }
      store.transaction.onabort = reject
      store.transaction.oncomplete = () => opening.result.close()
    }
  })
}

function useClock(now: number = Date.UTC(2026, 4, 4, 12)): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets so much time go by, in steps in which all can be done that comes of it. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= MINUTE) {
    await vi.advanceTimersByTimeAsync(Math.min(left, MINUTE))
    await settled()
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(5)
  }
}

describe('an event trigger', () => {
  test('starts a run with a message naming the trigger, and taints the conversation', async () => {
    const { agent, chat, sent, came } = tab([answer('Noted.')])
    const shop = new EventTarget()
    const id = newId()
    const trigger = await agent.trigger({
      id,
      title: 'New order',
      on: [shop, 'order'],
      run: ({ detail }) => `Order: ${detail}`,
      conversationId: 'talk',
    })
    expect(trigger).toMatchObject({ id, title: 'New order', isEnabled: true })
    shop.dispatchEvent(new CustomEvent('order', { detail: 'Ship it free.' }))
    await until(() => said(chat).includes('Noted.'))
    expect(sent).toEqual([['Order: Ship it free.[New order: sent by the app, not by the person]']])
    const { messages, taint } = chat.getSnapshot()
    expect(messages[0]).toMatchObject({ role: 'user', trigger: 'New order', untrusted: true })
    expect(taint).toMatchObject([{ origin: 'New order' }])
    expect(came).toEqual([{ id, conversationId: 'talk', outcome: 'started' }])
    expect(await agent.triggers()).toMatchObject([{ id, lastAt: expect.any(Number) }])
  })

  test.each([
    ['a text of the app', { run: 'Look at the orders.' }, []],
    ['a function that is trusted', { run: () => 'Look.', untrustedContent: false }, []],
    ['a text with untrusted content', { run: 'Look.', untrustedContent: true }, ['Orders']],
  ])('taints the conversation only for untrusted content: %s', async (_, options, origins) => {
    const { agent, chat } = tab([answer('Done.')])
    const shop = new EventTarget()
    const id = newId()
    await agent.trigger({
      id,
      title: 'Orders',
      on: [shop, 'order'],
      conversationId: 'talk',
      ...options,
    })
    shop.dispatchEvent(new Event('order'))
    await until(() => said(chat).includes('Done.'))
    expect(chat.getSnapshot().taint.map(({ origin }) => origin)).toEqual(origins)
  })

  test('implies no approval: a call that needs one waits for a person', async () => {
    const { agent, chat } = tab([call('buy'), answer('Bought.')])
    let fire = (): void => undefined
    await agent.trigger({
      id: newId(),
      on: (listener: () => void) => {
        fire = listener
        return () => undefined
      },
      run: 'Buy one.',
      conversationId: 'talk',
    })
    fire()
    await until(() => chat.getSnapshot().status === 'waiting')
    expect(chat.getSnapshot().pending).toMatchObject([{ kind: 'approval', toolName: 'buy' }])
    fire()
    await until(() => chat.getSnapshot().queued.length === 1)
    expect(statusOf(chat, 'buy')).toBe('awaiting-approval')
  })

  test('starts the next run together with others when a run is open', async () => {
    const { agent, chat, sent, work, outcomes } = tab([
      call('work'),
      answer('One.'),
      answer('Two.'),
    ])
    const shop = new EventTarget()
    await agent.trigger({
      id: newId(),
      on: [shop, 'order'],
      run: ({ detail }) => `Order ${detail}`,
      conversationId: 'talk',
    })
    chat.send('Hello')
    await until(() => statusOf(chat, 'work') === 'executing')
    for (const detail of ['a', 'b']) shop.dispatchEvent(new CustomEvent('order', { detail }))
    await until(() => chat.getSnapshot().queued.length === 2)
    work.open()
    await until(() => said(chat).includes('Two.'))
    expect(sent).toHaveLength(3)
    expect(sent[2]?.slice(-2)).toEqual([
      expect.stringContaining('Order a'),
      expect.stringContaining('Order b'),
    ])
    expect(outcomes()).toEqual(['queued', 'queued'])
    expect(chat.getSnapshot().taint).toHaveLength(1)
  })

  test('replaces a waiting trigger with the same text', async () => {
    const { agent, chat, work } = tab([call('work'), answer('One.')])
    const shop = new EventTarget()
    await agent.trigger({ id: newId(), on: [shop, 'order'], run: 'Look.', conversationId: 'talk' })
    chat.send('Hello')
    await until(() => statusOf(chat, 'work') === 'executing')
    shop.dispatchEvent(new Event('order'))
    await until(() => chat.getSnapshot().queued.length === 1)
    const [first] = chat.getSnapshot().queued
    shop.dispatchEvent(new Event('order'))
    await until(() => {
      const { queued } = chat.getSnapshot()
      return queued.length === 1 && queued[0]?.id !== first?.id
    })
    work.open()
  })

  test('starts a run after a failed run, but not after a stop', async () => {
    const failing = gate()
    const { agent, chat, sent, work } = tab([
      [
        failing.opened,
        {
          type: 'error',
          error: { code: 'server-error', message: 'Down.', retryable: false },
        } as never,
      ],
      answer('Looked.'),
      call('work'),
    ])
    const shop = new EventTarget()
    await agent.trigger({ id: newId(), on: [shop, 'order'], run: 'Look.', conversationId: 'talk' })
    const run = chat.send('Hello')
    await until(() => sent.length === 1)
    const after = run.send('And then', { when: 'after-run' })
    shop.dispatchEvent(new Event('order'))
    await until(() => chat.getSnapshot().queued.length === 2)
    failing.open()
    expect(await run.result).toMatchObject({ outcome: 'failed' })
    expect(await after.outcome).toMatchObject({ status: 'returned' })
    await until(() => said(chat).includes('Looked.'))

    const second = chat.send('Again')
    await until(() => statusOf(chat, 'work') === 'executing')
    shop.dispatchEvent(new Event('order'))
    await until(() => chat.getSnapshot().queued.length === 1)
    second.abort()
    await second.result
    await until(() => chat.getSnapshot().queued.length === 0)
    expect(chat.getSnapshot().unsent).toBeUndefined()
    expect(sent).toHaveLength(3)
    work.open()
  })

  test('with an id starts one run across tabs and reloads', async () => {
    const storage = createTestStorage()
    const id = newId()
    const shop = new EventTarget()
    const order = async (): Promise<void> => {
      shop.dispatchEvent(new CustomEvent('order', { detail: 'o-1' }))
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    const options = {
      id,
      on: [shop, 'order'] as const,
      eventId: ({ detail }: CustomEvent) => String(detail),
      run: ({ detail }: CustomEvent) => `Order ${String(detail)}`,
    }
    const tabs = [tab([answer('A.')], storage), tab([answer('B.')], storage)]
    for (const { agent } of tabs) await agent.trigger(options)
    await order()
    await until(() => tabs.flatMap(({ came }) => came).length === 1)
    await order()
    for (const { agent } of tabs) await agent.dispose()
    const later = tab([answer('C.')], storage)
    await later.agent.trigger(options)
    await order()
    expect(await sentBy(later.agent)).toEqual(['Order o-1'])
    expect(later.came).toEqual([])
  })

  test("on another agent passes that agent's run result to its function", async () => {
    const storage = createTestStorage()
    const writer = tab([answer('The draft.'), answer('Stopped.')], storage)
    const editor = tab([answer('Edited.')], storage)
    await editor.agent.trigger({
      id: newId(),
      on: writer.agent,
      run: (result) => (result.outcome === 'completed' ? `Edit: ${result.text}` : null),
      conversationId: 'edits',
    })
    await writer.agent.run('Write.').result
    await until(() => editor.sent.length === 1)
    expect(editor.sent[0]?.[0]).toContain('Edit: The draft.')
  })

  test('starts no run when its function throws, is slow or returns nothing', async () => {
    useClock()
    const { agent, came, sent } = tab([answer('Done.')])
    const shop = new EventTarget()
    const ids = [newId(), newId(), newId(), newId()]
    const makes = [
      () => Promise.reject(new Error('No orders.')),
      () => new Promise<string>(() => undefined),
      () => null,
      () => 'Look.',
    ]
    for (const [at, run] of makes.entries())
      await agent.trigger({ id: ids[at] ?? '', on: [shop, 'order'], run })
    shop.dispatchEvent(new Event('order'))
    await pass(2 * MINUTE)
    expect(came.map(({ id, outcome }) => [id, outcome]).toSorted()).toEqual(
      [
        [ids[0], 'failed'],
        [ids[1], 'failed'],
        [ids[3], 'started'],
      ].toSorted(),
    )
    expect(came.find(({ id }) => id === ids[0])).toMatchObject({
      error: { code: 'call-failed', message: expect.stringContaining('No orders.') },
    })
    expect(sent).toHaveLength(1)
  })

  test('is passed to the memory as written by the app', async () => {
    const told: string[] = []
    const { agent, sent } = tab([answer('Done.')], createTestStorage(), {
      memory: {
        retrieve: async (_query, { writtenBy }) => {
          told.push(writtenBy)
          return []
        },
      },
    })
    const shop = new EventTarget()
    await agent.trigger({ id: newId(), on: [shop, 'order'], run: 'Look.' })
    shop.dispatchEvent(new Event('order'))
    await until(() => sent.length === 1)
    expect(told).toEqual(['app'])
  })
})

test('starts no run over its hourly limit, counted across tabs and reloads', async () => {
  useClock()
  const storage = createTestStorage()
  const shop = new EventTarget()
  const options = { id: newId(), on: [shop, 'order'] as const, run: 'Look.', perHour: 2 }
  const tabs = [tab([], storage), tab([], storage)]
  for (const { agent } of tabs) await agent.trigger(options)
  shop.dispatchEvent(new Event('order'))
  await pass(MINUTE)
  expect(tabs.flatMap(({ outcomes }) => outcomes())).toEqual(['started', 'started'])
  for (const { agent } of tabs) await agent.dispose()

  const { agent, outcomes } = tab([], storage)
  await agent.trigger(options)
  shop.dispatchEvent(new Event('order'))
  await pass(MINUTE)
  expect(outcomes()).toEqual(['over-limit'])
  await pass(HOUR)
  shop.dispatchEvent(new Event('order'))
  await pass(MINUTE)
  expect(outcomes()).toEqual(['over-limit', 'started'])
})

test('events that start nothing do not lift the hourly limit', async () => {
  const { agent, outcomes } = tab()
  const shop = new EventTarget()
  const id = newId()
  await agent.trigger({ id, on: [shop, 'order'], run: 'Look.', perHour: 1 })
  shop.dispatchEvent(new Event('order'))
  await until(() => outcomes().length === 1)
  // A record keeps so many.
  const nothing = { at: Date.now(), state: 'empty' }
  await changeFirings(id, (firings) => [...firings, ...Array.from({ length: 500 }, () => nothing)])
  shop.dispatchEvent(new Event('order'))
  await until(() => outcomes().length === 2)
  expect(outcomes()).toEqual(['started', 'over-limit'])
})

describe('a timed trigger', () => {
  test('replaces its waiting message, also after a time at which it had none', async () => {
    useClock()
    const { agent, chat } = tab([call('buy')])
    const says = ['First', null, 'Third']
    const run = vi.fn(() => says.shift())
    await agent.trigger({ id: newId(), every: HOUR, run, conversationId: 'talk' })
    chat.send('Hello')
    await settled()
    await pass(3 * HOUR + MINUTE)
    expect(run).toHaveBeenCalledTimes(3)
    expect(chat.getSnapshot().queued).toMatchObject([{ parts: [{ text: 'Third' }, {}] }])
  })

  test('runs once an interval across two tabs, and a reload keeps the interval', async () => {
    useClock()
    const storage = createTestStorage()
    const options = { id: newId(), every: HOUR, run: 'Look.' }
    const tabs = [tab([], storage), tab([], storage)]
    for (const { agent } of tabs) await agent.trigger(options)
    await pass(45 * MINUTE)
    for (const { agent } of tabs) await agent.dispose()
    const reloaded = [tab([], storage), tab([], storage)]
    for (const { agent } of reloaded) await agent.trigger(options)
    const outcomes = (): string[] => reloaded.flatMap((each) => each.outcomes())
    expect(outcomes()).toEqual([])
    await pass(16 * MINUTE)
    expect(outcomes()).toEqual(['started'])
    await pass(2 * HOUR)
    expect(outcomes()).toEqual(['started', 'started', 'started'])
  })

  test.each([
    ['run', ['started']],
    ['skip', []],
  ] as const)('handles a missed time with missed: %s', async (missed, outcomes) => {
    useClock()
    const storage = createTestStorage()
    const at = Date.now() + HOUR
    const once = { id: newId(), at: new Date(at), run: 'Once.', missed }
    const often = { id: newId(), every: HOUR, run: 'Often.', missed }
    const before = tab([], storage)
    for (const options of [once, often]) await before.agent.trigger(options)
    await before.agent.dispose()
    await pass(5 * HOUR)
    const { agent, came } = tab([], storage)
    for (const options of [once, often]) await agent.trigger(options)
    const came1 = (id: string): string[] =>
      came.flatMap((each) => (each.id === id ? [each.outcome] : []))
    await pass(5 * MINUTE)
    expect(came1(once.id)).toEqual(outcomes)
    expect(came1(often.id)).toEqual(outcomes)
    await agent.dispose()
    const last = tab([], storage)
    for (const options of [once, often]) await last.agent.trigger(options)
    await pass(5 * MINUTE)
    expect(last.came).toEqual([])
    await pass(HOUR)
    expect(last.came).toMatchObject([{ id: often.id, outcome: 'started' }])
  })

  test('recovers within an interval after the clock was set back', async () => {
    useClock()
    const { agent, outcomes } = tab()
    await agent.trigger({ id: newId(), every: HOUR, run: 'Look.' })
    await pass(61 * MINUTE)
    expect(outcomes()).toEqual(['started'])
    vi.setSystemTime(Date.now() - 24 * HOUR)
    await pass(62 * MINUTE)
    expect(outcomes()).toEqual(['started', 'started'])
  })

  test('waits while the page is hidden, if configured', async () => {
    useClock()
    const page = Object.assign(new EventTarget(), { hidden: true })
    vi.stubGlobal('document', page)
    onTestFinished(() => void vi.unstubAllGlobals())
    const shop = new EventTarget()
    const { agent, outcomes } = tab()
    await agent.trigger({ id: newId(), at: Date.now() + MINUTE, run: 'Look.', whileHidden: false })
    await agent.trigger({ id: newId(), on: [shop, 'order'], run: 'Look.', whileHidden: false })
    shop.dispatchEvent(new Event('order'))
    await pass(5 * MINUTE)
    expect(outcomes()).toEqual([])
    page.hidden = false
    page.dispatchEvent(new Event('visibilitychange'))
    await settled()
    expect(outcomes()).toEqual(['started'])
  })
})

describe('a page that dies while a trigger fires', () => {
  /** Web Locks of one origin. `kill` frees what is held. */
  function fakeLocks() {
    let tail: Promise<unknown> = Promise.resolve()
    let kill = (): void => undefined
    vi.stubGlobal('navigator', {
      locks: {
        request: (_name: string, _options: object, work: () => Promise<unknown>) => {
          const before = tail
          const killed = new Promise<void>((resolve) => (kill = resolve))
          const done = before.then(() => Promise.race([work(), killed]))
          tail = done.catch(() => undefined)
          return done
        },
      },
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    return { kill: () => kill() }
  }

  test('leaves the trigger to the next page before its message is stored', async () => {
    useClock()
    const locks = fakeLocks()
    const storage = createTestStorage()
    const options = { id: newId(), at: Date.now() + MINUTE }
    const dying = tab([], storage)
    await dying.agent.trigger({ ...options, run: () => new Promise<string>(() => undefined) })
    await pass(MINUTE + 1000)
    locks.kill()
    const next = tab([answer('Done.')], storage)
    await next.agent.trigger({ ...options, run: 'Look.' })
    await settled()
    expect(next.outcomes()).toEqual(['started'])
  })

  test('leaves nothing to do after its message is stored', async () => {
    useClock()
    fakeLocks()
    const storage = createTestStorage()
    const at = Date.now() + MINUTE
    const id = newId()
    const first = tab([answer('Done.')], storage)
    const { conversationId } = await first.agent.trigger({ id, at, run: 'Look.' })
    await pass(MINUTE + 1000)
    expect(first.outcomes()).toEqual(['started'])
    await first.agent.dispose()
    // The state that is stored if a page died right after the commit.
    await changeFirings(id, (firings) => firings.map((firing) => ({ ...firing, state: 'open' })))
    const next = tab([], storage)
    await next.agent.trigger({ id, at, run: 'Look.' })
    await pass(2 * MINUTE)
    expect(next.outcomes()).toEqual([])
    const stored = await next.agent.conversations.get(conversationId)
    expect(stored?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })
})

describe('a trigger', () => {
  test('starts nothing once removed or disposed of, even while it fires', async () => {
    useClock()
    const storage = createTestStorage()
    const made = gate()
    const shop = new EventTarget()
    const { agent, sent, came } = tab([], storage)
    const slow = await agent.trigger({
      id: newId(),
      on: [shop, 'order'],
      run: () => made.opened.then(() => 'Look.'),
    })
    await agent.trigger({ id: newId(), every: HOUR, run: 'Look.' })
    expect(await agent.triggers()).toHaveLength(2)
    shop.dispatchEvent(new Event('order'))
    await settled()
    slow.remove()
    expect((await agent.triggers()).map(({ id }) => id)).not.toContain(slow.id)
    made.open()
    await pass(MINUTE)
    await agent.dispose()
    shop.dispatchEvent(new Event('order'))
    await pass(2 * HOUR)
    expect(sent).toEqual([])
    expect(came).toEqual([])
  })

  test('added while its agent is disposed of takes no firing from the next agent', async () => {
    useClock()
    const storage = createTestStorage()
    const options = { id: newId(), at: Date.now() - 1000, run: 'Look.' }
    const { agent } = tab([], storage)
    await agent.prepare()
    const adding = expect(agent.trigger(options)).rejects.toMatchObject({ code: 'disposed' })
    await agent.dispose()
    await adding
    await pass(2 * MINUTE)
    const next = tab([answer('Done.')], storage)
    await next.agent.trigger(options)
    await settled()
    expect(next.outcomes()).toEqual(['started'])
  })

  test('stays disabled in all tabs and after a reload', async () => {
    const storage = createTestStorage()
    const shop = new EventTarget()
    const options = { id: newId(), on: [shop, 'order'] as const, run: 'Look.' }
    const [one, two] = [tab([], storage), tab([answer('Done.')], storage)]
    const trigger = await one.agent.trigger(options)
    await trigger.setEnabled(false)
    await one.agent.dispose()
    const other = await two.agent.trigger(options)
    expect(other.isEnabled).toBe(false)
    shop.dispatchEvent(new Event('order'))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(two.came).toEqual([])
    await other.setEnabled(true)
    shop.dispatchEvent(new Event('order'))
    await until(() => two.outcomes().includes('started'))
  })

  test.each([
    [{ on: [new EventTarget(), 'x'], run: 'Look.' }, 'id of a trigger'],
    [{ id: 'a', run: 'Look.' }, 'one of on, every and at'],
    [{ id: 'a', every: 1e6, at: 0, run: 'Look.' }, 'one of on, every and at'],
    [{ id: 'a', every: 1000, run: 'Look.' }, 'every of a trigger must be 300000'],
    [{ id: 'a', every: 59_000, perHour: 500, run: 'Look.' }, 'every of a trigger must be 60000'],
    [{ id: 'a', at: 'soon', run: 'Look.' }, 'at of a trigger'],
    [{ id: 'a', at: 0 }, 'run of a trigger'],
    [{ id: 'a', at: 0, run: 'Look.', perHour: 0 }, 'perHour of a trigger'],
    [{ id: 'a', at: 0, run: 'Look.', missed: 'never' }, 'missed of a trigger'],
    [{ id: 'a', at: 0, run: 'Look.', title: 'Two\nlines' }, 'title of a trigger'],
    [{ id: 'a', at: 0, run: 'Look.', limit: 3 }, 'limit of a trigger must be one of id,title'],
  ])('is refused with wrong options: %o', async (options, message) => {
    const { agent } = tab()
    const adding = agent.trigger(options as never)
    await expect(adding).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining(message),
    })
  })

  test('is refused while another trigger has its id', async () => {
    const { agent } = tab()
    const options = { id: newId(), every: HOUR, run: 'Look.' }
    const first = await agent.trigger(options)
    await expect(agent.trigger(options)).rejects.toMatchObject({ code: 'invalid-config' })
    first.remove()
    expect(await agent.trigger(options)).toMatchObject({ id: options.id })
  })
})
