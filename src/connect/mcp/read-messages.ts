import { createParser } from 'eventsource-parser'
import { OffstageError } from '../../protocol/error.ts'
import { badAnswer, cutOff, shortWords, stopped } from './failures.ts'
import type { Secrets } from './http.ts'
import { type Incoming, readMessage } from './wire.ts'

export interface ReadOptions {
  /** Name of the server, for people. */
  readonly source: string
  /** Most bytes of one message. */
  readonly maxBytes: number
  /** Secrets that were sent to the server and are removed from its messages. */
  readonly secrets: Secrets
  /** Signal of the request. */
  readonly signal: AbortSignal
}

/** Position of an event stream when it ended (Last-Event-ID, `retry`). */
export interface StreamPlace {
  lastEventId?: string
  retryMs?: number
}

/**
 * Yields the JSON-RPC messages of an answer, which is one object or an event stream. Throws `bad-response` for another
 * content type and for invalid JSON. Throws `response-too-large` for a message of more than `maxBytes`.
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

/** Reads a whole body, up to `maxBytes`. */
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
    throw badAnswer(source, 'sent invalid JSON.')
  }
  // Revision 2025-03-26 has batches.
  for (const one of Array.isArray(value) ? value : [value]) {
    const message = readMessage(one)
    if (message) yield message
  }
}

/** Throws `stream-incomplete` if the connection breaks. Throws the reason if the request was stopped. */
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
