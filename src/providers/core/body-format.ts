import type { ErrorData } from '../../protocol/error.ts'

/** Characters without an end of line or event, and of a JSON body, at most. */
export const MAX_BUFFER: number = 16 * 1024 * 1024

/** The state of an answer. `done`: its own end was seen. */
export type ReadStatus = 'open' | 'done' | ErrorData

/** A body as it is decoded: text goes in, JSON values come out. Nothing here throws. */
export interface BodyFormat {
  push(text: string): unknown[]
  /** What the end of the body settles. */
  end(): unknown[]
  status(): ReadStatus
}
