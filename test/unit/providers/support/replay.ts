import type { ModelRequest } from '../../../../src/providers/provider.ts'

const encoder = new TextEncoder()

export interface ReplayOptions {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Bytes a piece; 0: all at once. */
  readonly pieceSize?: number
  /** After the last piece: close as usual, break the connection, or stay open. */
  readonly ending?: 'close' | 'reset' | 'hang'
}

/** A body that hands out the bytes in pieces. */
export function bodyOf(
  bytes: Uint8Array,
  { pieceSize = 0, ending = 'close' }: ReplayOptions = {},
): ReadableStream<Uint8Array> {
  const size = pieceSize || Math.max(1, bytes.length)
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.subarray(at, at + size))
        at += size
      } else if (ending === 'close') controller.close()
      else if (ending === 'reset') controller.error(new TypeError('network error'))
      else return new Promise<void>(() => {})
    },
  })
}

/** A fetch that answers every request with this body. */
export function replay(body: string | Uint8Array, options: ReplayOptions = {}): typeof fetch {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return () =>
    Promise.resolve(
      new Response(bodyOf(bytes, options), {
        status: options.status ?? 200,
        headers: { 'content-type': 'text/event-stream', ...options.headers },
      }),
    )
}

/** Server-sent events of these chunks; strings are sent as they are. */
export function sse(...chunks: readonly unknown[]): string {
  return chunks
    .map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    .join('')
}

export const weatherTool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}

export const pingTool = { name: 'ping', description: 'Answers.', inputSchema: { type: 'object' } }

export const askWeather: ModelRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'How is the weather in Paris?' }] }],
  tools: [weatherTool, pingTool],
}
