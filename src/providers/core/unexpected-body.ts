import type { BodyFormat, ReadStatus } from './body-format.ts'
import { badResponseError } from './transport-error.ts'

/** Enough of a page to find an error message in it. */
const EXCERPT = 4_096

/** A body that is no model's answer (mostly HTML): read only as far as its error needs. */
export function openUnexpectedBody(contentType: string | null): BodyFormat {
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
