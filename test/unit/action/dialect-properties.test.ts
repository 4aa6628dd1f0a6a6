import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import type { Mode } from './dialect-situations.ts'
import { dialectTable } from './dialect-table.ts'
import type { Dialect } from './dialect-table.ts'
import type { Call } from './dialect-writers.ts'
import { canonical, stream, toOutcome, tools } from './harness.ts'
import { randomPieces } from './random.ts'
import { someOf } from '../more.ts'
import { anyCharacter } from '../any-character.ts'

/** `npm run fuzz` sets the seconds; without it a fixed slice runs, always the same. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const bounds =
  seconds > 0
    ? {
        interruptAfterTimeLimit: (seconds * 1000) / dialectTable.length,
        numRuns: 1e9,
        seed: Date.now(),
      }
    : { numRuns: someOf(40), seed: 20_261_122 }

const text = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z ,.!?äß]{0,20}$/) },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
  {
    weight: 4,
    arbitrary: fc
      .array(
        fc.constantFrom(
          '"',
          "'",
          '\\',
          '\n',
          '\n\n',
          '{',
          '}',
          '[',
          ')',
          ',',
          ':',
          '<b>',
          '</b>',
          '&amp;',
          '```',
          '`',
          '"}}',
          '")',
          '</tool_call>',
          '</parameter>',
          '<|im_end|>',
          '<tool_call>',
          '[TOOL_CALLS]',
          'Action: search\n',
          'word ',
          '名',
          '👍',
          'null',
          '007',
        ),
        { maxLength: 5 },
      )
      .map((parts) => parts.join('')),
  },
)
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0)
const key = fc.stringMatching(/^[a-z]{1,5}$/)
/** Marks of reasoning and of blocks, which mean nothing in a value. */
const marks = fc
  .array(
    fc.constantFrom('<think>', '</think>', '<ACTION>', '</ACTION>', '[/THINK]', '"', 'a', '\n'),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''))

const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3 }),
  ),
}))

/** Calls of the tools, without the parameters that are undefined. */
const call: fc.Arbitrary<Call> = fc
  .oneof(
    fc.record({
      toolName: fc.constant('search'),
      input: fc.record({
        query: text,
        limit: fc.option(fc.maxSafeInteger(), { nil: undefined }),
        exact: fc.option(fc.boolean(), { nil: undefined }),
      }),
    }),
    fc.record({
      toolName: fc.constant('click'),
      input: fc.record({ index: fc.nat(), button: fc.constantFrom('left', 'right', undefined) }),
    }),
    fc.constant({ toolName: 'list_tabs', input: {} }),
    fc.record({
      toolName: fc.constant('write_file'),
      input: fc.record({ path: text, content: text }),
    }),
    fc.record({ toolName: fc.constant('done'), input: fc.record({ text, success: fc.boolean() }) }),
    fc.record({
      toolName: fc.constant('save_meta'),
      input: fc.record({ id: text, meta: fc.dictionary(key, json, { maxKeys: 3 }) }),
    }),
    fc.record({
      toolName: fc.constant('tag_items'),
      input: fc.record({
        ids: fc.array(text, { maxLength: 3 }),
        tags: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
      }),
    }),
    fc.record({
      toolName: fc.constant('sum'),
      input: fc.record({ values: fc.array(number, { maxLength: 4 }) }),
    }),
    fc.record({
      toolName: fc.constant('plan'),
      input: fc.record({
        steps: fc.array(fc.record({ title: text, done: fc.boolean() }), { maxLength: 2 }),
      }),
    }),
  )
  .map(({ toolName, input }) => ({
    toolName,
    input: Object.fromEntries(
      Object.entries(input).filter(([, value]) => value !== undefined),
    ) as JsonObject,
  }))

/** The value without what the format has no way to write. */
function writable(value: JsonValue, dialect: Dialect, depth: number = 0): JsonValue {
  const { without, isTrimmed } = dialect
  if (typeof value === 'string') {
    let kept = value
    while (without?.test(kept)) kept = kept.replace(without, '')
    return isTrimmed && depth === 1 ? kept.trim() : kept
  }
  if (Array.isArray(value))
    return value.map((entry: JsonValue) => writable(entry, dialect, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, writable(entry, dialect, depth + 1)]),
  )
}

