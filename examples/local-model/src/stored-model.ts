import type { ModelConfig } from 'offstage'

const KEY = 'offstage-example-model'

/** Returns the model chosen last, so that a reload resumes an unfinished run with the same one. */
export function readStoredModel(): ModelConfig | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    const { provider, model, baseURL } = value as Record<string, unknown>
    if (typeof provider !== 'string' || typeof model !== 'string') return null
    if (baseURL === undefined) return { provider, model }
    return typeof baseURL === 'string' && URL.canParse(baseURL)
      ? { provider, model, baseURL }
      : null
  } catch {
    return null
  }
}

/** Stores the choice; the script isn't one. */
export function storeModel({ provider, model, baseURL }: ModelConfig): void {
  if (provider === 'scripted') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify({ provider, model, baseURL }))
}
