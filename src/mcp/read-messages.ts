import { createParser } from 'eventsource-parser'
import { OffstageError } from '../protocol/error.ts'
import { badAnswer } from './failures.ts'
import { type Incoming, readMessage } from './wire.ts'

export interface ReadOptions {
  /** Who answers, for people. */
  readonly source: string
  /** Of one message. */
  readonly maxBytes: number
  /** What the server must not say back: it was sent to it. */
  readonly secrets: readonly string[]
}

/** Where a stream of events was when it ended (Last-Event-ID, `retry`). */
export interface StreamPlace {
  lastEventId?: string
  retryMs?: number
}

/**
 * The JSON-RPC messages of an answer: one object, or events. Throws `bad-response` for another content type and what is
 * no JSON, `response-too-large` for a message of more than `maxBytes`.
 */
export async function* readMessages(
  response: Response,
  options: ReadOptions,
  place: StreamPlace = {},
): AsyncGenerator<Incoming> {
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return yield* readEvents(response, options, place)
  if (type !== 'application/json')
    throw badAnswer(
      options.source,
      `answered with ${type || 'no content type'}, and not with JSON or events.`,
    )
  yield* messagesOf(await readText(response, options), options)
}

/** The whole of a body, within its bounds. */
export async function readText(
  { body }: Response,
  { source, maxBytes, secrets }: ReadOptions,
): Promise<string> {
  let text = ''
  for await (const piece of piecesOf(body)) {
    text += piece
    if (text.length > maxBytes) throw tooLarge(source, maxBytes)
  }
  return withoutSecrets(text, secrets)
}

async function* readEvents(
  { body }: Response,
  options: ReadOptions,
  place: StreamPlace,
): AsyncGenerator<Incoming> {
  let data: string[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: options.maxBytes,
    onEvent(event) {
      if (event.id !== undefined) place.lastEventId = event.id
      if (event.data.length > options.maxBytes) isTooLarge = true
      else if (event.data !== '') data.push(event.data)
    },
    onRetry: (ms) => void (place.retryMs = ms),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  for await (const piece of piecesOf(body)) {
    parser.feed(piece)
    if (isTooLarge) throw tooLarge(options.source, options.maxBytes)
    const [events] = [data]
    data = []
    for (const event of events) yield* messagesOf(withoutSecrets(event, options.secrets), options)
  }
}

function* messagesOf(text: string, { source }: ReadOptions): Generator<Incoming> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badAnswer(source, 'sent what is no JSON.')
  }
  // Batches: revision 2025-03-26 has them.
  for (const one of Array.isArray(value) ? value : [value]) {
    const message = readMessage(one)
    if (message) yield message
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** A server that repeats a token puts it into no result and no error. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

function tooLarge(source: string, maxBytes: number): OffstageError {
  return new OffstageError(
    'response-too-large',
    `${source} sent more than ${maxBytes} bytes at once. Ask for less of it, or set maxResultBytes.`,
  )
}
