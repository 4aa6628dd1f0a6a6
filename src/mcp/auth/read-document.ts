import { isRecord } from '../../lib/shape.ts'

/** Most bytes of an answer from an authorization server. */
const MAX_DOCUMENT = 100_000

/** The answer, if it is a JSON object within the limit; otherwise null. Reads no further than the limit. */
export async function readDocument(
  response: Response,
): Promise<Readonly<Record<string, unknown>> | null> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  try {
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {}
      if (done || !value) break
      bytes += value.byteLength
      if (bytes > MAX_DOCUMENT) return null
      text += decoder.decode(value, { stream: true })
    }
    const found: unknown = JSON.parse(text)
    return isRecord(found) ? found : null
  } catch {
    return null
  } finally {
    reader?.cancel().catch(() => undefined)
  }
}
