import { vi } from 'vitest'
import type { ModelConfig } from '../../src/index.ts'
import type { ProviderConfig } from '../../src/providers/index.ts'

/** The wire formats that llama-server speaks, and how a configuration asks for each. */
export const formats = [
  { format: 'Chat Completions', provider: 'llamacpp', path: '/v1' },
  { format: 'Messages', provider: 'anthropic', path: '' },
  { format: 'Responses', provider: 'llamacpp', path: '/v1', api: 'responses' },
] as const

export type Format = (typeof formats)[number]

export function configOf(
  { provider, path, ...rest }: Format,
  url: string,
  more: Partial<ProviderConfig> = {},
): ProviderConfig & ModelConfig {
  return {
    provider,
    model: 'tiny',
    baseURL: url + path,
    apiKey: 'none',
    temperature: 0,
    ...('api' in rest && { api: rest.api }),
    ...more,
  }
}

export interface Exchange {
  readonly body: string
  readonly status: number
  readonly answer: Promise<string>
}

/** Records the requests for answers, with what came back, until `vi.unstubAllGlobals()`. */
export function recordExchanges(): Exchange[] {
  const send = globalThis.fetch
  const exchanges: Exchange[] = []
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const response = await send(url, init)
    if (init?.method === 'POST')
      exchanges.push({
        body: String(init.body),
        status: response.status,
        answer: response.clone().text(),
      })
    return response
  })
  return exchanges
}
