import { onTestFinished, vi } from 'vitest'

/**
 * Until the test ends, each request for an answer of the model server is answered by an event stream of its own, and any
 * other one with 404: what else runs in the process may fetch, too.
 */
export function streamFrom(baseURL: string, body: () => ReadableStream<Uint8Array> | string): void {
  const paths = ['chat/completions', 'messages', 'responses']
  const answers = paths.map((path) => `${baseURL}/${path}`)
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (asked) => {
    const url = asked instanceof Request ? asked.url : String(asked)
    return answers.includes(url)
      ? new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
      : new Response(null, { status: 404 })
  })
  onTestFinished(() => fetched.mockRestore())
}
