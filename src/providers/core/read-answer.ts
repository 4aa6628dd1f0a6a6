import type { ErrorData } from '../../protocol/error.ts'
import type { StreamPart } from '../../protocol/message.ts'
import type { HttpProviderDefinition, ModelRequest } from '../provider.ts'
import { withRaw } from './raw-parts.ts'
import { createPartGate } from './part-gate.ts'
import { type BodyFormat, MAX_BUFFER, openEventStream, type ReadStatus } from './event-stream.ts'
import {
  badResponseError,
  brokenJsonError,
  incompleteError,
  readErrorBody,
  tooLargeError,
} from './provider-error.ts'
import { createJsonScan } from '../../lib/json-scan.ts'
import { parseJson } from './read-json.ts'

/** Turns the bytes of an answer into parts. */
export interface AnswerReader {
  /** Whether more bytes are wanted. */
  isOpen(): boolean
  /** The answer's end was seen: it is complete, whatever follows in the body. */
  isProven(): boolean
  /** The output is over; only the answer's end is awaited. */
  isEnding(): boolean
  push(bytes: Uint8Array): readonly StreamPart[]
  /** Handles the end of the body. */
  end(): readonly StreamPart[]
  /** Returns the last parts. `failure`: what cut the answer short, other than the body's end. */
  close(failure: ErrorData | undefined): readonly StreamPart[]
}

/** Failures that don't count after a proven end: nothing is missing then. */
const harmlessAfterEnd: ReadonlySet<string> = new Set(['stream-incomplete', 'timeout'])

export function createAnswerReader<State>(
  definition: HttpProviderDefinition<State>,
  state: State,
  answer: Pick<ModelRequest, 'raw'> & { readonly contentType: string | null },
): AnswerReader {
  const { contentType } = answer
  const chunks = createChunkReader(contentType)
  const gate = createPartGate()

  function map(values: readonly unknown[]): readonly StreamPart[] {
    const batch: StreamPart[] = []
    for (const value of values) {
      // Data after the end is ignored, whether in this piece or a later one.
      if (gate.ending() !== undefined) break
      gate.pass(withRaw(answer, value, definition.mapChunk(state, value)), batch)
    }
    return batch
  }

  return {
    isOpen: () => chunks.status() === 'open' && gate.ending() === undefined,
    isProven: () => chunks.status() === 'done' || gate.ending() === 'finish',
    isEnding: () => definition.isEnding?.(state) === true,
    push: (bytes) => map(chunks.push(bytes)),
    end: () => map(chunks.end()),
    close(cause) {
      const batch: StreamPart[] = []
      const status = chunks.status()
      const unread = typeof status === 'string' || gate.ending() === 'finish' ? undefined : status
      const error = cause ?? unread
      const isFinal = error !== undefined && !harmlessAfterEnd.has(error.code)
      if (gate.ending() !== 'finish') {
        // An end marker after an error is read only if both came in one piece, and proves nothing.
        const done = cause === undefined && status === 'done' && gate.ending() === undefined
        const ended = definition.end?.(state, { done }) ?? []
        // The reason why this side ended the answer outweighs an error seen in it.
        gate.pass(isFinal && cause ? ended.filter(({ type }) => type !== 'error') : ended, batch)
      }
      gate.close(batch, error && { error, final: isFinal })
      return batch
    },
  }
}

interface ChunkReader {
  push(bytes: Uint8Array): unknown[]
  end(): unknown[]
  status(): ReadStatus
}

/**
 * Turns the bytes of a 2xx body into JSON values: server-sent events or one JSON document. The first
 * character decides; content types are wrong too often.
 */
function createChunkReader(contentType: string | null): ChunkReader {
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

/** Enough of a page to find an error message in it. */
const EXCERPT = 4_096

/** Reads a body that isn't a model's answer (mostly HTML), only as far as its error needs. */
function openUnexpectedBody(contentType: string | null): BodyFormat {
  let text = ''
  let status: ReadStatus = 'open'

  function fail(): unknown[] {
    status = badResponseError({ contentType, body: text })
    return []
  }

  return {
    push(more) {
      text += more
      return text.length < EXCERPT ? [] : fail()
    },
    end: fail,
    status: () => status,
  }
}

/** Matches the end of a stream, which some gateways append to every answer, even to an error. */
const STREAM_END = /^(?:event|data):[^]*|data:\s*\[DONE\]\s*$/m

/** Reads a body that is one JSON document: a non-streamed answer, or an error under status 200. */
function openJsonBody(): BodyFormat {
  const pieces: string[] = []
  let length = 0
  let status: ReadStatus = 'open'

  return {
    push(text) {
      length += text.length
      if (length > MAX_BUFFER) status = tooLargeError(MAX_BUFFER)
      else pieces.push(text)
      return []
    },
    end() {
      const text = pieces.join('')
      const value = parseJson(text) ?? parseJson(text.replace(STREAM_END, '')) ?? leadingError(text)
      status = value === undefined ? failureOf(text) : 'done'
      if (value === undefined) return []
      // Some gateways send the chunks of a stream as one list.
      return Array.isArray(value) ? value : [value]
    },
    status: () => status,
  }
}

/** Returns an error that stands on the first line of an event stream. */
function leadingError(text: string): unknown {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1)
  const value = parseJson(line)
  return readErrorBody(value) && value
}

function failureOf(text: string): ErrorData {
  const scan = createJsonScan()
  scan.push(text)
  return scan.isOpen() ? incompleteError() : brokenJsonError(text)
}
