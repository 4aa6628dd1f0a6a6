import type { ConversationSnapshot, PendingCall, ShownCall } from '../../../index.ts'
import type { Words } from '../words/words.ts'
import { callKey } from './call-ref.ts'
import { CALL_STATES, LONG_MS } from './shown-call.ts'
import { pageSentence } from './page-sentence.ts'
import { visibleLines, SENTENCE_END, turnOf } from './failures.ts'
import { type ChatEnvironment, type Situation, STATES, statesOf, textIn } from './states.ts'
import { messageText } from './text-of.ts'

/** State of the announcements made for a conversation. */
export interface Announced {
  readonly conversationId: string
  /** When the conversation was opened. Messages stored before are not announced. Milliseconds since 1970. */
  readonly since: number
  readonly isLoading: boolean
  readonly runId: string | undefined
  /** Number of characters announced so far, by message. Infinity: the rest of the message is never announced. */
  readonly heard: ReadonlyMap<string, number>
  /** States, calls and questions that existed at the last update. Each is announced when it begins. */
  readonly keys: readonly string[]
}

/** A state, a call or a question. */
interface Item {
  readonly key: string
  /** `first`: before all other texts; a message's id: after that message. Default: at the end. */
  readonly place?: string | undefined
  text(words: Words): string
  readonly isOfRun?: true | undefined
  /** True for a state shown as a notice, which is new to the person once the conversation has loaded. */
  readonly isNotice?: boolean
}

/** Returns the initial state: everything that exists counts as announced. `now`: milliseconds since 1970. */
export function announcedBy(snapshot: ConversationSnapshot, now: number = Date.now()): Announced {
  const { conversationId, status, runId, messages } = snapshot
  return {
    conversationId,
    since: now,
    isLoading: status === 'loading',
    runId,
    heard: new Map(
      messages.map((message) => [
        message.id,
        message.at === undefined ? messageText(message).length : Infinity,
      ]),
    ),
    keys: itemsOf(snapshot, {}).map(({ key }) => key),
  }
}

/**
 * Returns texts for a screen reader, in order, and the state after them. A growing answer is announced sentence by
 * sentence. States, calls and questions are announced when they begin.
 */
export function announce(
  before: Announced,
  snapshot: ConversationSnapshot,
  words: Words,
): Announcement {
  return announceIn(before, { snapshot, words, around: {} })
}

export interface Announcement {
  readonly texts: readonly string[]
  readonly announced: Announced
}

/** Announces states of the connection and the storage, too. */
export function announceIn(
  before: Announced,
  { snapshot, words, around }: Situation,
): Announcement {
  const { conversationId, status, runId, messages } = snapshot
  if (before.conversationId !== conversationId)
    return { texts: [], announced: announcedBy(snapshot) }
  if (status === 'loading') return { texts: [], announced: before }
  const answers = newSentences(before, snapshot, words)
  const items = itemsOf(snapshot, around)
  // Right after loading, only notices are new, and states of a run that was seen running or has left an answer.
  const isRunSeen = runId !== undefined || before.runId !== undefined || answers.texts.size > 0
  const isNew = ({ key, isOfRun, isNotice }: Item): boolean =>
    !before.keys.includes(key) && (!before.isLoading || isNotice || (isOfRun && isRunSeen)) === true
  const started = items.filter(isNew)
  const textsAt = (place: string | undefined): string[] =>
    started.filter((item) => item.place === place).map((item) => item.text(words))
  return {
    texts: [
      ...textsAt('first'),
      ...messages.flatMap(({ id }) => [...(answers.texts.get(id) ?? []), ...textsAt(id)]),
      ...textsAt(undefined),
    ].filter(Boolean),
    announced: {
      ...before,
      isLoading: false,
      runId,
      heard: answers.heard,
      keys: items.map(({ key }) => key),
    },
  }
}

