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

/** By provider id. */
export const messagesPresets: { readonly [Id in MessagesId]: MessagesRules } = {
  anthropic: {
    baseURL: 'https://api.anthropic.com',
    defaultPath: '',
    maxTokens: 8_192,
    keyHeader: 'x-api-key',
    headers,
    takesFiles: true,
  },
  minimax: {
    baseURL: minimaxBaseURLs.international,
    defaultPath: '/anthropic',
    maxTokens: 16_384,
    keyHeader: 'x-api-key',
    headers,
    takesFiles: false,
  },
}
