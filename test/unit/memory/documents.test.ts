import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { cut } from '../../../src/memory/documents/documents.ts'
import { randomId } from '../../../src/lib/random-id.ts'
import {
  documentMemory,
  type DocumentMemoryOptions,
  keywordMemory,
} from '../../../src/memory/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { handbooks } from './handbooks.ts'

const kept = () => ({ storage: { name: randomId() } })
const file = (text: string, name: string, type = 'text/plain') => new File([text], name, { type })

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe.each(handbooks)('a handbook in $language', ({ text, questions }) => {
  it('is found by its words, with the heading above them', async () => {
    const memory = documentMemory({ ...kept(), sources: [file(text, 'handbook.md')] })
    for (const { question, heading, says } of questions) {
      const [best] = await memory.search(question)
      expect(best?.source.heading, question).toContain(heading)
      expect(best?.text, question).toContain(says)
    }
  })

  it('is cut into parts that end with a sentence, without losing characters', () => {
    const long = text.replaceAll(/^#.*$/gm, '').replaceAll(/\n+/g, ' ').trim().repeat(20)
    const parts = [...cut(long)]
    expect(parts.length).toBeGreaterThan(5)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1_200)
    for (const part of parts) expect(part).toMatch(/[.!?。！？]$/u)
    expect(parts.join('').replaceAll(/\s/g, '')).toBe(long.replaceAll(/\s/g, ''))
  })
})

describe('the stored word index', () => {
  const shelf = (topic: string) =>
    file(Array.from({ length: 250 }, (_, n) => `# ${topic} ${n}\nShelf ${n}.`).join('\n'), topic)
  const storedTexts = async (name: string) => {
    const database = await openDB(`offstage-memory:${name}`)
    const entries: readonly unknown[] = await database.getAll('entries')
    database.close()
    return JSON.stringify(entries)
  }

  it('answers the first query of the next page without reading texts again', async () => {
    const options = { ...kept(), sources: [shelf('anchors'), shelf('barrels')] }
    await documentMemory(options).index()
    const next = documentMemory(options)
    const read = vi.spyOn(String.prototype, 'normalize')
    const found = await next.search('anchor 17')
    expect(read.mock.calls.length).toBeLessThan(20)
    expect(found[0]?.source.heading).toBe('anchors 17')
  })

  it('drops the words of a removed document', async () => {
    const { storage } = kept()
    const options = { storage, sources: [shelf('anchors'), shelf('barrels')] }
    await documentMemory(options).index()
    expect(await storedTexts(storage.name)).toContain('barrel')
    const next = documentMemory({ storage, sources: [shelf('anchors')] })
    await next.index()
    expect(await storedTexts(storage.name)).not.toContain('barrel')
    expect((await next.search('anchor 17'))[0]?.source.heading).toBe('anchors 17')
    await next.clear()
    expect(await storedTexts(storage.name)).toBe('[]')
  })

  it('is updated when a page adds a document, and serves the next page', async () => {
    const { storage } = kept()
    const pages = [[shelf('anchors')], [shelf('anchors'), shelf('barrels')]]
    const before = documentMemory({ storage, sources: pages[0] ?? [] })
    await before.index()
    const both = { storage, sources: pages[1] ?? [] }
    await documentMemory(both).index()
    for (const memory of [before, documentMemory(both)])
      expect((await memory.search('barrel 201'))[0]?.source.heading).toBe('barrels 201')
  })
})

