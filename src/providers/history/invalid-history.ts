import { OffstageError } from '../../protocol/error.ts'

/**
 * Names the message (`history[2]`) and, where it is known, the field in it. `details` has both: `index`, a
 * number, and `field`.
 */
export function invalidHistory(at: string, problem: string, field = ''): OffstageError {
  const [, index, within] = /^\w+\[(\d+)\]\.?(.*)$/.exec(at) ?? []
  const named = within || field
  return new OffstageError('invalid-history', `${at} ${problem}${field && ` (${field})`}.`, {
    ...(index !== undefined && {
      details: { index: Number(index), ...(named && { field: named }) },
    }),
  })
}
