import type { StrictRules } from '../core/schema/strict-schema.ts'
import type { MessagesId } from '../provider.ts'

/** Differences between endpoints with Anthropic's Messages format. */
export interface MessagesRules {
  readonly baseURL: string
  readonly defaultPath: string
  /** Output limit to send if the configuration sets none, since the format requires one. */
  readonly maxTokens: number
  readonly keyHeader: 'x-api-key' | 'authorization'
  readonly headers: { readonly [name: string]: string }
  /** Images and documents may be sent. */
  readonly acceptsFiles: boolean
  /** Rules for strict tools; null if unsupported. */
  readonly strict: StrictRules | null
}

/** MiniMax's two platforms. An account and its key work on only one of them. */
export const minimaxBaseURLs: { readonly international: string; readonly china: string } = {
  international: 'https://api.minimax.io/anthropic',
  china: 'https://api.minimaxi.com/anthropic',
}

const headers: MessagesRules['headers'] = {
  'anthropic-version': '2023-06-01',
  // Browsers and workers get no answer without this header.
  'anthropic-dangerous-direct-browser-access': 'true',
}

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". */
const strict: StrictRules = {
  allRequired: false,
  keywords: new Set(['description']),
  formats: new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')),
  limits: { tools: 20, optional: 24, unions: 16 },
}

/** Rules by provider id. */
export const messagesPresets: { readonly [Id in MessagesId]: MessagesRules } = {
  anthropic: {
    baseURL: 'https://api.anthropic.com',
    defaultPath: '',
    maxTokens: 8_192,
    keyHeader: 'x-api-key',
    headers,
    acceptsFiles: true,
    strict,
  },
  minimax: {
    baseURL: minimaxBaseURLs.international,
    defaultPath: '/anthropic',
    maxTokens: 16_384,
    keyHeader: 'x-api-key',
    headers,
    acceptsFiles: false,
    strict: null,
  },
}
