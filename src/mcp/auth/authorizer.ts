import type { McpFetch } from '../options.ts'
import type { McpAuthOptions } from './options.ts'

export interface Authorizer {
  /** The token to send; null: none is known. */
  current(): Promise<string | null>
  /** Another token, after the server refused the one it got. */
  answer(refusal: Response, signal: AbortSignal): Promise<string | null>
}

export function createAuthorizer(_about: {
  readonly url: URL
  readonly options: McpAuthOptions
  readonly fetch: McpFetch
}): Authorizer {
  return { current: async () => null, answer: async () => null }
}
