import { type ErrorOptions, OffstageError } from '../../protocol/error.ts'

export function authFailed(message: string, options?: ErrorOptions): OffstageError {
  return new OffstageError('mcp-auth-failed', message, options)
}
