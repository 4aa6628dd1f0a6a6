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
