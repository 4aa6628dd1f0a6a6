/** Names of all checks, in report order. Every report holds each of them. */
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

export type CheckName = (typeof CHECK_NAMES)[number]

export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Check {
  readonly name: CheckName
  readonly status: CheckStatus
  /** Result, written for a person. */
  readonly message: string
  /** How to fix the problem. */
  readonly fix?: string
}

/** Plain data; holds no key and no header. */
export interface Diagnosis {
  /** True if no check failed, and the model answered if it was asked. */
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** Names in the server's model list; undefined without a list. */
  readonly models?: readonly string[]
}

/** Collects check results. Only the first result of each check counts. */
export class Findings {
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
      const check = this.#checks.get(name) ?? notReached(name)
      const fix = check.fix && clean(check.fix)
      return { ...check, message: clean(check.message), ...(fix && { fix }) }
    })
    return {
      ok: !checks.some(isInTheWay),
      checks,
      ...(models && { models: models.map(clean) }),
    }
  }

  #add(check: Check): void {
    if (!this.#checks.has(check.name)) this.#checks.set(check.name, check)
  }
}

/** Whether a check keeps the report from being `ok`. A warning about `answer` does: the model hasn't answered yet. */
function isInTheWay({ name, status }: Check): boolean {
  return status === 'failed' || (name === 'answer' && status === 'warning')
}

function notReached(name: CheckName): Check {
  return { name, status: 'skipped', message: 'Not reached: an earlier check failed.' }
}
