import { describe, expect, it } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { createWorld, openConversation, startCommand, startLife, type World } from './simulation.ts'

/** The next append is written, and its answer lost: `between` happens before it is tried again. */
function losesAnswer(world: World, between: () => Promise<unknown>): void {
  const { append } = world.store
  let isLost = false
  world.store.append = async (command) => {
    const rows = await append(command)
    if (isLost) return rows
    isLost = true
    // Behind what waits for the answer.
    setTimeout(() => void between())
    throw new OffstageError('storage-failed', 'No.')
  }
}

const imported = (id: string) => {
  const message: Message & { id: string } = {
    role: 'user',
    id,
    parts: [{ type: 'text', text: id }],
  }
  return { type: 'messages-imported', messages: [message] } as const
}

async function claimed() {
  const world = createWorld([], {})
  const talk = openConversation(world)
  await talk.claim()
  return { world, talk }
}

/** Reads the conversation with a fresh reader. */
async function stored(world: World) {
  const fresh = openConversation(world)
  await fresh.refresh()
  return fresh.state
}

describe('a commit whose response was lost', () => {
  it('is folded once, even if its rows are read before the retry', async () => {
    const { world, talk } = await claimed()
    losesAnswer(world, () => talk.refresh())
    expect(await talk.append([imported('a')], { runId: null })).toBe(true)
    expect(talk.messages.map(({ id }) => id)).toEqual(['a'])
    expect(talk.state).toEqual(await stored(world))
  })

  it('is folded in its place, even if another commit follows meanwhile', async () => {
    const { world, talk } = await claimed()
    losesAnswer(world, () => talk.append([imported('b')], { runId: null, waits: false }))
    expect(await talk.append([imported('a')], { runId: null })).toBe(true)
    expect(talk.messages.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(talk.state).toEqual(await stored(world))
  })

  it('counts as written, even if its own rows change the decision', async () => {
    const { world, talk } = await claimed()
    losesAnswer(world, () => talk.refresh())
    const isTaken = await talk.append(() => (talk.messages.length > 0 ? null : [imported('a')]), {
      runId: null,
    })
    expect(isTaken).toBe(true)
    expect(talk.messages).toHaveLength(1)
  })

  it('starts the run that it contains', async () => {
    const world = createWorld([{ text: 'done' }], {})
    losesAnswer(world, async () => undefined)
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
    expect((await stored(world)).path.map(({ kind }) => kind)).toEqual(['user', 'assistant'])
  })
})
