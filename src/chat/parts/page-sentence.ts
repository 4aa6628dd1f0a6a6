import type { PendingCall } from '../../index.ts'
import type { Words } from '../words/words.ts'
import type { PageCall, PageSentence } from './page-call.ts'
import type * as Sentences from './page-sentences.ts'

/** By name, what the built-in page tools are called for people: a tool of the app's with such a name is another one. */
const TITLES: Readonly<Record<string, string>> = {
  click: 'Click',
  hover: 'Hover',
  drag: 'Drag',
  scroll: 'Scroll',
  type_text: 'Type',
  fill_form: 'Fill in a form',
  select_option: 'Choose',
  set_checked: 'Check or uncheck',
  press_key: 'Press a key',
  navigate: 'Go to an address',
  find: 'Find on the page',
  wait_for: 'Wait',
}

let sentences: typeof Sentences | null = null
let loading: Promise<void> | null = null

/** Loads what makes the sentences, with the first call of a page tool. Titles stand in for what can't be fetched. */
export function loadSentences(): Promise<void> {
  loading ??= import('./page-sentences.ts').then(
    (loaded) => void (sentences = loaded),
    () => undefined,
  )
  return loading
}

/** Whether the call has a sentence that is still to be loaded. */
export function awaitsSentence(call: PageCall | PendingCall): boolean {
  return sentences === null && isBuiltIn(call)
}

/**
 * Says in a sentence what a call of a built-in page tool does or, if nobody was asked about it, what the tool reported.
 * Null for other tools, if the title says as much, and until the sentences are loaded.
 */
export function pageSentence(call: PageCall | PendingCall, words: Words): PageSentence | null {
  return isBuiltIn(call) ? (sentences?.sentenceOf(call, words.pageCalls) ?? null) : null
}

function isBuiltIn({ toolName, title, source }: PageCall | PendingCall): boolean {
  return source === undefined && Object.hasOwn(TITLES, toolName) && TITLES[toolName] === title
}
