import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { askWeather, sse } from './support/replay.ts'

const ollama: ProviderConfig = { provider: 'ollama', model: 'm' }
const anthropic: ProviderConfig = { provider: 'anthropic', model: 'm', apiKey: 'sk-dummy' }

// Answers up to and with their end markers.
const chat = sse(
  { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  '[DONE]',
)
const message = sse(
  { type: 'message_start', message: { content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
)

/** A body in the hands of the test, and what becomes of its request. */
class Connection {
  readonly #encoder = new TextEncoder()
  #target: ReadableStreamDefaultController<Uint8Array> | undefined
  signal: AbortSignal | null | undefined
  isCancelled = false
  reads = 0

  readonly fetch: typeof fetch = (_, init) => {
    this.signal = init?.signal
    return Promise.resolve(new Response(this.#body))
  }

  readonly #body = new ReadableStream<Uint8Array>(
    {
      start: (target) => void (this.#target = target),
      pull: () => void (this.reads += 1),
      cancel: () => void (this.isCancelled = true),
    },
    { highWaterMark: 0 },
  )

  send(text: string): void {
    this.#target?.enqueue(this.#encoder.encode(text))
  }

  close(): void {
    this.#target?.close()
  }

  break(): void {
    this.#target?.error(new TypeError('network error'))
  }

  get isCutOff(): boolean {
    return this.isCancelled || this.signal?.aborted === true
  }
}

const uncaught: unknown[] = []
const note = (reason: unknown): void => void uncaught.push(reason)

beforeEach(() => {
  vi.useFakeTimers()
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  vi.useRealTimers()
  await new Promise((resolve) => setTimeout(resolve, 0))
  process.off('unhandledRejection', note)
  expect(uncaught.splice(0)).toEqual([])
})

/** The turn, once it is whole; the connection stays open. */
async function answered(
  connection: Connection,
  {
    config = ollama,
    body = chat,
    signal,
  }: { config?: ProviderConfig; body?: string; signal?: AbortSignal } = {},
): Promise<void> {
  const { fetch } = connection
  const asked = collect(
    createProvider(config).stream(askWeather, { fetch, ...(signal && { signal }) }),
  )
  connection.send(body)
  const turn = await asked
  expect(turn).toMatchObject({ text: 'Hi', finishReason: 'stop' })
  expect(turn.error).toBeUndefined()
}

test.each([
  [ollama, chat],
  [anthropic, message],
])(
  'a turn is over at its end marker, and its request is read to the end: %j',
  async (config, body) => {
    const connection = new Connection()
    await answered(connection, { config, body })
    expect(connection.isCutOff).toBe(false)
    connection.send(sse({ choices: [{ delta: { content: 'too late' } }] }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connection.isCutOff).toBe(false)
    const before = connection.reads
    connection.close()
    await vi.advanceTimersByTimeAsync(0)
    expect(connection.isCancelled).toBe(false)
    expect(connection.reads).toBe(before)
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('a server that never closes is cancelled after a second and a half', async () => {
  const connection = new Connection()
  await answered(connection)
  await vi.advanceTimersByTimeAsync(1_499)
  expect(connection.isCutOff).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(connection).toMatchObject({ isCancelled: true, signal: { aborted: true } })
  expect(vi.getTimerCount()).toBe(0)
})

test('a server that never stops sending is cancelled after 64 KB', async () => {
  const connection = new Connection()
  await answered(connection)
  const piece = `: ${'.'.repeat(16 * 1024)}\n`
  for (let sent = 0; sent < 64 * 1024; sent += piece.length) {
    expect(connection.isCutOff).toBe(false)
    connection.send(piece)
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(connection.isCutOff).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('an abort stops reading after the end', async () => {
  const connection = new Connection()
  const stop = new AbortController()
  await answered(connection, { signal: stop.signal })
  expect(connection.isCutOff).toBe(false)
  stop.abort()
  expect(connection.isCutOff).toBe(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('a connection that breaks after the end causes no error', async () => {
  const connection = new Connection()
  await answered(connection)
  connection.break()
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('the next request is sent while the previous body is still read', async () => {
  const [first, second] = [new Connection(), new Connection()]
  await answered(first)
  await answered(second)
  expect([first.isCutOff, second.isCutOff]).toEqual([false, false])
})

test('after an error in the stream, the body is not read on', async () => {
  const connection = new Connection()
  const { fetch } = connection
  const asked = collect(createProvider(ollama).stream(askWeather, { fetch }))
  connection.send(sse({ error: { message: 'on fire' } }))
  expect((await asked).error?.message).toContain('on fire')
  expect(connection.isCutOff).toBe(true)
})
