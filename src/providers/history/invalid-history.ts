import { OffstageError } from '../../protocol/error.ts'

export function invalidHistory(at: string, problem: string): OffstageError {
  return new OffstageError('invalid-history', `${at} ${problem}.`)
}
