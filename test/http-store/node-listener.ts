import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { StoreHandler } from '../../src/http-store/server/index.ts'

/** Answers Node's requests by a handler of the web's: what frameworks do that have no `Request` of their own. */
export function nodeListener(
  handler: StoreHandler,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, response) => {
    const { method = 'GET', headers, url = '/' } = incoming
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const request = new Request(new URL(url, `http://${headers.host}`), {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, each]),
      ),
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const }),
      signal: gone.signal,
    } as RequestInit)
    const answer = await handler(request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.flushHeaders()
    const reader = answer.body?.getReader()
    gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined))
    for (;;) {
      const next = await reader?.read().catch(() => null)
      if (!next || next.done) break
      response.write(next.value)
    }
    response.end()
  }
}
