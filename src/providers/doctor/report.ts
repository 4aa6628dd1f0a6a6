/** In the order of a report. All are always there. */
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
  /** What was found, for a person. */
  readonly message: string
  /** What to do about it. */
  readonly fix?: string
}

/** Plain data; holds no key and no header. */
export interface Diagnosis {
  /** No check failed, and the model answered, if it was asked. */
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** What the server lists, if it does. */
  readonly models?: readonly string[]
}

/** The checks so far. The first result of a check counts. */
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

  /** `clean` removes secrets from a text of other origin. */
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

/** An answer that is only warned of is still to come: nothing has shown that the model works. */
function isInTheWay({ name, status }: Check): boolean {
  return status === 'failed' || (name === 'answer' && status === 'warning')
}

function notReached(name: CheckName): Check {
  return { name, status: 'skipped', message: 'Not reached: an earlier check failed.' }
}
