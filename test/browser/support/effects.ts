import { createServer } from 'node:http'
import { listen } from './listen.ts'

export interface Effects {
  readonly url: string
  /** Idempotency keys of the requests, in order. */
  readonly keys: readonly string[]
}

/** Starts a server that records the `?key=` of each request and never answers. */
export async function startEffects(): Promise<Effects & { close(): Promise<void> }> {
  const keys: string[] = []
  const server = createServer((request) => {
    keys.push(new URL(request.url ?? '/', 'http://own').searchParams.get('key') ?? '')
  })
  const { url, close } = await listen(server)
  return { url, keys, close }
}
