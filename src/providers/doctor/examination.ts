import { messagesPresets } from '../anthropic/presets.ts'
import { Redactor } from '../../lib/redactor.ts'
import { collectSecrets } from '../core/secrets.ts'
import type { ProviderConfig } from '../create-provider.ts'
import type { ProviderDefinition } from '../registry.ts'
import { chatPresets } from '../openai/presets.ts'
import type { StreamOptions } from '../provider.ts'
import { sendDiagnosticRequest, type Outcome } from './ask.ts'

/** Names of all checks, in report order. Every report contains all of them. */
export const CHECK_NAMES = [
  'configuration',
  'server',
  'mixed-content',
  'local-network',
  'content-security-policy',
  'cors',
  'path',
  'authentication',
  'model',
  'answer',
  'streaming',
  'tools',
] as const

/** Names of the checks that `diagnose` makes, from the configuration to a tool call. */
export type CheckName = (typeof CHECK_NAMES)[number]

/** Result of a check. `warning`: requests may still work. `skipped`: not needed, or an earlier check failed. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

/** Result of one check, in `Diagnosis.checks`. */
export interface Check {
  readonly name: CheckName
  readonly status: CheckStatus
  /** Result, worded for people. */
  readonly message: string
  /** How to fix the problem. */
  readonly fix?: string
}

/** Report of `diagnose`: plain data, without keys and headers. */
export interface Diagnosis {
  /** No check failed. If the model was asked, it answered. */
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** Names in the server's model list; undefined without a list. */
  readonly models?: readonly string[]
}

/** Collects check results. Only the first result of each check is kept. */
class Findings {
  readonly #checks = new Map<CheckName, Check>()

  has(name: CheckName): boolean {
    return this.#checks.has(name)
  }

  ok(name: CheckName, message: string): void {
    this.#add({ name, status: 'ok', message })
  }

  skip(name: CheckName, message: string): void {
    this.#add({ name, status: 'skipped', message })
  }

  warn(name: CheckName, message: string, fix?: string): void {
    this.#add({ name, status: 'warning', message, ...(fix && { fix }) })
  }

  fail(name: CheckName, message: string, fix?: string): void {
    this.#add({ name, status: 'failed', message, ...(fix && { fix }) })
  }

  /** Builds the report. `clean` removes secrets from each text. */
  report(models: readonly string[] | undefined, clean: (text: string) => string): Diagnosis {
    const checks = CHECK_NAMES.map((name) => {
      const check = this.#checks.get(name) ?? skippedCheck(name)
      const fix = check.fix && clean(check.fix)
      return { ...check, message: clean(check.message), ...(fix && { fix }) }
    })
    return {
      ok: !checks.some(preventsOk),
      checks,
      ...(models && { models: models.map(clean) }),
    }
  }

  #add(check: Check): void {
    if (!this.#checks.has(check.name)) this.#checks.set(check.name, check)
  }
}

/**
 * Whether a check keeps the report from being `ok`. A warning about `answer` does, because the model hasn't answered.
 */
function preventsOk({ name, status }: Check): boolean {
  return status === 'failed' || (name === 'answer' && status === 'warning')
}

function skippedCheck(name: CheckName): Check {
  return { name, status: 'skipped', message: 'Not reached: an earlier check failed.' }
}

/** Options of `diagnose`: how it sends requests, and what it tries. */
export interface DiagnoseOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: StreamOptions['fetch']
  /** Stops the examination: `diagnose` then rejects with the code `aborted`. */
  readonly signal?: AbortSignal
  /** Origin of the page that will send the requests. Default: this scope's own origin. */
  readonly page?: string
  /** Has the model call a tool, in one to three small requests that a cloud vendor charges for. Default true. */
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
  sendRequest(url: URL, init: RequestInit): Promise<Outcome> {
    const { fetch, signal, timeoutMs = TIMEOUT_MS } = this.options
    return sendDiagnosticRequest(url, init, {
      timeoutMs,
      ...(fetch && { fetch }),
      ...(signal && { signal }),
    })
  }

  /** Keeps the values of these headers out of the report. */
  learnSecrets(headers: Iterable<readonly [name: string, value: string]>): void {
    const values = [...headers].filter(([name]) => !publicHeaders.has(name.toLowerCase()))
    const secret = { provider: '', model: '', headers: Object.fromEntries(values) }
    this.#redactor.add(collectSecrets(secret))
  }

  redact(text: string): string {
    return this.#redactor.redact(text)
  }

  /** Whether the provider is reached over HTTP. */
  isHttp(): boolean {
    const { provider } = this.config
    const customProvider = this.options.providers?.find(({ id }) => id === provider)
    if (customProvider) return 'toRequest' in customProvider
    return Object.hasOwn(chatPresets, provider) || Object.hasOwn(messagesPresets, provider)
  }
}

const publicHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'anthropic-version',
  'anthropic-dangerous-direct-browser-access',
])

/** Returns scheme, host and path, without the parts of an address that may hold secrets. */
export function displayURL(url: URL): string {
  return url.origin + url.pathname
}
