import { en } from './words/en.ts'
import { firstPart } from './words/languages.ts'
import type { Words } from './words/words.ts'
import { zh } from './words/zh.ts'

/**
 * Functions that derive everything the element shows from a snapshot, for custom chat UIs. Entry `offstage/chat/parts`.
 */
export { announce, announcedBy, type Announced } from './parts/announce.ts'
export { isRunDetached, stateIn, stateOf, type CallState } from './parts/shown-call.ts'
export { choicesOf } from './parts/form-content.ts'
export { readFormValues } from './parts/form-content.ts'
export { inputFields, type InputField } from './parts/input-fields.ts'
export { outputText } from './parts/shown-call.ts'
export { loadSentences, pageSentence } from './parts/page-sentence.ts'
export type { PageSentence } from './parts/page-call.ts'
export { progressOf, type Progress } from './parts/shown-call.ts'
export { rowsOf, type ChatRow } from './parts/rows.ts'
export { ShownMarkdown, type MarkdownText } from './markdown/shown-markdown.ts'
export { safeAddress } from './markdown/safe-address.ts'
export type { MarkdownOptions } from './context.ts'
export type { DiscussWords, PageCallWords, UndoTurnWords, Words } from './words/words.ts'

const tables: Readonly<Record<string, Words>> = { en, zh }

/** Returns a language's texts, or the English ones if it isn't supported. `own` replaces single texts. */
export function wordsFor(locale: string, own: Partial<Words> = {}): Words {
  return { ...(tables[firstPart(locale)] ?? en), ...own }
}
