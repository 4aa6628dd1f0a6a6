/** Downloads a stream as a file. The file's name begins with `name`. */
export async function downloadFile(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  name: string,
): Promise<void> {
  const blob = await new Response(stream).blob()
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = datedName(name)
  link.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Returns the name of a file that is saved today. */
export function datedName(name: string): string {
  return `${name}-${new Date().toISOString().slice(0, 10)}.jsonl`
}