describe('indexing documents', () => {
  it('reads, cuts and embeds only changed parts, also on the next page', async () => {
    const read = vi.fn(() => null)
    const embed = vi.fn(async (texts: readonly string[]) => texts.map(() => [1, 2]))
    const options = { ...kept(), read, embed, model: 'm' }
    const first = documentMemory({
      ...options,
      sources: [file('# A\nApples.\n# B\nBread.', 'food.md'), file('Chairs.', 'home.txt')],
    })
    expect(await first.index()).toMatchObject({ indexed: ['food.md', 'home.txt'], removed: [] })
    expect(embed.mock.calls.flatMap(([texts]) => texts)).toHaveLength(3)
    const next = documentMemory({
      ...options,
      sources: [file('# A\nApples.\n# B\nButter.', 'food.md'), file('Chairs.', 'home.txt')],
    })
    read.mockClear()
    embed.mockClear()
    expect(await next.index()).toMatchObject({ indexed: ['food.md'], unchanged: ['home.txt'] })
    expect(read).toHaveBeenCalledOnce()
    expect(embed.mock.calls.map(([texts]) => texts)).toEqual([['food.md › B\nButter.']])
  })

  it('removes documents without a source completely', async () => {
    const options = kept()
    await documentMemory({
      ...options,
      sources: [file('Apples.', 'a'), file('Pears.', 'b')],
    }).index()
    const memory = documentMemory({ ...options, sources: [file('Pears.', 'b')] })
    expect(await memory.index()).toMatchObject({ removed: ['a'], unchanged: ['b'] })
    expect(await memory.search('apples')).toEqual([])
    expect(await memory.documents()).toMatchObject([{ name: 'b', parts: 1 }])
    expect(await memory.clear()).toBe(1)
    expect(await memory.documents()).toEqual([])
  })

  it('reports an unreadable source and indexes the others', async () => {
    const memory = documentMemory({
      ...kept(),
      read: (blob) => {
        if (blob.type === 'application/pdf') throw new Error('encrypted')
        return null
      },
      sources: [
        file('Apples.', 'apples.txt'),
        new File([new Uint8Array([0xff, 0, 0xd8, 0x81])], 'photo.jpg', { type: 'image/jpeg' }),
        file('%PDF', 'manual.pdf', 'application/pdf'),
      ],
    })
    const { indexed, failed } = await memory.index()
    expect(indexed).toEqual(['apples.txt'])
    expect(failed.map(({ name, error }) => [name, error.code])).toEqual([
      ['photo.jpg', 'invalid-input'],
      ['manual.pdf', 'invalid-output'],
    ])
    expect(failed[0]?.error.message).toContain('photo.jpg is no text')
    expect(failed[1]?.error.message).toContain('encrypted')
    expect(await memory.search('apples')).toHaveLength(1)
  })

  it("keeps the last version of a page that can't be fetched now", async () => {
    const options = { ...kept(), sources: ['https://shop.test/returns'] }
    const answer = (text: string) => async () =>
      new Response(text, { headers: { 'content-type': 'text/plain' } })
    vi.stubGlobal('fetch', answer('Returns take 30 days.'))
    await documentMemory(options).index()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const memory = documentMemory(options)
    const { failed, removed } = await memory.index()
    expect(failed).toMatchObject([
      { name: 'https://shop.test/returns', error: { code: 'network' } },
    ])
    expect(removed).toEqual([])
    expect(await memory.search('returns')).toMatchObject([
      { source: { title: 'https://shop.test/returns', url: 'https://shop.test/returns' } },
    ])
  })

  it('creates no duplicates when two tabs index at once', async () => {
    const options = { ...kept(), sources: [file('Apples.', 'a'), file('# B\nPears.', 'b')] }
    const tabs = [documentMemory(options), documentMemory(options)]
    await Promise.all(tabs.map((tab) => tab.index()))
    for (const tab of tabs) {
      expect(await tab.documents()).toMatchObject([{ parts: 1 }, { parts: 1 }])
      expect(await tab.search('apples')).toHaveLength(1)
      expect(await tab.search('pears')).toHaveLength(1)
    }
  })

  it('when aborted, keeps finished documents, and the next run completes the rest', async () => {
    const stop = new AbortController()
    const options = {
      ...kept(),
      embed: async (texts: readonly string[]) => {
        if (texts[0]?.startsWith('slow')) {
          await vi.waitUntil(async () => (await memory.documents()).length > 0)
          stop.abort()
        }
        return texts.map(() => [1])
      },
      model: 'm',
    }
    const sources = [file('Apples.', 'quick'), file('Pears.', 'slow')]
    const memory = documentMemory({ ...options, sources })
    await memory.index({ signal: AbortSignal.abort() }).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ code: 'aborted' }),
    )
    await expect(memory.index({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(await memory.index()).toMatchObject({ indexed: ['slow'], unchanged: ['quick'] })
  })

  it.each([
    ['there is no IndexedDB', () => vi.stubGlobal('indexedDB', undefined), 'storage-failed'],
    [
      'the storage is full',
      () =>
        vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
          throw new DOMException('full', 'QuotaExceededError')
        }),
      'storage-full',
    ],
  ])('works in memory for this page when %s', async (_, fail, code) => {
    fail()
    const memory = documentMemory({
      ...kept(),
      sources: [file('Apples.', 'a'), file('Pears.', 'b')],
    })
    expect(await memory.index()).toMatchObject({
      indexed: ['a', 'b'],
      failed: [],
      storage: 'memory',
      storageError: { code },
    })
    expect(await memory.search('apples')).toHaveLength(1)
    expect(await memory.search('pears')).toHaveLength(1)
  })

  it.each<[string, Partial<DocumentMemoryOptions>]>([
    ['sources are missing', { sources: undefined as never }],
    ['embed has no model', { embed: async () => [] }],
    ['a text has no name', { sources: [{ text: 'Apples.' }] }],
    ['two sources have one name', { sources: [file('A', 'a'), file('B', 'a')] }],
  ])('rejects with invalid-config when %s', async (_, options) => {
    const make = async () => documentMemory({ ...kept(), sources: [], ...options }).index()
    await expect(make()).rejects.toMatchObject({ code: 'invalid-config' })
  })
})

