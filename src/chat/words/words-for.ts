import { en } from './en.ts'
import { firstPart } from './languages.ts'
import type { Words } from './words.ts'
import { zh } from './zh.ts'

const tables: Readonly<Record<string, Words>> = { en, zh }

/** The words of a language, by its first part; a host's own go before them, and English after. */
export function wordsFor(locale: string, own: Partial<Words> = {}): Words {
  return { ...(tables[firstPart(locale)] ?? en), ...own }
}
