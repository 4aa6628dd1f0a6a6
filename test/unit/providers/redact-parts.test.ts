import { describe, expect, it } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { withoutKeys } from '../../../src/providers/core/redact-parts.ts'
import type { Provider } from '../../../src/providers/provider.ts'

const KEY = 'sk-abcdefghijklmnop'

const openAi = (content: string): unknown => ({ choices: [{ index: 0, delta: { content } }] })
const finish: StreamPart = { type: 'finish', finishReason: 'stop' }

async function passed(parts: readonly StreamPart[], apiKey = KEY): Promise<StreamPart[]> {
  const source: Pick<Provider, 'batches'> = {
    batches: async function* () {
      for (const part of parts) yield [part]
    },
  }
  const config = { provider: 'x', model: 'x', apiKey }
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

describe('a key split over raw events', () => {
  it('is redacted wherever it is split', async () => {
    for (let cut = 1; cut < KEY.length; cut++) {
      for (const next of [cut, Math.min(cut + 3, KEY.length)]) {
        const pieces = [`is ${KEY.slice(0, cut)}`, KEY.slice(cut, next), `${KEY.slice(next)}.`]
        const parts = await passed([...told(pieces), finish])
        expect(rawOf(parts)).toEqual(['is [redacted]', '', '.'].map(openAi))
      }
    }
  })

  it('is redacted wherever it is split, even when JSON-escaped', async () => {
    const key = 'sk-"abc\\def\nghi'
    const escaped = JSON.stringify(key).slice(1, -1)
    for (let cut = 1; cut < escaped.length; cut++) {
      const pieces = [`is ${escaped.slice(0, cut)}`, `${escaped.slice(cut)}.`]
      const parts = await passed([...told(pieces), finish], key)
      expect(rawOf(parts)).toEqual(['is [redacted]', '.'].map(openAi))
      const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
      expect(text).toBe('is [redacted].')
    }
  })

  it('is redacted in calls that stream side by side', async () => {
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

  it('is redacted when the end or an error cuts it off', async () => {
    const failed: StreamPart = { type: 'error', error: { code: 'network', message: 'x' } as never }
    for (const end of [[finish], [failed], []])
      expect(rawOf(await passed([...told(['sk-abcdefg', 'hijklmno']), ...end]))).toEqual(
        ['[redacted]', ''].map(openAi),
      )
  })
})

describe('raw events without a key', () => {
  it('stay unchanged, before the parts made from them', async () => {
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

  it('are not held back forever after an unfinished match', async () => {
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

describe('a key split over text deltas, with other parts between', () => {
  const between: readonly (readonly [string, StreamPart])[] = [
    ['a thought', { type: 'reasoning-delta', delta: 'zz' }],
    ['a file', { type: 'file', file: { type: 'file', mediaType: 'image/png', data: 'AAAA' } }],
    ['the beginning of a call', { type: 'tool-input-start', toolCallId: 'c', toolName: 'look' }],
  ]
  const merged = (parts: readonly StreamPart[]): StreamPart[] => {
    const whole: StreamPart[] = []
    for (const part of parts) {
      const last = whole.at(-1)
      if (last?.type === part.type && 'delta' in last && 'delta' in part)
        whole[whole.length - 1] = { ...last, delta: last.delta + part.delta }
      else whole.push(part)
    }
    return whole
  }
  const joined = (parts: readonly StreamPart[], type: StreamPart['type']): string =>
    parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('')

  it.each(between)('(%s) never appears whole in the text', async (_, other) => {
    for (let cut = 1; cut < KEY.length; cut++)
      for (const next of [cut, Math.min(cut + 3, KEY.length)]) {
        const pieces = [`is ${KEY.slice(0, cut)}`, KEY.slice(cut, next), `${KEY.slice(next)}.`]
        const parts = await passed([
          ...pieces.flatMap((delta): StreamPart[] => [{ type: 'text-delta', delta }, other]),
          finish,
        ])
        const text = joined(parts, 'text-delta')
        expect(text).not.toContain(KEY)
        expect(text).toMatch(/^is .*\[redacted\]\.$/)
        // Fewer characters than a key is known by are all that there is of it.
        expect(text.replaceAll('[redacted]', '').length).toBeLessThan('is .'.length + 16)
        expect(joined(parts, other.type)).toBe('delta' in other ? 'zzzzzz' : '')
      }
  })

  it('never appears whole in reasoning, text, or both when they alternate', async () => {
    const halves = [KEY.slice(0, 7), `${KEY.slice(7)}!`]
    const parts = await passed([
      ...halves.flatMap((delta): StreamPart[] => [
        { type: 'reasoning-delta', delta },
        { type: 'text-delta', delta },
      ]),
      finish,
    ])
    for (const type of ['reasoning-delta', 'text-delta'] as const)
      expect(joined(parts, type)).toBe('[redacted]!')
  })

  it('never appears whole when many other parts come between, without delaying the text', async () => {
    const others = Array.from(
      { length: 40 },
      () => ({ type: 'reasoning-delta', delta: 'z' }) as const,
    )
    const halves = [KEY.slice(0, 7), `${KEY.slice(7)}!`].map(
      (delta) => ({ type: 'text-delta', delta }) as const,
    )
    const parts = await passed([...halves.flatMap((half) => [half, ...others]), finish])
    expect(joined(parts, 'text-delta')).toBe(`${KEY.slice(0, 7)}!`)
    expect(parts.findIndex(({ type }) => type === 'text-delta')).toBeLessThan(20)
  })

  it('never appears whole in arguments of calls that alternate', async () => {
    const piece = (toolCallId: string, delta: string): StreamPart => ({
      type: 'tool-input-delta',
      toolCallId,
      delta,
    })
    const parts = await passed([
      piece('a', `{"q":"${KEY.slice(0, 9)}`),
      piece('b', '{"q":'),
      { type: 'text-delta', delta: 'x' },
      piece('a', `${KEY.slice(9)}"}`),
      finish,
    ])
    const [a] = ['a'].map((id) =>
      parts.flatMap((part) => ('toolCallId' in part && part.toolCallId === id ? [part] : [])),
    )
    expect(joined(a ?? [], 'tool-input-delta')).toBe('{"q":"[redacted]"}')
  })

  it('leaves other texts unchanged and in order', async () => {
    const other: StreamPart = { type: 'reasoning-delta', delta: 'zz' }
    const text = (delta: string): StreamPart => ({ type: 'text-delta', delta })
    const given = [text('a task s'), other, text('k-abc'), other, text('xyz sk'), other, finish]
    expect(merged(await passed(given))).toEqual(given)
  })
})