describe('vectors of documents', () => {
  const embed = async (given: readonly string[]) =>
    given.map((text) => [/refund|money/.test(text) ? 1 : 0.01, /parcel/.test(text) ? 1 : 0.01])
  const sources = [
    file('We refund within a week.', 'refunds'),
    file('A parcel weighs 30 kg.', 'parcels'),
  ]

  it('find a document without shared words', async () => {
    const memory = documentMemory({ ...kept(), sources, embed, model: 'm' })
    expect(await memory.search('money back?')).toMatchObject([{ name: 'refunds' }])
  })

  it('when embedding fails, word search still works and the next index adds the vectors', async () => {
    const failing = vi.fn(embed).mockRejectedValue(new Error('offline'))
    const memory = documentMemory({ ...kept(), sources, embed: failing, model: 'm' })
    const { failed } = await memory.index()
    expect(failed.map(({ name }) => name)).toEqual(['refunds', 'parcels'])
    expect(await memory.search('parcel')).toMatchObject([{ name: 'parcels' }])
    failing.mockImplementation(embed)
    expect(await memory.index()).toMatchObject({ indexed: ['refunds', 'parcels'], failed: [] })
    expect(await memory.search('money back?')).toMatchObject([{ name: 'refunds' }])
  })
})

/** An agent whose model calls `recall` where it has it, and what the model was sent. */
function reader(options: Partial<Parameters<typeof createTestAgent>[0]>) {
  const sent: ModelRequest[] = []
  const provider: StreamProviderDefinition = {
    id: 'reader',
    async *stream(request) {
      sent.push(request)
      yield [
        { type: 'text-delta', delta: 'Yes.' },
        { type: 'finish', finishReason: 'stop' },
      ]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'reader', model: 'm' },
    providers: [provider],
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return { agent, sent }
}

describe('an agent with documents', () => {
  const sources = [{ name: 'terms', text: '# Returns\nReturns take 30 days.', title: 'Terms' }]

  it('receives matching documents as untrusted content unless the app trusts them', async () => {
    for (const trusted of [false, true]) {
      const memory = documentMemory({ ...kept(), sources, trusted })
      const { agent, sent } = reader({ memory })
      const { conversationId } = await agent.run('How long do returns take?').result
      expect(sent[0]?.trailer).toContain('> [terms#1] Terms › Returns\n>   Returns take 30 days.')
      const stored = await agent.conversations.get(conversationId)
      expect(stored?.taint?.map(({ origin }) => origin)).toEqual(trusted ? undefined : ['memory'])
    }
  })

  it('searches documents and other memories with one recall, and remembers only into the others', async () => {
    const memory = [documentMemory({ ...kept(), sources }), keywordMemory(kept())]
    const { agent, sent } = reader({ memory })
    await agent.run('Hello.').result
    const tools = new Map(sent[0]?.tools?.map((tool) => [tool.name, tool.inputSchema]))
    expect([...tools.keys()].toSorted()).toEqual(['forget', 'recall', 'remember'])
    expect(JSON.stringify(tools.get('recall'))).toContain('"enum":["documents","site"]')
    expect(JSON.stringify(tools.get('remember'))).not.toContain('documents')
  })

  it('has no writing tool when documents are its only memory', async () => {
    const { agent, sent } = reader({ memory: documentMemory({ ...kept(), sources }) })
    await agent.run('Hello.').result
    expect(sent[0]?.tools?.map(({ name }) => name)).toEqual(['recall'])
  })

  it('warns once about an unreadable source', async () => {
    const memory = documentMemory({
      ...kept(),
      sources: [...sources, new File([new Uint8Array([0xff])], 'x.bin')],
    })
    const { agent } = reader({ memory })
    const warnings: string[] = []
    agent.on('warning', ({ code, message }) => warnings.push(`${code} ${message}`))
    await agent.run('Returns?').result
    await agent.run('Returns?').result
    expect(warnings).toEqual([expect.stringContaining('memory-failed x.bin is no text')])
  })
})
