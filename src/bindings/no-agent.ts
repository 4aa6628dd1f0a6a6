import type { ErrorCode } from '../index.ts'

const ERROR = {
  name: 'OffstageError',
  code: 'invalid-config' satisfies ErrorCode,
  retryable: false,
}

/** Throws an error that `OffstageError.is` accepts. The class itself is loaded with the agent. */
export function noAgent(message: string): never {
  throw Object.assign(new Error(message), ERROR)
}