function itemsOf(snapshot: ConversationSnapshot, around: ChatEnvironment): readonly Item[] {
  const { messages, pending, runId, ended } = snapshot
  return [
    ...turnOf(messages).flatMap(({ id, calls = [] }) =>
      calls.filter(isAnnounced).map((call) => ({
        key: `${callKey(call)} ${call.status}`,
        place: id,
        text: (words: Words) =>
          `${titleOf(call, words)}: ${words.states[CALL_STATES[call.status].word]}`,
      })),
    ),
    ...pending.map((call) => ({
      key: callKey(call),
      text: (words: Words) => describePending(call, words),
    })),
    ...statesOf(snapshot, around).map((name) => {
      const { text, announcement = text, isOfRun, place } = STATES[name]
      return {
        key: isOfRun ? `${name} ${runId ?? ended?.runId}` : name,
        place: name === 'running' ? 'first' : undefined,
        text: (words: Words) => textIn({ snapshot, words, around }, announcement),
        isOfRun,
        isNotice: place === 'notice',
      }
    }),
  ]
}

/** Whether to announce a call: it ends with a problem, or runs for long. */
function isAnnounced({ status, startedAt = Infinity }: ShownCall): boolean {
  const { announced } = CALL_STATES[status]
  return announced === 'at-once' || (announced === 'later' && Date.now() - startedAt >= LONG_MS)
}

/** Maximum characters announced at once. A longer message is left for the person to read. */
const LONGEST = 2000

/** Returns new sentences by message, for messages after the last one that was announced whole. */
function newSentences(
  { heard: before, isLoading, since }: Announced,
  { messages, ownership }: ConversationSnapshot,
  words: Words,
): { readonly texts: ReadonlyMap<string, readonly string[]> } & Pick<Announced, 'heard'> {
  const first = messages.findLastIndex(({ id }) => before.get(id) === Infinity) + 1
  const heard = new Map(before)
  const texts = new Map<string, readonly string[]>()
  for (const message of messages.slice(first)) {
    const { id, role, at } = message
    const isWhole = at !== undefined
    const isOld = isWhole ? at < since && !before.has(id) : isLoading && ownership !== 'this-tab'
    const text = role === 'assistant' ? messageText(message) : ''
    const from = isOld ? text.length : (before.get(id) ?? 0)
    const upTo = isWhole ? text.length : Math.max(from, lastSentenceEnd(text, from))
    const isCut = upTo - from > LONGEST
    heard.set(id, isWhole || isCut ? Infinity : upTo)
    const fresh = withoutMarkdown(
      text.slice(from, isCut ? endWithin(text, from, from + LONGEST) : upTo),
    )
    if (fresh) texts.set(id, [fresh, isCut ? words.announceRest : ''])
  }
  return { texts, heard }
}

/** Strips Markdown marks, which nobody wants read out. */
function withoutMarkdown(text: string): string {
  return (
    text
      .replace(/^ *(?:#{1,6} |> ?|[-*+] (?:\[[ x]\] )?|```.*$|\|?[ :|-]+\|[ :|-]*$)/gm, '')
      .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
      // Keeps `*` in 2*3 and 4 * 5, and the single `~` in 2~3, which are text.
      .replace(/(\w\*+(?=\w)|\s\*+(?=\s))|~~+|[*`]+/g, '$1')
      .replace(/\s*\|\s*/g, ' ')
      .trim()
  )
}

function lastSentenceEnd(text: string, from: number): number {
  const ends = [...text.slice(from).matchAll(SENTENCE_END)]
  const last = ends.at(-1)
  return last ? from + last.index + last[0].length : from
}

/** Returns the end of the last sentence in a part of a text. Without one, returns the end of the part. */
function endWithin(text: string, from: number, to: number): number {
  const end = lastSentenceEnd(text.slice(0, to), from)
  return end === from ? to : end
}

function describePending(call: PendingCall, words: Words): string {
  const { kind, question } = call
  const title = titleOf(call, words)
  switch (kind) {
    case 'answer':
      return words.announceQuestion(visibleLines(question?.question ?? ''))
    case 'approval':
      return words.announceCall(title)
    case 'decision':
      return words.announceInterrupted(title)
    case 'output':
    case 'settlement':
      return ''
  }
}

function titleOf(call: ShownCall | PendingCall, words: Words): string {
  return pageSentence(call, words)?.text ?? call.title ?? call.toolName
}
