import type { CallError } from '../protocol/message.ts'

/** Reasons why a call can't be read. */
export type ActionErrorCode = 'malformed' | 'unknown_tool' | 'invalid_params'

/** An error in a call, with a message that helps the model correct the call. */
export interface ActionError extends CallError {
  readonly code: ActionErrorCode
}

/** Thrown and caught inside this folder only. */
export class CallProblem extends Error {
  readonly code: ActionErrorCode
  readonly suggestion: string | undefined

  constructor(code: ActionErrorCode, message: string, suggestion?: string) {
    super(message)
    this.code = code
    this.suggestion = suggestion
  }

  toError(): ActionError {
    return {
      code: this.code,
      message: this.message,
      ...(this.suggestion !== undefined && { suggestion: this.suggestion }),
    }
  }
}

/** A value doesn't fit its parameter. The code that reads the call adds the tool and the expected parameters. */
export class ValueProblem extends Error {
  readonly suggestion: string | undefined

  constructor(message: string, suggestion?: string) {
    super(message)
    this.suggestion = suggestion
  }
}

/** A `malformed` problem at an offset of the block, located by line and column (both from 1). */
export function malformedProblem(message: string, block: string, offset: number): CallProblem {
  const before = block.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return new CallProblem(
    'malformed',
    `Malformed action: ${message} (line ${line}, column ${column} of the block).`,
  )
}