/** A call whose values hold marks. */
const marked: fc.Arbitrary<Call> = fc.oneof(
  marks.map((query) => ({ toolName: 'search', input: { query } })),
  fc.record({ path: marks, content: marks }).map((input) => ({ toolName: 'write_file', input })),
  marks.map((id) => ({ toolName: 'tag_items', input: { ids: [id] } })),
)

const sentence = fc.stringMatching(/^[A-Z][a-z]{1,8}( [a-z]{1,8}){1,4}\.$/)

interface Sample {
  readonly sections: readonly (readonly Call[])[]
  readonly prose: readonly string[]
  readonly seed: number
}

/** Calls that the format can write, in sections, and the prose around these. */
function samples(dialect: Dialect, calls: fc.Arbitrary<Call> = call): fc.Arbitrary<Sample> {
  const own = calls.map(({ toolName, input }) => ({
    toolName,
    input: writable(input, dialect) as JsonObject,
  }))
  const section = fc.array(own, { minLength: 1, maxLength: 3 })
  return fc.record({
    sections: fc.array(section, { minLength: 1, maxLength: 3 }),
    prose: fc.array(sentence, { minLength: 4, maxLength: 4 }),
    seed: fc.nat(),
  })
}

/** The sections of the sample that count, with prose where the rules allow it. */
function written(
  { sections, prose }: Sample,
  dialect: Dialect,
  mode: Mode,
): [string, readonly Call[]] {
  const { marker } = dialect
  // R4: the first block counts. R18: what has no marker is one section.
  const counted = marker === 'block' && mode === 'ACTION mode' ? sections.slice(0, 1) : sections
  const isBare = marker === 'none' || marker === 'plain'
  const body = counted.map((calls, at) => {
    const between = at === 0 ? '' : isBare ? '\n' : `\n${prose[at]}\n`
    return between + dialect.write(calls)
  })
  return [`${prose[0]}\n${body.join('')}`, counted.flat()]
}

interface Output {
  readonly output: string
  readonly mode: Mode
  readonly seed: number
}

function check({ output, mode, seed }: Output, calls: readonly Call[]): void {
  for (const pieces of [[output], randomPieces(output, seed)]) {
    const read = toOutcome(stream(pieces, tools, { rescue: mode === 'native mode' }))
    const message = `${mode}, ${pieces.length} pieces, of ${JSON.stringify(output)}`
    expect([read.error, read.calls.map(canonical)], message).toEqual([null, calls.map(canonical)])
  }
}

describe('arbitrary calls', { timeout: seconds * 1000 + 60_000 }, () => {
  for (const dialect of dialectTable) {
    for (const mode of ['ACTION mode', 'native mode'] as const) {
      it(`read back as the same calls, with prose between sections, in ${mode}, in ${dialect.name}`, () => {
        const property = fc.property(samples(dialect), (sample) => {
          const [output, calls] = written(sample, dialect, mode)
          check({ output, mode, seed: sample.seed }, calls)
        })
        fc.assert(property, bounds)
      })
    }

    it(`keep reasoning and block markers inside their values in ${dialect.name}`, () => {
      const property = fc.property(samples(dialect, marked), (sample) => {
        for (const mode of ['ACTION mode', 'native mode'] as const) {
          const [output, calls] = written(sample, dialect, mode)
          check({ output, mode, seed: sample.seed }, calls)
        }
      })
      fc.assert(property, bounds)
    })

    it(`include nothing that follows their section (Q6) in ${dialect.name}`, () => {
      const closers = fc.constantFrom(
        '"}}',
        '</tool_call>',
        '</query></search>',
        '</parameter>',
        '")',
      )
      const tail = fc.array(fc.oneof(closers, sentence), { maxLength: 5 })
      const property = fc.property(samples(dialect), tail, ({ sections, seed }, after) => {
        const [calls = []] = sections
        const output = `${dialect.write(calls)}\nThen ${after.join(' ')}`
        check({ output, mode: 'ACTION mode', seed }, calls)
      })
      fc.assert(property, bounds)
    })
  }
})
