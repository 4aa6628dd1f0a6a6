import type { ErrorData } from '../../protocol/error.ts'
import type { BodyFormat, ReadStatus } from './body-format.ts'
import { openEventStream } from './event-stream.ts'
import { openJsonBody } from './json-body.ts'
import { badResponseError } from './transport-error.ts'

export interface ChunkReader {
  push(bytes: Uint8Array): unknown[]
  end(): unknown[]
  status(): ReadStatus
}

/**
 * Turns the bytes of a 2xx body into JSON values: server-sent events or one JSON document. Which it
 * is, the first character says; content types are wrong too often.
 */
export function createChunkReader(contentType: string | null): ChunkReader {
  const decoder = new TextDecoder()
  let format: BodyFormat | undefined
  let head = ''
  let failure: ErrorData | undefined

  function detect(text: string): unknown[] {
    head += text
    const first = head.trimStart()[0]
    if (first === undefined) return []
    if (first === '<') failure = badResponseError({ contentType, body: head })
    else format = first === '{' || first === '[' ? openJsonBody() : openEventStream(contentType)
    return format?.push(head) ?? []
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      return format ? format.push(text) : detect(text)
    },
    end() {
      if (format) return format.end()
      failure ??= badResponseError({ contentType, body: head })
      return []
    },
    status: () => failure ?? format?.status() ?? 'open',
  }
}
