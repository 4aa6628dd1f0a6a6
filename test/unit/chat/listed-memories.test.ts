import { expect, test } from 'vitest'
import {
  armForgetting,
  forgetMemories,
  isForgettingArmed,
  listedMemories,
  openMemories,
} from '../../../src/ui/chat/views/sheets.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { problemKey } from '../../../src/ui/chat/local-keys.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { AgentMemory, ListedMemory } from '../../../src/index.ts'
import { agentFor } from './chat-stage.ts'

/** A memory of an app's own. */
function memoryOf(...entries: readonly ListedMemory[]) {
  let kept = entries
  let fault: Error | null = null
  const memory = {
    retrieve: () => [],
    list: () => (fault ? Promise.reject(fault) : Promise.resolve(kept)),
    forget(ids: readonly string[]) {
      if (fault) return Promise.reject(fault)
      const before = kept.length
      kept = kept.filter(({ id }) => !ids.includes(id))
      return Promise.resolve(before - kept.length)
    },
  } satisfies AgentMemory
  const breakWith = (thrown: Error | null): void => {
    fault = thrown
  }
  return { memory, breakWith, texts: () => kept.map(({ text }) => text) }
}

function sheetOf(...memories: readonly AgentMemory[]) {
  const context = {
    agent: agentFor({}, undefined, { memory: memories }),
    snapshot: emptySnapshot('c1', 'idle'),
    local: createLocalState(() => {}),
  }
  const found = () => listedMemories(context) ?? []
  const named = (text: string) => found().filter(({ entry }) => entry.text === text)
  return { context, local: context.local, found, named }
}

test('an entry is deleted from its own memory, not from another with its id', async () => {
  const own = memoryOf({ id: '1', text: 'Likes tea.' }, { id: '2', text: 'Both.' })
  const other = memoryOf({ id: '1', text: 'Owes money.' }, { id: '2', text: 'Both.' })
  const { context, found, named } = sheetOf(own.memory, other.memory)
  await openMemories(context)
  expect(found().map(({ entry }) => entry.text)).toEqual(['Likes tea.', 'Both.', 'Owes money.'])
  await forgetMemories(context, named('Likes tea.'))
  expect([own.texts(), other.texts()]).toEqual([['Both.'], ['Owes money.', 'Both.']])
  // An entry in two memories counts as one, and is deleted from both.
  await forgetMemories(context, named('Both.'))
  expect([own.texts(), other.texts()]).toEqual([[], ['Owes money.']])
  expect(found().map(({ entry }) => entry.text)).toEqual(['Owes money.'])
})

test('a first press on "delete all" covers only what was found then', async () => {
  const { memory } = memoryOf({ id: '1', text: 'Likes tea.' }, { id: '2', text: 'Has a cat.' })
  const { context, local, found, named } = sheetOf(memory)
  await openMemories(context)
  armForgetting(local, named('Likes tea.'))
  expect(isForgettingArmed(local, named('Likes tea.'))).toBe(true)
  expect(isForgettingArmed(local, found())).toBe(false)
  armForgetting(local, null)
  expect(isForgettingArmed(local, named('Likes tea.'))).toBe(false)
  armForgetting(local, found())
  // The sheet is closed and opened again.
  await openMemories(context)
  expect(found()).toHaveLength(2)
  expect(isForgettingArmed(local, found())).toBe(false)
})

test('a read error is shown until reading succeeds', async () => {
  const own = memoryOf({ id: '1', text: 'Likes tea.' })
  const { context, local, found } = sheetOf(own.memory)
  own.breakWith(new Error('No disk.'))
  await openMemories(context)
  expect(local.get(problemKey('list'))).toBe('No disk.')
  own.breakWith(null)
  await openMemories(context)
  expect(found()).toHaveLength(1)
  expect(local.get(problemKey('list'))).toBeUndefined()
})

test('when one memory fails to delete, entries deleted from others still disappear', async () => {
  const own = memoryOf({ id: '1', text: 'Likes tea.' })
  const stuck = memoryOf({ id: '2', text: 'Has a cat.' })
  const { context, found } = sheetOf(own.memory, {
    ...stuck.memory,
    forget: () => Promise.reject(new Error('Read-only.')),
  })
  await openMemories(context)
  await expect(forgetMemories(context, found())).rejects.toThrow('Read-only.')
  expect(found().map(({ entry }) => entry.text)).toEqual(['Has a cat.'])
})

test('a reading that ends after a newer one shows nothing', async () => {
  const readings: ((entries: readonly ListedMemory[]) => void)[] = []
  const { context, found } = sheetOf({
    retrieve: () => [],
    list: () => new Promise((resolve) => readings.push(resolve)),
    forget: () => Promise.resolve(0),
  })
  const both = [openMemories(context), openMemories(context)]
  readings[1]?.([{ id: '2', text: 'New.' }])
  readings[0]?.([{ id: '1', text: 'Old.' }])
  await Promise.all(both)
  expect(found().map(({ entry }) => entry.text)).toEqual(['New.'])
})
