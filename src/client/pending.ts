import { OffstageError } from '../protocol/error.ts'

/** What a tool returns whose outcome comes later. Made by `pending()`. */
export interface Pending {
  readonly resumeToken: string
  /** When the call is waited for no longer; a number is in milliseconds since 1970. Default: it waits without end. */
  readonly until?: Date | number
}

/** Of all copies of the package. */
const KEY: unique symbol = Symbol.for('offstage.pending')

const MAX_CHARACTERS = 10_000

/**
 * For a tool to return: its call waits, over reloads if need be, until `agent.settle()` says what it came to.
 * `resumeToken`: by what whoever has the outcome knows it (the id of a job, JSON), 10 000 characters at
 * most; it is stored, and part of the pending call. A call that has no outcome at `until` fails with the code `timeout`.
 * Throws `invalid-input` for anything else.
 */
export function pending({ resumeToken, until }: Pending): Pending {
  if (typeof resumeToken !== 'string' || resumeToken.length > MAX_CHARACTERS)
    throw new OffstageError(
      'invalid-input',
      `resumeToken must be a text of ${MAX_CHARACTERS} characters at most.`,
    )
  const made = { resumeToken, ...(until !== undefined && { until: timeOf(until) }), [KEY]: true }
  return made
}

/** Of what a tool returned; undefined when that is its outcome. */
export function suspensionOf(
  result: unknown,
): { readonly token: string; readonly until?: number } | undefined {
  if (typeof result !== 'object' || result === null || !(KEY in result)) return undefined
  const { resumeToken: token, until } = result as unknown as Pending
  return { token, ...(until !== undefined && { until: Number(until) }) }
}

function timeOf(until: unknown): number {
  const time = until instanceof Date ? until.getTime() : until
  if (typeof time === 'number' && Number.isFinite(time)) return time
  throw new OffstageError(
    'invalid-input',
    'until must be a Date, or a number of milliseconds since 1970.',
  )
}
