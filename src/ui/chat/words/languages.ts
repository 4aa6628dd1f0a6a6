import { en } from './en.ts'
import type { Words } from './words.ts'

/** Languages besides English, by the first part of their tag. Each loads only where it is needed. */
const LANGUAGES: Readonly<Record<string, () => Promise<Words>>> = {
  zh: async () => (await import('./zh.ts')).zh,
}

const tables = new Map<string, Words>()
const loads = new Map<string, Promise<void>>()

/**
 * Returns a language's texts. Undefined until `loadTable` has loaded them. An unsupported language gets the English
 * texts.
 */
export function tableOf(locale: string): Words | undefined {
  const language = firstPart(locale)
  return tables.get(language) ?? (Object.hasOwn(LANGUAGES, language) ? undefined : en)
}

/** Loads a language's words. If that fails, English is used instead. */
export function loadTable(locale: string): Promise<void> {
  const language = firstPart(locale)
  const loading = loads.get(language)
  if (loading) return loading
  const load = (LANGUAGES[language]?.() ?? Promise.resolve(en))
    .catch(() => en)
    .then((table) => void tables.set(language, table))
  loads.set(language, load)
  return load
}

export function firstPart(locale: string): string {
  return (locale.split('-', 1)[0] ?? 'en').toLowerCase()
}
