import { expect, it, test } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { withKeyRedaction } from '../../../src/providers/registry.ts'
import type { StreamOptions } from '../../../src/providers/provider.ts'

const KEY = 'sk-"abc\\def\nghijklm'
const ESCAPED = JSON.stringify(KEY).slice(1, -1)
const finish: StreamPart = { type: 'finish', finishReason: 'stop' }

async function passed(
  parts: readonly StreamPart[],
  { apiKey = KEY, options = {} }: { apiKey?: string; options?: StreamOptions } = {},
): Promise<StreamPart[]> {
  const provider = withKeyRedaction(
    {
      id: 'x',
      stream: () => expect.unreachable(),
      batches: async function* (_request, given) {
        await given?.credentials?.(true, { provider: 'x' })
        for (const part of parts) yield [part]
      },
    },
    { provider: 'x', model: 'x', apiKey },
  )
  const out: StreamPart[] = []
  for await (const batch of provider.batches({ messages: [], tools: [] } as never, options))
    out.push(...batch)
  return out
}

test.each<[string, (text: string) => StreamPart]>([
  ['text', (delta) => ({ type: 'text-delta', delta })],
  ['reasoning', (delta) => ({ type: 'reasoning-delta', delta })],
  ['arguments', (delta) => ({ type: 'tool-input-delta', toolCallId: 'c', delta })],
  [
    'a call',
    (text) => ({ type: 'tool-call', toolCallId: 'c', toolName: 'find', input: { [text]: [text] } }),
  ],
  ['raw data', (content) => ({ type: 'raw', data: { choices: [{ delta: { content } }] } })],
  ['an error', (message) => ({ type: 'error', error: { code: 'network', message } as never })],
])('a key in %s is redacted, as it is and JSON-escaped', async (_, part) => {
  expect(await passed([part(`is ${KEY}, ${ESCAPED}.`), finish])).toEqual([
    part('is [redacted], [redacted].'),
    finish,
  ])
})

it('a key that replaces a refused one is redacted, too', async () => {
  const text = (delta: string): StreamPart => ({ type: 'text-delta', delta })
  const options = { credentials: () => Promise.resolve({ apiKey: 'sk-second-key-of-all' }) }
  expect(await passed([text(`${KEY} sk-second-key-of-all`)], { options })).toEqual([
    text('[redacted] [redacted]'),
  ])
})

it('parts without a key stay unchanged, and in their order', async () => {
  const given: StreamPart[] = [
    { type: 'raw', data: { content: 'a task s', at: [1, null, true] } },
    { type: 'text-delta', delta: 'a task s' },
    { type: 'reasoning-delta', delta: 'k-abc' },
    finish,
  ]
  expect(await passed(given)).toEqual(given)
  const [first] = await passed(given, { apiKey: 'EMPTY' })
  expect(first).toBe(given[0])
})
