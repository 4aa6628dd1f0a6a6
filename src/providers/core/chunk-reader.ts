import type { BodyFormat, ReadStatus } from './body-format.ts'
import { openEventStream } from './event-stream.ts'
import { openJsonBody } from './json-body.ts'
import { openUnexpectedBody } from './unexpected-body.ts'

export interface ChunkReader {
  push(bytes: Uint8Array): unknown[]
  end(): unknown[]
  status(): ReadStatus
}

/**
 * Turns the bytes of a 2xx body into JSON values: server-sent events or one JSON document. The first
 * character decides; content types are wrong too often.
 */
export function createChunkReader(contentType: string | null): ChunkReader {
  const decoder = new TextDecoder()
  let format: BodyFormat | undefined
  let head = ''

  function open(text: string): unknown[] {
    head += text
    const first = head.trimStart()[0]
    if (first === undefined) return []
    if (first === '<') format = openUnexpectedBody(contentType)
    else format = first === '{' || first === '[' ? openJsonBody() : openEventStream(contentType)
    return format.push(head)
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      return format ? format.push(text) : open(text)
    },
    end() {
      format ??= openUnexpectedBody(contentType)
      return format.end()
    },
    status: () => format?.status() ?? 'open',
  }
}
