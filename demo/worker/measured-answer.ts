import { STREAM_FILE } from '../meter/measured-stream.ts'

const MEASURED = '/measured/chat/completions'

/** Answers requests for the measured answer with its file: static hosts take no POST. */
export function serveMeasuredAnswer(): void {
  const originalFetch = fetch
  globalThis.fetch = async (...request) => {
    const [address] = request
    const url = address instanceof Request ? address.url : String(address)
    if (!url.endsWith(MEASURED)) return originalFetch(...request)
    const { body, status } = await originalFetch(new URL(`../../${STREAM_FILE}`, url), {
      cache: 'no-store',
    })
    return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } })
  }
}
