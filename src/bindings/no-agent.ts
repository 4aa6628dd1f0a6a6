import type { ErrorCode } from '../index.ts'

/** An `OffstageError` to `OffstageError.is`: its class comes with the agent. */
class NoAgentError extends Error {
  override readonly name: string = 'OffstageError'
  readonly code: ErrorCode = 'invalid-config'
  readonly retryable: boolean = false
}

export function noAgent(message: string): never {
  throw new NoAgentError(message)
}
