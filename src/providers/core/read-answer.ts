import type { ErrorData } from '../../protocol/error.ts'
import type { StreamPart } from '../../protocol/message.ts'
import type { HttpProviderDefinition, ModelRequest } from '../provider.ts'
import { withRaw } from './raw-parts.ts'
import { createPartGate } from './part-gate.ts'
import {
  badResponseError,
  brokenJsonError,
  incompleteError,
  readErrorBody,
  tooLargeError,
} from './provider-error.ts'
import { createJsonScan } from '../../lib/json/json-scan.ts'
import { parseJson, asRecord } from './read-json.ts'
import { createParser, type EventSourceMessage, type ParseError } from 'eventsource-parser'

/** Turns the bytes of an answer into parts. */
export interface AnswerReader {
  /** Whether more bytes are wanted. */
  isOpen(): boolean
  /** The answer's end was seen. The answer is complete, even if the body continues. */
  isProven(): boolean
  /** The output is over; only the answer's end is missing. */
  isEnding(): boolean
  push(bytes: Uint8Array): readonly StreamPart[]
  /** Handles the end of the body. */
  end(): readonly StreamPart[]
  /** Returns the last parts. `failure`: why the answer was cut short, if not by the body's end. */
  close(failure: ErrorData | undefined): readonly StreamPart[]
}

/** Failures that are ignored after a proven end, because nothing is missing then. */
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
      const readFailure =
        typeof status === 'string' || gate.ending() === 'finish' ? undefined : status
      const error = cause ?? readFailure
      const isFinal = error !== undefined && !harmlessAfterEnd.has(error.code)
      if (gate.ending() !== 'finish') {
        // An end marker after an error is read only if both arrived in one piece. It proves nothing.
        const done = cause === undefined && status === 'done' && gate.ending() === undefined
        const endParts = definition.end?.(state, { done }) ?? []
        // If this side ended the answer, its reason takes precedence over an error in the answer.
        gate.pass(
          isFinal && cause ? endParts.filter(({ type }) => type !== 'error') : endParts,
          batch,
        )
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
 * Converts the bytes of a 2xx body into JSON values. The body is a stream of server-sent events or one JSON document.
 * The first character decides, because content types are wrong too often.
 */
function createChunkReader(contentType: string | null): ChunkReader {
  const decoder = new TextDecoder()
  let format: BodyFormat | undefined
  let head = ''

  function openFormat(text: string): unknown[] {
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
      return format ? format.push(text) : openFormat(text)
    },
    end() {
      format ??= openUnexpectedBody(contentType)
      return format.end()
    },
    status: () => format?.status() ?? 'open',
  }
}

/** Length of a page's beginning that is enough to find an error message. */
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

/** Returns the error in the first line of an event stream, if any. */
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

/** Maximum characters of an unterminated line or event, and of a JSON body. */
const MAX_BUFFER: number = 16 * 1024 * 1024

/** The state of an answer. `done`: the answer's own end was seen. */
export type ReadStatus = 'open' | 'done' | ErrorData

/** Decodes a body from text to JSON values. Never throws. */
export interface BodyFormat {
  push(text: string): unknown[]
  /** Returns the values that are complete only when the body ends. */
  end(): unknown[]
  status(): ReadStatus
}

/** Most characters of a body that an error's message quotes. */
const OPENING_EXCERPT = 300

/**
 * Reads server-sent events (WHATWG HTML §9.2) with JSON data, and OpenAI's `[DONE]` as the end marker. An event cut off
 * by the body's end is ignored. Other data, such as keep-alives, is returned as a string. Also reads errors that some
 * servers put outside events, in a field `error` or as a line of bare JSON. Other lines of bare text are returned as
 * strings.
 */
function openEventStream(contentType: string | null): BodyFormat {
  const isStream = (): boolean => events > 0 || contentType?.includes('event-stream') === true
  let values: unknown[] = []
  let status: ReadStatus = 'open'
  let events = 0
  let sinceBreak = 0
  let opening = ''
  /** The body has ended, so the current event has no terminator. */
  let isCut = false

  function onEvent({ event, data }: EventSourceMessage): void {
    if (isCut) values.push(...errorsIn(event, data))
    else events++
    if (status !== 'open' || isCut) return
    const first = data.trimStart()[0]
    if (first === undefined) return
    if (first === '[' && data.trim() === '[DONE]') {
      status = 'done'
      return
    }
    const value = first === '{' || first === '[' ? parseJson(data) : data
    if (value === undefined) status = brokenJsonError(data)
    else values.push(event === 'error' ? asErrorChunk(value) : value)
  }

  const parser = createParser({
    onEvent,
    maxBufferSize: MAX_BUFFER,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') status = tooLargeError(MAX_BUFFER)
      const chunk = status === 'open' ? errorOfLine(error) : undefined
      // A body without events is an event stream only if the content type says so.
      if (chunk !== undefined && (isStream() || typeof chunk !== 'string')) values.push(chunk)
    },
  })
  const toLineFeeds = lineFeeds()

  function takeValues(): unknown[] {
    const batch = values
    values = []
    return batch
  }

  return {
    push(text) {
      if (opening.length < OPENING_EXCERPT) opening += text.slice(0, OPENING_EXCERPT)
      let lineBreak = text.lastIndexOf('\n')
      if (lineBreak < 0) lineBreak = text.lastIndexOf('\r')
      sinceBreak = lineBreak < 0 ? sinceBreak + text.length : text.length - lineBreak
      if (sinceBreak > MAX_BUFFER) status = tooLargeError(MAX_BUFFER)
      if (status === 'open') parser.feed(toLineFeeds(text))
      return takeValues()
    },
    end() {
      if (status !== 'open') return []
      // An unterminated event or line counts only if it is an error.
      isCut = true
      parser.feed('\n\n')
      status = isStream() ? incompleteError() : badResponseError({ contentType, body: opening })
      return takeValues()
    },
    status: () => status,
  }
}

/**
 * Normalizes line ends (CR, LF or CRLF) to LF. The parser would hold back a line that ends with CR until the next
 * character. Here the line ends at once, and an LF at the start of the next chunk is dropped.
 */
function lineFeeds(): (text: string) => string {
  let afterReturn = false
  return (text) => {
    if (text === '') return text
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text
    afterReturn = text.endsWith('\r')
    return rest.replace(/\r\n?/g, '\n')
  }
}

/** The error in a line outside of any event (llama.cpp up to 2025, GPUStack). */
function errorOfLine({ field, value = '', line = '' }: ParseError): unknown {
  if (field === 'error' && value !== '') return asErrorChunk(parseJson(value) ?? value)
  const bare = line.startsWith('{') ? parseJson(line) : undefined
  return bare === undefined ? line || undefined : readErrorBody(bare) && bare
}

/** The data of an unterminated event, if it is an error. */
function errorsIn(event: string | undefined, data: string): unknown[] {
  const value = event === 'error' ? asErrorChunk(parseJson(data) ?? data) : parseJson(data)
  return readErrorBody(value) ? [value] : []
}

/** Wraps the data of an `event: error` as an error, whatever its shape. */
function asErrorChunk(value: unknown): unknown {
  return asRecord(value)?.['error'] ? value : { error: value }
}
