import { describeThrown, OffstageError } from '../protocol/error.ts'
import { badInput } from '../client/api/failures.ts'

/** Most bytes of a skill's text. */
const MAX_BYTES = 1_000_000

/**
 * Fetches a text. Rejects with `invalid-input` if the address is not HTTP(S), `network` without an answer,
 * `bad-response` for a status other than 2xx or an answer from another origin, and `response-too-large`.
 */
export async function fetchText(address: URL, signal?: AbortSignal): Promise<string> {
  if (!/^https?:$/.test(address.protocol))
    throw badInput(`A skill is fetched over HTTP, not from ${address.protocol}`)
  const where = address.origin + address.pathname
  try {
    const response = await fetch(address, signal ? { signal } : {})
    if (!response.ok) throw refusal(`${where} answered with status ${response.status}.`)
    // The app trusts only the origin that it names, so redirects to others are refused.
    if (response.url !== '' && new URL(response.url).origin !== address.origin)
      throw refusal(`${where} leads to ${new URL(response.url).origin}, another origin.`)
    return await readText(response, where)
  } catch (thrown) {
    if (OffstageError.is(thrown)) throw thrown
    const message = `${where} could not be fetched: ${describeThrown(thrown)}`
    throw new OffstageError('network', message, { retryable: true, cause: thrown })
  }
}

async function readText({ body }: Response, where: string): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.length
      if (bytes > MAX_BYTES)
        throw new OffstageError('response-too-large', `${where} has more than ${MAX_BYTES} bytes.`)
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

function refusal(message: string): OffstageError {
  return new OffstageError('bad-response', message)
}
