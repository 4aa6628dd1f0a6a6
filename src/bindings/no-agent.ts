import type { ErrorCode } from '../index.ts'

const ERROR = {
  name: 'OffstageError',
  code: 'invalid-config' satisfies ErrorCode,
  retryable: false,
}

/** An `OffstageError` to `OffstageError.is`: its class comes with the agent. */
export function noAgent(message: string): never {
  throw Object.assign(new Error(message), ERROR)
}
