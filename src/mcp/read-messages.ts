import { createParser } from 'eventsource-parser'
import { OffstageError } from '../protocol/error.ts'
import { badAnswer, cutOff, shortWords, stopped } from './failures.ts'
import type { Secrets } from './secrets.ts'
import { type Incoming, readMessage } from './wire.ts'

export interface ReadOptions {
  /** Who answers, for people. */
  readonly source: string
  /** Of one message. */
  readonly maxBytes: number
  /** What the server must not say back: it was sent to it. */
  readonly secrets: Secrets
  /** Of the request. */
  readonly signal: AbortSignal
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
  const said = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
  const type = said.toLowerCase()
  if (type === 'text/event-stream') return yield* readEvents(response, options, place)
  if (type !== 'application/json')
    throw badAnswer(
      options.source,
      `answered with ${shortWords(options.secrets.redact(said), 100) || 'no content type'}, and not with JSON or events.`,
    )
  yield* messagesOf(await readText(response, options), options)
}

/** The whole of a body, within its bounds. */
async function readText(response: Response, options: ReadOptions): Promise<string> {
  const { source, maxBytes } = options
  let text = ''
  for await (const piece of piecesOf(response, options)) {
    text += piece
    if (text.length > maxBytes) throw tooLarge(source, maxBytes)
  }
  return text
}

async function* readEvents(
  response: Response,
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
  for await (const piece of piecesOf(response, options)) {
    parser.feed(piece)
    if (isTooLarge) throw tooLarge(options.source, options.maxBytes)
    const [events] = [data]
    data = []
    for (const event of events) yield* messagesOf(event, options)
  }
}

function* messagesOf(text: string, { source, secrets }: ReadOptions): Generator<Incoming> {
  let value: unknown
  try {
    value = secrets.parse(text)
  } catch {
    throw badAnswer(source, 'sent what is no JSON.')
  }
  // Batches: revision 2025-03-26 has them.
  for (const one of Array.isArray(value) ? value : [value]) {
    const message = readMessage(one)
    if (message) yield message
  }
}

/** Throws `stream-incomplete` when the connection breaks, and what the request was stopped with. */
async function* piecesOf(
  { body }: Response,
  { source, signal }: ReadOptions,
): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const read = (): ReturnType<typeof reader.read> =>
    reader.read().catch(() => {
      throw signal.aborted ? stopped(signal) : cutOff(source)
    })
  try {
    for (;;) {
      const { done, value } = await read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function tooLarge(source: string, maxBytes: number): OffstageError {
  return new OffstageError(
    'response-too-large',
    `${source} sent more than ${maxBytes} bytes at once. Ask for less of it, or set maxResultBytes.`,
  )
}
