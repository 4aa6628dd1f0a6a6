import { messagesPresets } from '../anthropic/presets.ts'
import { Redactor } from '../core/redactor.ts'
import { secretsOf } from '../core/secrets.ts'
import type { ProviderConfig } from '../create-provider.ts'
import type { ProviderDefinition } from '../define-provider.ts'
import { chatPresets } from '../openai/presets.ts'
import type { StreamOptions } from '../provider.ts'
import { ask, type Outcome } from './ask.ts'
import { Findings } from './report.ts'

export interface DiagnoseOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: StreamOptions['fetch']
  /** Ends the examination: `diagnose` rejects with the code `aborted`. */
  readonly signal?: AbortSignal
  /** Address of the page that will send the requests. Default: this scope's own origin. */
  readonly page?: string
  /** Has the model call a tool, in one to three small requests that a cloud charges for. Default true. */
  readonly probe?: boolean
  /** Milliseconds for each small request. Default 10 000. */
  readonly timeoutMs?: number
  /** Custom providers, made with `defineProvider`. */
  readonly providers?: readonly ProviderDefinition[]
}

const TIMEOUT_MS = 10_000

/** State shared by all steps of one diagnosis. */
export class Examination {
  readonly findings: Findings = new Findings()
  readonly config: ProviderConfig
  readonly options: DiagnoseOptions
  readonly #redactor = new Redactor()

  constructor(config: ProviderConfig, options: DiagnoseOptions) {
    this.config = config
    this.options = options
    if (typeof config.headers === 'object') this.learnSecrets(Object.entries(config.headers))
    if (typeof config.apiKey === 'string') this.learnSecrets([['key', config.apiKey]])
  }

  /** Sends a small diagnostic request. */
  ask(url: URL, init: RequestInit): Promise<Outcome> {
    const { fetch, signal, timeoutMs = TIMEOUT_MS } = this.options
    return ask(url, init, { timeoutMs, ...(fetch && { fetch }), ...(signal && { signal }) })
  }

  /** Keeps the values of these headers out of the report. */
  learnSecrets(headers: Iterable<readonly [name: string, value: string]>): void {
    const values = [...headers].filter(([name]) => !harmless.has(name.toLowerCase()))
    const secret = { provider: '', model: '', headers: Object.fromEntries(values) }
    this.#redactor.learn(secretsOf(secret))
  }

  clean(text: string): string {
    return this.#redactor.clean(text)
  }

  /** Whether the provider is reached over HTTP. */
  isHttp(): boolean {
    const { provider } = this.config
    const own = this.options.providers?.find(({ id }) => id === provider)
    if (own) return 'toRequest' in own
    return Object.hasOwn(chatPresets, provider) || Object.hasOwn(messagesPresets, provider)
  }
}

const harmless: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'anthropic-version',
  'anthropic-dangerous-direct-browser-access',
])

/** Returns scheme, host and path, without the parts of an address that may hold secrets. */
export function shown(url: URL): string {
  return url.origin + url.pathname
}
