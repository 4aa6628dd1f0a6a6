import { textDigest } from '../../lib/text-digest.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import type { RequestForm } from '../provider.ts'

const PLAIN_FORM: RequestForm = new Set()
/** Changes that lose information for the model, or that were tried although the refusal didn't name them. */
const LOSSY = /^(?:files?|metadata|calls|tools|options|roles|stream) /
/** Time until requests are first sent without the lossy changes again. */
const DAY_MS = 24 * 60 * 60 * 1_000
/** Part of the key. Increase it when a change's name gets another meaning, so that older stored forms are ignored. */
const VERSION = 1

/** Codes of warnings about what an endpoint's refusals changed. */
export const TOOLS_REFUSED = 'tools-refused'
export const REQUEST_CHANGED = 'request-changed'

/** A stored request form. */
export interface StoredForm {
  /** Digest of the configuration. */
  readonly key: string
  readonly changes: readonly string[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Request forms that endpoints have accepted, by configuration. */
export class FormMemory {
  readonly #forms = new Map<string, StoredForm>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get(model: ModelConfigData): RequestForm {
    const stored = this.#forms.get(formKey(model))
    if (!stored) return PLAIN_FORM
    const isOld = this.#now() - stored.at >= DAY_MS
    return new Set(stored.changes.filter((change) => !isOld || !LOSSY.test(change)))
  }

  set(model: ModelConfigData, form: RequestForm): StoredForm {
    const stored = { key: formKey(model), changes: [...form], at: this.#now() }
    this.#forms.set(stored.key, stored)
    return stored
  }

  /** Adds stored request forms, unless newer ones are known. */
  restore(forms: Iterable<StoredForm>): void {
    for (const form of forms)
      if (form.at > (this.#forms.get(form.key)?.at ?? -1)) this.#forms.set(form.key, form)
  }
}

/** Options that a refusal can depend on. If one of them changes, the accepted request form is forgotten. */
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
