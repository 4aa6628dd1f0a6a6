import { badInput } from '../api/failures.ts'

/** Return value of a tool whose outcome comes later. Create it with `pending()`. */
export interface Pending {
  readonly resumeToken: string
  /** Deadline for the outcome; a number is in milliseconds since 1970. Default: none. */
  readonly until?: Date | number
}

/** Shared by all copies of the package. */
const KEY: unique symbol = Symbol.for('offstage.pending')

const MAX_CHARACTERS = 10_000

/**
 * Makes a tool's call wait for its outcome, even across reloads. Return `pending()` from `execute`, and later pass the
 * outcome to `agent.settle()`. Find the call by its `resumeToken` in `pending` of a snapshot. Throws `invalid-input`
 * for wrong arguments.
 *
 * - `resumeToken` (required): a string of yours, such as a job id, at most 10 000 characters. It is stored with the
 *   call.
 * - `until`: a `Date` or milliseconds since 1970. The call then fails with the code `timeout`. Default: no deadline.
 *
 * @example
 * execute: async (input) => pending({ resumeToken: await startJob(input) })
 * // Later, on any page of the site:
 * await agent.settle(call, { output: { pages: 12 } })
 */
export function pending({ resumeToken, until }: Pending): Pending {
  if (typeof resumeToken !== 'string' || resumeToken.length > MAX_CHARACTERS)
    throw badInput(`resumeToken must be a text of ${MAX_CHARACTERS} characters at most.`)
  const result = { resumeToken, ...(until !== undefined && { until: timeOf(until) }), [KEY]: true }
  return result
}

/** Returns the token and deadline if the result came from `pending()`. Undefined for other results. */
export function suspensionOf(
  result: unknown,
): { readonly token: string; readonly until?: number } | undefined {
  if (typeof result !== 'object' || result === null || !(KEY in result)) return undefined
  const { resumeToken: token, until } = result as unknown as Pending
  return { token, ...(until !== undefined && { until: Number(until) }) }
}

/** The latest time that a `Date` can hold. */
const LAST_TIME = 8.64e15

function timeOf(until: unknown): number {
  const time = until instanceof Date ? until.getTime() : until
  if (typeof time === 'number' && Math.abs(time) <= LAST_TIME) return time
  throw badInput('until must be a Date or milliseconds since 1970.')
}
