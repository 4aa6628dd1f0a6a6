export interface ReadBodyOptions {
  /**
   * Gets the number of bytes read so far. May throw to stop reading, because a `content-length` header may be wrong.
   */
  readonly onProgress: (bytes: number) => void
  /** Creates the error for bytes that aren't UTF-8. */
  readonly notUtf8: () => Error
  /** Stops reading a slow body. `readBodyText` then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Reads the text of a request's body. */
export async function readBodyText(
  body: ReadableStream<Uint8Array> | null,
  { onProgress, notUtf8, signal }: ReadBodyOptions,
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
      onProgress(bytes)
      text += decode(next.value)
    }
  } catch (error) {
    cancel()
    throw error
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
