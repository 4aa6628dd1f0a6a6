import { en } from './en.ts'
import { firstPart } from './languages.ts'
import type { Words } from './words.ts'
import { zh } from './zh.ts'

const tables: Readonly<Record<string, Words>> = { en, zh }

/** Returns a language's words, or English if it isn't supported. `own` replaces single words. */
export function wordsFor(locale: string, own: Partial<Words> = {}): Words {
  return { ...(tables[firstPart(locale)] ?? en), ...own }
}
