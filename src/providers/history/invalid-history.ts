import { OffstageError } from '../../protocol/error.ts'

/** Error that names the message (`history[2]`) and, if known, its field (`content[0]`). */
export function invalidHistory(at: string, problem: string, field = ''): OffstageError {
  return new OffstageError('invalid-history', `${at} ${problem}${field && ` (${field})`}.`)
}
