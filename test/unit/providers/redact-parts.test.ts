import { describe, expect, it } from 'vitest'
import type { StreamPart } from '../../../src/protocol/stream-part.ts'
import { withoutKeys } from '../../../src/providers/core/redact-parts.ts'
import type { Provider } from '../../../src/providers/provider.ts'

const KEY = 'sk-abcdefghijklmnop'

const openAi = (content: string): unknown => ({ choices: [{ index: 0, delta: { content } }] })
const finish: StreamPart = { type: 'finish', finishReason: 'stop' }

async function passed(parts: readonly StreamPart[]): Promise<StreamPart[]> {
  const source: Pick<Provider, 'batches'> = {
    batches: async function* () {
      for (const part of parts) yield [part]
    },
  }
  const config = { provider: 'x', model: 'x', apiKey: KEY }
  const provider = withoutKeys({ id: 'x', stream: () => expect.unreachable(), ...source }, config)
  const out: StreamPart[] = []
  for await (const batch of provider.batches({ messages: [], tools: [] } as never))
    out.push(...batch)
  return out
}

const told = (pieces: readonly string[], data = openAi): StreamPart[] =>
  pieces.flatMap((delta): StreamPart[] => [
    { type: 'raw', data: data(delta) },
    { type: 'text-delta', delta },
  ])

const rawOf = (parts: readonly StreamPart[]): unknown[] =>
  parts.flatMap((part) => (part.type === 'raw' ? [part.data] : []))

describe('a key in pieces of raw data', () => {
  it('is taken out wherever it is cut', async () => {
    for (let cut = 1; cut < KEY.length; cut++) {
      for (const next of [cut, Math.min(cut + 3, KEY.length)]) {
        const pieces = [`is ${KEY.slice(0, cut)}`, KEY.slice(cut, next), `${KEY.slice(next)}.`]
        const parts = await passed([...told(pieces), finish])
        expect(rawOf(parts)).toEqual(['is [redacted]', '', '.'].map(openAi))
      }
    }
  })

  it('is taken out of calls that are written side by side', async () => {
    const piece = (index: number, text: string): StreamPart => ({
      type: 'raw',
      data: { choices: [{ delta: { tool_calls: [{ index, function: { arguments: text } }] } }] },
    })
    const parts = await passed([
      piece(0, 'a sk-abcdef'),
      piece(1, 'b sk-abcdefghi'),
      piece(0, 'ghijklmnop.'),
      piece(1, 'jklmnop.'),
      finish,
    ])
    expect(JSON.stringify(rawOf(parts))).not.toMatch(/abc|ghi|mnop/)
    expect(parts.at(-1)).toEqual(finish)
  })

  it('is taken out when it was cut off by the end or an error', async () => {
    const failed: StreamPart = { type: 'error', error: { code: 'network', message: 'x' } as never }
    for (const end of [[finish], [failed], []])
      expect(rawOf(await passed([...told(['sk-abcdefg', 'hijklmno']), ...end]))).toEqual(
        ['[redacted]', ''].map(openAi),
      )
  })
})

describe('raw data without a key', () => {
  it('stays as it is, before the parts that came of it', async () => {
    const pieces = ['thi', 's is', ' s', 'sk-', 'a task s']
    const parts = await passed([...told(pieces), finish])
    expect(rawOf(parts)).toEqual(pieces.map(openAi))
    let raw = ''
    let text = ''
    for (const part of parts) {
      if (part.type === 'raw') raw += JSON.stringify(part.data).match(/content":"([^"]*)/)?.[1]
      if (part.type === 'text-delta') text += part.delta
      expect(raw.startsWith(text)).toBe(true)
    }
    expect(text).toBe(pieces.join(''))
  })

  it('is not held back for ever by a place that does not go on', async () => {
    const others = Array.from({ length: 1000 }, (_, n) => ({ type: 'raw', data: { n } }) as const)
    let first = -1
    const source = async function* (): AsyncGenerator<readonly StreamPart[]> {
      yield [{ type: 'raw', data: openAi('s') }]
      for (const [at, other] of others.entries()) {
        if (first === -2) first = at
        yield [other]
      }
    }
    const config = { provider: 'x', model: 'x', apiKey: KEY }
    const provider = { id: 'x', stream: () => expect.unreachable(), batches: source }
    for await (const batch of withoutKeys(provider, config).batches({} as never))
      if (batch.length > 0 && first === -1) first = -2
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(300)
  })
})
