import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { MAX_BUFFER, type BodyFormat, type ReadStatus } from './body-format.ts'
import { asRecord, parseJson } from './read-json.ts'
import {
  badResponseError,
  brokenJsonError,
  incompleteError,
  tooLargeError,
} from './transport-error.ts'

/** How much of a body is kept for an error's message. */
const EXCERPT = 300

/**
 * A body of server-sent events (WHATWG HTML §9.2; an event that the body's end cuts off does not
 * count) whose data is JSON, with OpenAI's `[DONE]` as the end marker. Other data (keep-alives)
 * is returned as the string it is.
 */
export function openEventStream(contentType: string | null): BodyFormat {
  let values: unknown[] = []
  let status: ReadStatus = 'open'
  let events = 0
  let sinceBreak = 0
  let opening = ''

  function onEvent({ event, data }: EventSourceMessage): void {
    events++
    if (status !== 'open') return
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
    },
  })
  const toLineFeeds = lineFeeds()

  return {
    push(text) {
      if (opening.length < EXCERPT) opening += text.slice(0, EXCERPT)
      let lineBreak = text.lastIndexOf('\n')
      if (lineBreak < 0) lineBreak = text.lastIndexOf('\r')
      sinceBreak = lineBreak < 0 ? sinceBreak + text.length : text.length - lineBreak
      if (sinceBreak > MAX_BUFFER) status = tooLargeError(MAX_BUFFER)
      if (status === 'open') parser.feed(toLineFeeds(text))
      const taken = values
      values = []
      return taken
    },
    end() {
      if (status !== 'open') return []
      const isStream = events > 0 || contentType?.includes('event-stream') === true
      status = isStream ? incompleteError() : badResponseError({ contentType, body: opening })
      return []
    },
    status: () => status,
  }
}

/**
 * Lines may end with CR, LF or CRLF. The parser holds back a line that ends with CR until it knows what
 * follows; here it ends at once, and an LF that opens the next piece belongs to it.
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

/** `event: error` is an error, whatever the shape of its data. */
function asErrorChunk(value: unknown): unknown {
  return asRecord(value)?.['error'] ? value : { error: value }
}
