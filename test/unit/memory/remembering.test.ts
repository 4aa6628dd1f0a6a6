import 'fake-indexeddb/auto'
import { describe, expect, it, vi } from 'vitest'
import {
  blackboard,
  embeddingMemory,
  keywordMemory,
  recentMemory,
} from '../../../src/memory/index.ts'

let names = 0
const newName = (): string => `remembering-${++names}`

const textsOf = async (memory: { list(): Promise<readonly { text: string }[]> }) =>
  (await memory.list()).map(({ text }) => text)

describe.each(['memory', 'database'] as const)('remembering in a %s', (kind) => {
  const storage = () => (kind === 'memory' ? 'memory' : { name: newName() })

  it('keeps the newest entries when one call exceeds the limit', async () => {
    const memory = recentMemory({ storage: storage(), maxEntries: 3 })
    const kept = await memory.remember(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(kept.map(({ text }) => text)).toEqual(['d', 'e', 'f'])
    expect(await textsOf(memory)).toEqual(['f', 'e', 'd'])
  })

  it('keeps the newest entries when many calls at once exceed the limit', async () => {
    const memory = recentMemory({ storage: storage(), maxEntries: 3 })
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((text) => memory.remember(text)))
    expect(await textsOf(memory)).toEqual(['f', 'e', 'd'])
  })

  it('stores an entry once when it is remembered twice at once', async () => {
    const memory = recentMemory({ storage: storage() })
    const [one, other] = await Promise.all([memory.remember('same'), memory.remember('same')])
    expect(await textsOf(memory)).toEqual(['same'])
    expect(one).toEqual(other)
  })

  it('keeps an entry that is remembered again together with a new one at the limit', async () => {
    const memory = recentMemory({ storage: storage(), maxEntries: 2 })
    await memory.remember(['a', 'b'])
    const kept = await memory.remember(['a', 'c'])
    expect(kept.map(({ text }) => text)).toEqual(['a', 'c'])
    expect((await textsOf(memory)).sort()).toEqual(['a', 'c'])
  })
})

describe('two pages with one database', () => {
  it('share entries without duplicates and within the limit', async () => {
    const storage = { name: newName() }
    const pages = [1, 2, 3].map(() => keywordMemory({ storage, maxEntries: 4 }))
    await Promise.all(
      pages.flatMap((page, at) => [
        page.remember('same'),
        page.remember([`of ${at}`, `more ${at}`]),
      ]),
    )
    for (const page of pages) expect(await page.list()).toHaveLength(4)
    const all = await textsOf(pages[0] ?? keywordMemory({ storage }))
    expect(new Set(all).size).toBe(4)
  })

  it('remember an entry again that the other forgets while vectors are computed', async () => {
    const storage = { name: newName() }
    const other = recentMemory({ storage })
    const [known] = await other.remember('known')
    const memory = embeddingMemory({
      storage,
      model: 'm',
      embed: async (texts) => {
        await other.forget([known?.id ?? ''])
        return texts.map(() => [1, 2])
      },
    })
    await memory.remember(['known', 'new'])
    expect((await textsOf(memory)).sort()).toEqual(['known', 'new'])
  })
})

it('a refused write opens no connection', async () => {
  const open = vi.spyOn(indexedDB, 'open')
  const board = blackboard({ storage: { name: newName() }, blocks: { a: { description: 'A' } } })
  for (let n = 0; n < 20; n++)
    await expect(board.write('a', 'x'.repeat(2000))).rejects.toMatchObject({
      code: 'invalid-input',
    })
  await board.write('a', 'short')
  expect(await board.read('a')).toBe('short')
  expect(open).toHaveBeenCalledOnce()
})
