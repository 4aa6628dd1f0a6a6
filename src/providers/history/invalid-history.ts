import { OffstageError } from '../../protocol/error.ts'

/** Names the message (`history[2]`) and, where it is known, the field in it (`content[0]`). */
export function invalidHistory(at: string, problem: string, field = ''): OffstageError {
  return new OffstageError('invalid-history', `${at} ${problem}${field && ` (${field})`}.`)
}
