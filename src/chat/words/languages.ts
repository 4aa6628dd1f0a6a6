import { en } from './en.ts'
import type { Words } from './words.ts'

/** Languages beside English, by their first part: each is loaded by pages that need it. */
const OTHERS: Readonly<Record<string, () => Promise<Words>>> = {
  zh: async () => (await import('./zh.ts')).zh,
}

const tables = new Map<string, Words>()
const loads = new Map<string, Promise<void>>()

/** The words of a language; undefined: they are to be loaded first. English in place of a language that there isn't. */
export function tableOf(locale: string): Words | undefined {
  const language = firstPart(locale)
  return tables.get(language) ?? (Object.hasOwn(OTHERS, language) ? undefined : en)
}

/** English stands in for what can't be fetched. */
export function loadTable(locale: string): Promise<void> {
  const language = firstPart(locale)
  const known = loads.get(language)
  if (known) return known
  const load = (OTHERS[language]?.() ?? Promise.resolve(en))
    .catch(() => en)
    .then((table) => void tables.set(language, table))
  loads.set(language, load)
  return load
}

export function firstPart(locale: string): string {
  return (locale.split('-', 1)[0] ?? 'en').toLowerCase()
}
