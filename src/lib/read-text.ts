export interface ReadTextOptions {
  readonly maxBytes: number
  /** Makes the error for a body beyond `maxBytes`. */
  readonly tooLarge: () => Error
  /** Makes the error for bytes that are no UTF-8. */
  readonly notUtf8: () => Error
  /** Ends the reading of a slow body: rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The text of a request's body. Reading stops at `maxBytes`: a `content-length` header may lie. */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, tooLarge, notUtf8, signal }: ReadTextOptions,
): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
    } catch {
      throw notUtf8()
    }
  }
  const cancel = (): void => void reader?.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  try {
    let text = ''
    let bytes = 0
    for (;;) {
      signal?.throwIfAborted()
      const next = await reader?.read()
      signal?.throwIfAborted()
      if (!next || next.done) return text + decode()
      bytes += next.value.byteLength
      if (bytes > maxBytes) {
        cancel()
        throw tooLarge()
      }
      text += decode(next.value)
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
