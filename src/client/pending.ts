import { OffstageError } from '../protocol/error.ts'

/** What a tool returns whose outcome comes later. Made by `pending()`. */
export interface Pending {
  readonly resumeToken: string
}

/** Of all copies of the package. */
const KEY: unique symbol = Symbol.for('offstage.pending')

const MAX_CHARACTERS = 10_000

/**
 * For a tool to return: its call waits, over reloads if need be, until `agent.settle()` says what it came to.
 * `resumeToken`: by what whoever has the outcome knows it (the id of a job, JSON), 10 000 characters at
 * most; it is stored, and part of the pending call. Throws `invalid-input` for anything else.
 */
export function pending({ resumeToken }: Pending): Pending {
  if (typeof resumeToken !== 'string' || resumeToken.length > MAX_CHARACTERS)
    throw new OffstageError(
      'invalid-input',
      `resumeToken must be a text of ${MAX_CHARACTERS} characters at most.`,
    )
  const made = { resumeToken, [KEY]: true }
  return made
}

/** Of what a tool returned; undefined when that is its outcome. */
export function tokenOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !(KEY in result)) return undefined
  const { resumeToken } = result as unknown as Pending
  return resumeToken
}
