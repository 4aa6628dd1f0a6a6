import { textDigest } from '../../lib/text-digest.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { RequestForm } from '../provider.ts'

const PLAIN_FORM: RequestForm = new Set()
/** Changes that cost the model something it would have known. */
const LOSSY = /^(?:files?|metadata|calls|tools) /
/** Lossy changes are tried again after this. */
const DAY_MS = 24 * 60 * 60 * 1_000
/** Forms that were stored with other meanings of their words are not read. */
const VERSION = 1

/** A form as it is stored. */
export interface StoredForm {
  /** The configuration that it is for. */
  readonly key: string
  readonly changes: readonly string[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The forms in which endpoints have answered, by the configuration that they were asked with. */
export class FormMemory {
  readonly #known = new Map<string, StoredForm>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get(model: ModelConfigData): RequestForm {
    const known = this.#known.get(formKey(model))
    if (!known) return PLAIN_FORM
    const isOld = this.#now() - known.at >= DAY_MS
    return new Set(known.changes.filter((change) => !isOld || !LOSSY.test(change)))
  }

  set(model: ModelConfigData, form: RequestForm): StoredForm {
    const stored = { key: formKey(model), changes: [...form], at: this.#now() }
    this.#known.set(stored.key, stored)
    return stored
  }

  /** Takes forms that were stored, unless newer ones are known. */
  restore(forms: Iterable<StoredForm>): void {
    for (const form of forms)
      if (form.at > (this.#known.get(form.key)?.at ?? -1)) this.#known.set(form.key, form)
  }
}

/** Options that a refusal depends on. A change of one of them forgets the form. */
const KEY = [
  'provider',
  'baseURL',
  'model',
  'api',
  'toolMode',
  'inputMode',
  'strictTools',
  'extraBody',
] as const satisfies readonly (keyof ModelConfigData)[]

function formKey(model: ModelConfigData): string {
  return textDigest(JSON.stringify([VERSION, ...KEY.map((name) => model[name] ?? null)]))
}
