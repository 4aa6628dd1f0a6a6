import { loadPart } from '../client/load-part.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Authorizer, Refusal } from './auth/authorizer.ts'
import { stopped } from './failures.ts'
import type { McpFetch, McpOptions } from './options.ts'
import type { Secrets } from './secrets.ts'

/**
 * Returns the current token; null when none is known. `rejected` is the server's refusal of the last token. If the
 * promise rejects, no request was sent.
 */
export type Bearer = (signal: AbortSignal, rejected?: Refusal) => Promise<string | null>

interface BearerParts {
  readonly url: URL
  readonly options: Pick<McpOptions, 'token' | 'auth'>
  readonly fetch: McpFetch
  readonly secrets: Secrets
  /** Runs a step that may take as long as the user needs to log in. */
  duringLogIn<Result>(logIn: () => Promise<Result>): Promise<Result>
}

/** Gets tokens from the app's function or by OAuth, which is loaded on demand. */
export function createBearer({ url, options, fetch, secrets, duringLogIn }: BearerParts): Bearer {
  const { token, auth } = options
  let authorizer: Promise<Authorizer> | undefined
  const bearer: Bearer = async (signal, rejected) => {
    if (token) {
      const text: unknown = await token({ previousRejected: rejected !== undefined, signal })
      if (typeof text !== 'string' || text === '') throw new TypeError('token returned no text.')
      return text
    }
    if (!auth) return null
    authorizer ??= loadPart(() => import('./auth/authorizer.ts')).then(({ createAuthorizer }) =>
      createAuthorizer({ url, options: auth, fetch }),
    )
    const part = await authorizer
    return rejected ? duringLogIn(() => part.answer(rejected, signal)) : part.current()
  }
  return (signal, rejected) =>
    bearer(signal, rejected).catch((thrown: unknown) => {
      if (OffstageError.is(thrown)) throw thrown
      if (signal.aborted) throw stopped(signal)
      const why = secrets.redact(describeThrown(thrown))
      const message = `No token for ${url.origin}, so nothing was sent: ${why}`
      throw new OffstageError('authentication', message, { cause: thrown })
    })
}
