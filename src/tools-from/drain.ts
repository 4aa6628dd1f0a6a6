/** No model reads more; a generator may have no end. */
const MAX_VALUES = 1000

/** What a generator yields, as a list; all else as it is. */
export async function drain(result: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const value = await result
  if (!isGenerator(value)) return value
  const values: unknown[] = []
  for await (const each of value) {
    values.push(each)
    if (signal?.aborted || values.length === MAX_VALUES) break
  }
  return values
}

function isGenerator(value: unknown): value is AsyncIterable<unknown> {
  return /^\[object (?:Async)?Generator\]$/.test(Object.prototype.toString.call(value))
}
