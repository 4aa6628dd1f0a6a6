import { describe, expect, test } from 'vitest'
import { formatOutput } from '../../../src/client/execution/format-output.ts'

const bytesOf = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0))

const json = (value: unknown) => ({ type: 'json', value })

describe('formatOutput', () => {
  test('no result becomes a short success text', async () => {
    expect(await formatOutput(undefined)).toMatchObject({ type: 'text' })
  })

  test('plain values stay unchanged', async () => {
    expect(await formatOutput('text')).toEqual({ type: 'text', value: 'text' })
    for (const value of [null, 0, false, [], { a: [1, { b: null }] }])
      expect(await formatOutput(value)).toEqual(json(value))
  })

  test('values that JSON lacks take a safe form', async () => {
    const circular: Record<string, unknown> = { name: 'a', shared: { x: 1 } }
    circular.self = circular
    circular.again = circular.shared
    expect(await formatOutput(circular)).toEqual(
      json({ name: 'a', shared: { x: 1 }, self: '[Circular]', again: { x: 1 } }),
    )
    expect(await formatOutput(10n)).toEqual(json('10'))
    expect(await formatOutput({ big: 10n, at: new Date(0), no: () => 1, s: Symbol('s') })).toEqual(
      json({ big: '10', at: '1970-01-01T00:00:00.000Z' }),
    )
    expect(await formatOutput(new Map<string, unknown>([['k', new Set([1])]]))).toEqual(
      json({ k: [1] }),
    )
    expect(await formatOutput({ e: new TypeError('bad') })).toEqual(
      json({ e: { name: 'TypeError', message: 'bad' } }),
    )
    expect(await formatOutput({ at: new Float32Array([0.5, 2]) })).toEqual(json({ at: [0.5, 2] }))
    expect(
      await formatOutput({ node: { nodeType: 1, [Symbol.toStringTag]: 'HTMLDivElement' } }),
    ).toEqual(json({ node: '[HTMLDivElement]' }))
    expect(await formatOutput(JSON.parse('{"__proto__":{"x":1}}'))).toEqual(
      json(JSON.parse('{"__proto__":{"x":1}}')),
    )
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('values that can’t be sent become an error that says so', async () => {
    const deep: unknown[] = []
    let at = deep
    for (let depth = 0; depth < 100_000; depth++) at.push((at = []))
    const selfish = new Map()
    selfish.set('self', selfish)
    const values = [
      () => 1,
      Symbol('s'),
      new Response('text'),
      new URLSearchParams('q=1'),
      deep,
      selfish,
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
    ]
    for (const value of values) {
      const output = await formatOutput(value)
      expect(output).toMatchObject({ type: 'error', code: 'failed' })
      expect('message' in output && output.message.length).toBeGreaterThan(20)
    }
  })

  test('output that is too long is cut, and marked as cut', async () => {
    for (const value of ['x'.repeat(200_000), { text: 'y'.repeat(200_000) }]) {
      const output = await formatOutput(value)
      expect(output.type).toBe('text')
      const text = (output as { value: string }).value
      expect(text.length).toBeLessThan(100_200)
      expect(text).toMatch(/truncated.*100000 of 2000\d\d characters/)
    }
  })

  test('files become attachments, alone or among other items', async () => {
    const file = new File([new Uint8Array([1, 2, 255])], 'a.png', { type: 'image/png' })
    const part = { type: 'file', mediaType: 'image/png', data: 'AQL/', filename: 'a.png' }
    expect(await formatOutput(file)).toEqual({ type: 'content', value: [part] })
    expect(await formatOutput(new Blob(['hi']))).toEqual({
      type: 'content',
      value: [{ type: 'file', mediaType: 'application/octet-stream', data: 'aGk=' }],
    })
    expect(await formatOutput(['see', file, { a: 1 }])).toEqual({
      type: 'content',
      value: [{ type: 'text', text: 'see' }, part, { type: 'text', text: '{"a":1}' }],
    })
    expect(await formatOutput({ text: 'see', shots: [{ file }, { file }] })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: '{"text":"see","shots":[{"file":"[file 1]"},{"file":"[file 2]"}]}' },
        part,
        part,
      ],
    })
    const large = new Blob([new Uint8Array(50_000_000)], { type: 'video/mp4' })
    expect(await formatOutput(large)).toMatchObject({
      value: [{ type: 'text', text: expect.stringContaining('too large') }],
    })
  })

  test.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['image/gif', bytesOf('GIF89a')],
    ['image/webp', bytesOf('RIFF0000WEBPVP8 ')],
    ['application/pdf', bytesOf('%PDF-1.7')],
    ['application/octet-stream', [1, 2, 3]],
  ])('bytes become a file of the type that their beginning shows: %s', async (mediaType, bytes) => {
    const part = { type: 'file', mediaType, data: btoa(String.fromCharCode(...bytes)) }
    const typed = Uint8Array.from(bytes)
    for (const value of [typed, typed.buffer, new DataView(typed.buffer), new Blob([typed])])
      expect(await formatOutput(value)).toEqual({ type: 'content', value: [part] })
  })

  test('content of MCP and the AI SDK becomes its texts and files, in order', async () => {
    const data = 'AQL/'
    const parts = [
      { type: 'text', text: 'before' },
      { type: 'file', mediaType: 'image/png', data },
      { type: 'text', text: 'after' },
    ]
    const [before, , after] = parts
    const mcp = [before, { type: 'image', data, mimeType: 'image/png' }, after]
    const resource = { uri: 'a://b', blob: data, mimeType: 'image/png' }
    const values = [
      parts,
      mcp,
      { content: mcp, isError: false },
      { content: [before, { type: 'resource', resource }, after] },
      { type: 'content', value: [before, { type: 'media', data, mediaType: 'image/png' }, after] },
      ['before', `data:image/png;base64,${data}`, 'after'],
    ]
    for (const value of values)
      expect(await formatOutput(value)).toEqual({ type: 'content', value: parts })
    expect(await formatOutput({ content: [before] })).toEqual({ type: 'content', value: [before] })
    expect(await formatOutput({ content: [before], isError: true })).toEqual({
      type: 'error',
      code: 'failed',
      message: 'before',
    })
    const source = { type: 'base64', media_type: 'image/png', data }
    expect(await formatOutput({ type: 'image', source })).toMatchObject({
      value: [{ text: '{"type":"image","source":"[file 1]"}' }, { mediaType: 'image/png', data }],
    })
  })

  test('an unreadable file is an error, and data that only looks similar stays data', async () => {
    expect(await formatOutput({ type: 'image', data: '<svg/>', mimeType: 'image/png' })).toEqual({
      type: 'error',
      code: 'failed',
      message: expect.stringContaining('is not base64'),
    })
    for (const value of [
      { type: 'email', data: 'Hello', mimeType: 'text/html' },
      [{ type: 'text', text: 'x', id: 3 }],
      { content: 'text', title: 'Note' },
      { content: [{ type: 'text', text: 'x' }], title: 'Note' },
    ])
      expect(await formatOutput(value)).toEqual(json(value))
    expect(await formatOutput('data:nothing')).toEqual({ type: 'text', value: 'data:nothing' })
  })
})
