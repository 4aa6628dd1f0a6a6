import { visibleText } from '../../../conversation/index.ts'
import type { PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import type { Words } from '../words/words.ts'
import type { PageCall, PageSentence } from './page-call.ts'
import type * as Sentences from './page-sentences.ts'

/** Titles of the built-in page tools, by name. They distinguish built-in tools from an app's tools of the same name. */
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

/** Loads the code for the sentences, once. If that fails, calls show their titles. */
export function loadSentences(): Promise<void> {
  loading ??= import('./page-sentences.ts').then(
    (loaded) => void (sentences = loaded),
    () => undefined,
  )
  return loading
}

/** Whether the call will have a sentence once the code is loaded. */
function awaitsSentence(call: PageCall | PendingCall): boolean {
  return sentences === null && isBuiltIn(call)
}

/**
 * Describes in a sentence what a call of a built-in page tool does. A call without an approval gets the tool's own
 * report instead. Null for other tools, if the title already says it, and until the sentences are loaded.
 */
export function pageSentence(call: PageCall | PendingCall, words: Words): PageSentence | null {
  return isBuiltIn(call) ? (sentences?.sentenceOf(call, words.pageCalls) ?? null) : null
}

/** Returns a call's heading: a description of its action if there is one, else the tool's title or name. */
export function titleOf(
  { words, local }: Pick<ChatContext, 'words' | 'local'>,
  call: PageCall | PendingCall,
): string {
  if (awaitsSentence(call))
    void loadSentences().then(() => local.set(`sentence:${call.toolCallId}`, true))
  return pageSentence(call, words)?.text ?? visibleText(call.title ?? call.toolName)
}

/** Whether the call is of a built-in page tool. */
export function isBuiltIn({ toolName, title, source }: PageCall | PendingCall): boolean {
  return source === undefined && Object.hasOwn(TITLES, toolName) && TITLES[toolName] === title
}
