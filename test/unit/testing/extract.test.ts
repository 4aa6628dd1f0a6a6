import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { OffstageError } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { extractJson } from '../../../src/worker/model/extract.ts'

const schema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, count: { type: 'integer' } },
    required: ['name', 'count'],
  },
} as const

const answers = (...texts: string[]) =>
  createTestAgent({ script: { steps: texts.map((text) => ({ text })) } })

describe('extract', () => {
  it('returns matching data from prose and a code fence', async () => {
    const agent = answers(
      'Here you go:\n```json\n[{"name": "mug", "count": 2}]\n```\nAnything else?',
    )
    const data = await agent.extract({ schema, input: 'Two mugs' })
    expectTypeOf(data).toEqualTypeOf<{ name: string; count: number }[]>()
    expect(data).toEqual([{ name: 'mug', count: 2 }])
    expect(await agent.conversations.list()).toEqual([])
    await agent.dispose()
  })

  it('sends errors to the model, and accepts the corrected answer', async () => {
    const agent = answers('no idea', '[{"name": "mug"}]', '[{"name": "mug", "count": 2}]')
    expect(await agent.extract({ schema, input: 'Two mugs' })).toEqual([{ name: 'mug', count: 2 }])
    await agent.dispose()
  })

  it('gives up after `retries`, naming the last problem', async () => {
    const agent = answers('no', 'still no')
    const error: unknown = await agent
      .extract({ schema, input: 'x', retries: 1 })
      .catch((thrown: unknown) => thrown)
    expect(OffstageError.is(error) && error.code).toBe('invalid-output')
    await agent.dispose()
  })

  it("returns a Standard Schema's output, and sends its errors to the model", async () => {
    const agent = answers('{"n": 3}', '{"n": 4}')
    const even = z.object({
      n: z
        .number()
        .refine((n) => n % 2 === 0, 'must be even')
        .transform(String),
    })
    const data = await agent.extract({ schema: even, input: 'A number' })
    expectTypeOf(data).toEqualTypeOf<{ n: string }>()
    expect(data).toEqual({ n: '4' })
    await agent.dispose()
  })
})

describe('extractJson', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    [' 3 ', 3],
    ['Sure! {"a": "}"} is it.', { a: '}' }],
    ['Use [this] then {"a":1}', { a: 1 }],
    ['```\n{"a":1}\n```', { a: 1 }],
    ['~ [1, 2', undefined],
    ['nothing', undefined],
    ['', undefined],
  ])('parses %j', (text, value) => {
    expect(extractJson(text)).toEqual(value)
  })

  it('takes linear time for brackets that lead nowhere', () => {
    expect(extractJson('['.repeat(200_000))).toBeUndefined()
    expect(extractJson('{x}'.repeat(100_000))).toBeUndefined()
  })
})
