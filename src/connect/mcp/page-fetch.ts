import { OffstageError } from '../../protocol/error.ts'
import { cutOff, stopped } from './failures.ts'
import type { McpFetch } from './options.ts'

/** The page's `fetch`. Looked up at each call, because the app may replace it later. */
export const pageFetch: McpFetch = (url, request) => fetch(url, request)

export interface BodyOptions {
  /** Name of the server, for people. */
  readonly source: string
  /** Maximum bytes of one message. */
  readonly maxBytes: number
  /** Signal of the request. */
  readonly signal: AbortSignal
}

/** Reads a whole body, up to `maxBytes`. */
export async function readText(response: Response, options: BodyOptions): Promise<string> {
  const { source, maxBytes } = options
  let text = ''
  for await (const piece of piecesOf(response, options)) {
    text += piece
    if (text.length > maxBytes) throw tooLarge(source, maxBytes)
  }
  return text
}

/** Throws `stream-incomplete` if the connection breaks. Throws the reason if the request was stopped. */
export async function* piecesOf(
  { body }: Response,
  { source, signal }: BodyOptions,
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

export function tooLarge(source: string, maxBytes: number): OffstageError {
  return new OffstageError(
    'response-too-large',
    `${source} sent more than ${maxBytes} bytes at once. Ask for less of it, or set maxResultBytes.`,
  )
}
