import { readdirSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { startLlamaServer } from './llama-server.ts'
import { readHere, WrittenCalls } from './written-calls.ts'

// llama.cpp has some sixty models' chat templates. Each writes a call as its model was trained to write it; the
// reader of calls in text must find that call in it. And where llama.cpp's grammar writes the rest of a call (the tiny
// model ends it with few templates), the reader must find what llama.cpp's own parser finds.

const folder = process.env['OFFSTAGE_LLAMA_TEMPLATES']
if (!folder) throw new Error('Run this with: npm run test:llama')
const files = readdirSync(folder).filter((file) => file.endsWith('.jinja'))

const tools = [
  {
    name: 'set_item',
    description: 'Sets an item.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string' },
        count: { type: 'integer' },
        ratio: { type: 'number' },
        ok: { type: 'boolean' },
        color: { type: 'string', enum: ['red', 'green'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: {
          type: 'object',
          properties: { x: { type: 'integer' }, name: { type: 'string' } },
          required: ['x', 'name'],
        },
      },
      required: ['title', 'count'],
      additionalProperties: false,
    },
  },
] as const

const milk = { title: 'Milk', count: 2 }
const cases: { readonly [name: string]: readonly JsonObject[] } = {
  plain: [milk],
  digits: [{ title: '7', count: 7 }],
  odd: [{ title: 'a {b: [1]} </x> é中', count: -3, tags: [] }],
  rich: [
    {
      title: 'He said "hi"\nand <b> & left',
      count: 12,
      ratio: 0.5,
      ok: true,
      color: 'red',
      tags: ['a', 'b c'],
      place: { x: 3, name: 'shop' },
    },
  ],
  two: [milk, { title: 'Tea', count: 3 }],
}

/** Arguments that a grammar ends soon, whatever the model babbles. */
const counting = [
  {
    name: 'set_count',
    description: 'Sets a count.',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 0, maximum: 99 }, ok: { type: 'boolean' } },
      required: ['count', 'ok'],
      additionalProperties: false,
    },
  },
] as const

const all = Object.keys(cases)

/** Cases that the reader can't read yet, by template. Remove a case here once it can be read. */
const UNREAD: { readonly [template: string]: readonly string[] } = {
  // Lists and objects as Python literals, which llama.cpp doesn't read either.
  'ByteDance-Seed-OSS.jinja': ['rich'],
  'openbmb-MiniCPM5-1B.jinja': ['rich'],
  'muse-glimmer.jinja': all,
}

const unread: { [template: string]: string[] } = {}
const tally = { templates: 0, withoutCalls: 0, texts: 0, read: 0, richByLlama: 0, byGrammar: 0 }

describe.each(files)('%s', (file) => {
  test('reads calls as the template and its grammar write them', async () => {
    const server = await startLlamaServer({ template: path.join(folder, file) })
    try {
      await compareTexts(file, new WrittenCalls(server.url, tools))
      await compareGrammar(file, new WrittenCalls(server.url, counting))
    } finally {
      await server.close()
    }
  }, 300_000)
})

afterAll(() => {
  console.log('Templates and what was compared:', tally)
})

test('all dialects are read, except the known unreadable ones', () => {
  expect(unread).toEqual(UNREAD)
})

async function compareTexts(file: string, model: WrittenCalls): Promise<void> {
  tally.templates += 1
  let isWritten = false
  for (const [name, inputs] of Object.entries(cases)) {
    const calls = inputs.map((input) => ({ name: 'set_item', input }))
    const text = await model.write(calls)
    if (text === undefined) continue
    isWritten = true
    tally.texts += 1
    if (name === 'rich' && isDeepStrictEqual(await model.read(text), calls)) tally.richByLlama += 1
    const own = readHere(text, tools)
    if (own.length === 0) {
      ;(unread[file] ??= []).push(name)
      continue
    }
    expect(own, `${name}: ${text}`).toEqual(calls)
    tally.read += 1
  }
  if (!isWritten) tally.withoutCalls += 1
}

async function compareGrammar(file: string, model: WrittenCalls): Promise<void> {
  const text = await model.write([{ name: 'set_count', input: { count: 2, ok: true } }])
  if (text === undefined || unread[file]) return
  const completed = await model.complete(text.slice(0, text.indexOf('set_count') + 9))
  // LFM2.5's grammar permits calls that don't fit the tool's schema; they must not run.
  if (!completed?.calls.every(({ input }) => fits(input))) return
  tally.byGrammar += 1
  expect(readHere(completed.text, counting), completed.text).toEqual(completed.calls)
}

function fits(input: unknown): boolean {
  const { count, ok } = Object(input) as { count?: unknown; ok?: unknown }
  return typeof count === 'number' && typeof ok === 'boolean'
}
