import { createParser, type EventSourceMessage, type ParseError } from 'eventsource-parser'
import { asRecord, parseJson } from './read-json.ts'
import {
  badResponseError,
  brokenJsonError,
  incompleteError,
  readErrorBody,
  tooLargeError,
} from './provider-error.ts'
import type { ErrorData } from '../../protocol/error.ts'

/** Maximum characters of a line or event without an end, and of a JSON body. */
export const MAX_BUFFER: number = 16 * 1024 * 1024

/** The state of an answer. `done`: its own end was seen. */
export type ReadStatus = 'open' | 'done' | ErrorData

/** Decodes a body: text goes in, JSON values come out. Never throws. */
export interface BodyFormat {
  push(text: string): unknown[]
  /** Returns values that only the end of the body completes. */
  end(): unknown[]
  status(): ReadStatus
}

/** Most characters of a body that an error's message quotes. */
const EXCERPT = 300

/**
 * Reads server-sent events (WHATWG HTML §9.2) with JSON data, and OpenAI's `[DONE]` as the end marker.
 * An event cut off by the body's end doesn't count. Other data, such as keep-alives, is returned as a string.
 * Some servers put errors outside of events, in a field `error` or as a line of bare JSON: these are read, too.
 * Other lines of bare text are returned as strings.
 */
export function openEventStream(contentType: string | null): BodyFormat {
  const isStream = (): boolean => events > 0 || contentType?.includes('event-stream') === true
  let values: unknown[] = []
  let status: ReadStatus = 'open'
  let events = 0
  let sinceBreak = 0
  let opening = ''
  /** The body has ended: the current event has no terminator. */
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

  function take(): unknown[] {
    const taken = values
    values = []
    return taken
  }

  return {
    push(text) {
      if (opening.length < EXCERPT) opening += text.slice(0, EXCERPT)
      let lineBreak = text.lastIndexOf('\n')
      if (lineBreak < 0) lineBreak = text.lastIndexOf('\r')
      sinceBreak = lineBreak < 0 ? sinceBreak + text.length : text.length - lineBreak
      if (sinceBreak > MAX_BUFFER) status = tooLargeError(MAX_BUFFER)
      if (status === 'open') parser.feed(toLineFeeds(text))
      return take()
    },
    end() {
      if (status !== 'open') return []
      // An unterminated event or line counts only if it is an error.
      isCut = true
      parser.feed('\n\n')
      status = isStream() ? incompleteError() : badResponseError({ contentType, body: opening })
      return take()
    },
    status: () => status,
  }
}

/**
 * Normalizes line ends (CR, LF or CRLF) to LF. The parser would hold back a line that ends with CR until it
 * knows what follows. Here the line ends at once, and an LF at the start of the next chunk is dropped.
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
