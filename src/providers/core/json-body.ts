import type { ErrorData } from '../../protocol/error.ts'
import { MAX_BUFFER, type BodyFormat, type ReadStatus } from './body-format.ts'
import { createJsonScan } from '../../lib/json-scan.ts'
import { parseJson } from './read-json.ts'
import { brokenJsonError, incompleteError, tooLargeError } from './transport-error.ts'
import { readErrorBody } from './vendor-error.ts'

/** The end of a stream, which some gateways add to every answer, also to an error. */
const STREAM_END = /^(?:event|data):[^]*|data:\s*\[DONE\]\s*$/m

/** A body that is one JSON document: a non-streamed answer, or an error under status 200. */
export function openJsonBody(): BodyFormat {
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

/** An event stream may begin with an error that stands in a line of its own. */
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
