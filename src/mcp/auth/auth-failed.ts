import { OffstageError } from '../../protocol/error.ts'

export function authFailed(message: string): OffstageError {
  return new OffstageError('mcp-auth-failed', message)
}
