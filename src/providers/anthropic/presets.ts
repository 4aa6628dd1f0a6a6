import type { StrictRules } from '../core/strict-schema.ts'
import type { MessagesId } from '../provider-ids.ts'

/** What differs between endpoints with Anthropic's Messages format. Data. */
export interface MessagesRules {
  readonly baseURL: string
  readonly defaultPath: string
  /** The format demands a limit; this one is sent when the configuration has none. */
  readonly maxTokens: number
  readonly keyHeader: 'x-api-key' | 'authorization'
  readonly headers: { readonly [name: string]: string }
  /** Images and documents may be sent. */
  readonly takesFiles: boolean
  /** How tools are strict; null: they can't be. */
  readonly strict: StrictRules | null
}

/** MiniMax's two platforms: accounts and keys belong to one of them. */
export const minimaxBaseURLs: { readonly international: string; readonly china: string } = {
  international: 'https://api.minimax.io/anthropic',
  china: 'https://api.minimaxi.com/anthropic',
}

const headers: MessagesRules['headers'] = {
  'anthropic-version': '2023-06-01',
  // Without it the API answers no browser. Workers are browsers too.
  'anthropic-dangerous-direct-browser-access': 'true',
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". */
const strict: StrictRules = {
  allRequired: false,
  keywords: new Set(['description']),
  formats: new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')),
  limits: { tools: 20, optional: 24, unions: 16 },
}

/** By provider id. */
export const messagesPresets: { readonly [Id in MessagesId]: MessagesRules } = {
  anthropic: {
    baseURL: 'https://api.anthropic.com',
    defaultPath: '',
    maxTokens: 8_192,
    keyHeader: 'x-api-key',
    headers,
    takesFiles: true,
    strict,
  },
  minimax: {
    baseURL: minimaxBaseURLs.international,
    defaultPath: '/anthropic',
    maxTokens: 16_384,
    keyHeader: 'x-api-key',
    headers,
    takesFiles: false,
    strict: null,
  },
}
