import { expect, it } from 'vitest'
import { isText, shape } from '../../../../src/lib/shape.ts'
import {
  createTabChannel,
  TAB_FORMAT,
  type TabChannel,
} from '../../../../src/worker/ownership/tab-channel.ts'
import { SCOPE, TALK } from './world/tab.ts'
import { World } from './world/world.ts'

interface Messages {
  readonly note: { readonly text: string }
  readonly other: { readonly text: string }
}

const NAME = `offstage:${SCOPE}`
const envelope = { offstage: TAB_FORMAT, from: 'somebody', type: 'note', body: { text: 'hello' } }

/** A channel beside a world's tab. */
function channelOf(world: World, name: string): TabChannel<Messages> {
  const tab = world.tab(name)
  return createTabChannel<Messages>({
    scope: SCOPE,
    tabId: name,
    openPort: (port) => world.network.open(tab, port),
    shapes: { note: shape({ text: isText }), other: shape({ text: isText }) },
  })
}

it('a message reaches the handlers of its type in all other tabs, with its sender', async () => {
  const world = new World()
  const [one, two, three] = ['one', 'two', 'three'].map((name) => channelOf(world, name))
  const heard: string[] = []
  for (const channel of [one!, two!, three!]) {
    channel.on('note', ({ text }, from) => heard.push(`${channel.tabId} ${text} ${from}`))
    channel.on('other', () => heard.push('wrong'))
  }
  one!.post('note', { text: 'hello' })
  await world.run(10)
  expect(heard.toSorted()).toEqual(['three hello one', 'two hello one'])
})

it('removed handlers and closed channels receive nothing', async () => {
  const world = new World()
  const [one, two, three] = ['one', 'two', 'three'].map((name) => channelOf(world, name))
  const heard: string[] = []
  two!.on('note', () => heard.push('two'))()
  three!.on('note', () => heard.push('three'))
  three!.close()
  expect([one!.isOpen, three!.isOpen]).toEqual([true, false])
  one!.post('note', { text: 'hello' })
  three!.post('note', { text: 'hello' })
  await world.run(10)
  expect(heard).toEqual([])
})

it('incomplete messages from other scripts are dropped', async () => {
  const world = new World()
  const channel = channelOf(world, 'one')
  const heard: unknown[] = []
  channel.on('note', (body) => heard.push(body))
  for (const message of [
    null,
    'note',
    42,
    [],
    {},
    { type: 'note', body: { text: 'x' } },
    { ...envelope, offstage: '1' },
    { ...envelope, from: undefined },
    { ...envelope, type: 'constructor' },
    { ...envelope, type: '__proto__' },
    { ...envelope, type: 'unknown' },
    { ...envelope, body: null },
    { ...envelope, body: { text: 1 } },
  ]) {
    world.network.inject(NAME, message)
  }
  await world.run(10)
  expect(heard).toEqual([])
  world.network.inject(NAME, envelope)
  await world.run(10)
  expect(heard).toEqual([{ text: 'hello' }])
})

it('messages of another package version are not read', async () => {
  const world = new World()
  const channel = channelOf(world, 'one')
  const heard: unknown[] = []
  channel.on('note', (body) => heard.push(body))
  world.network.inject(NAME, { ...envelope, offstage: 7 })
  await world.run(10)
  expect(heard).toEqual([])
  world.network.inject(NAME, envelope)
  await world.run(10)
  expect(heard).toEqual([{ text: 'hello' }])
})

it('without channels, posting does nothing', () => {
  const channel = createTabChannel<Messages>({
    scope: SCOPE,
    tabId: 'one',
    openPort: () => undefined,
    shapes: { note: () => true, other: () => true },
  })
  expect(channel.isOpen).toBe(false)
  channel.post('note', { text: 'hello' })
  channel.close()
})

it('no message from a script can free a lease held by Web Locks', async () => {
  const world = new World()
  const [one, two] = await world.tabsOf('one', 'two')
  await world.settled(one!.acquire(), 500)
  const name = `offstage:${SCOPE}:${TALK}`
  const state = { name, id: 'x', term: 99, epoch: 99, isHeld: true }
  for (const [type, body] of [
    ['lock-state', state],
    ['lock-state', { ...state, term: -1 }],
    ['lock-state', { ...state, term: 2 ** 60 }],
    ['lock-request', { name, id: 'x', ticket: 0, isOld: true }],
    ['lease-acquired', { conversationId: TALK }],
    ['handover-ask', { conversationId: TALK, requestId: 'x' }],
    ['handover-answer', { requestId: 'x', answer: 'granted' }],
  ]) {
    world.network.inject(NAME, { offstage: TAB_FORMAT, from: 'x', type, body })
  }
  await world.run(1000)
  expect(world.holders).toEqual(['one'])
  expect(one!.losses).toBe(0)
  expect(await world.settled(two!.acquire(), 500)).toBe(false)
})
