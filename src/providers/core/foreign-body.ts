import type { BodyFormat, ReadStatus } from './body-format.ts'
import { badResponseError } from './transport-error.ts'

/** Enough of a page to find words for the error in it. */
const EXCERPT = 4_096

/** A body that is no model's answer (HTML mostly): read only as far as its error needs. */
export function openForeignBody(contentType: string | null): BodyFormat {
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
