import { isRecord } from '../../lib/shape.ts'

/** Bytes of an answer of an authorization server. */
const MAX_DOCUMENT = 100_000

/** An answer that is a JSON object of some size; null: it isn't. No more than that is read. */
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
