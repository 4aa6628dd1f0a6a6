import { textOf } from './text-of.ts'
import { isLeftOpen } from '../../conversation/index.ts'
import type { ConversationSnapshot, PendingCall, ShownMessage } from '../../index.ts'
import { awaitsModel } from './awaits-model.ts'
import { endingWords } from './ending-words.ts'
import { failureWords } from './failure-words.ts'
import { pageSentence } from './page-sentence.ts'
import { SENTENCE_END } from './sentence-end.ts'
import type { Words } from '../words/words.ts'

/** What has been announced of a conversation so far. */
export interface Announced {
  readonly conversationId: string
  readonly messageId: string | null
  /** Of its text. */
  readonly characters: number
  /** More of it came at once than can be listened to: no more of it is said. */
  readonly isCut: boolean
  readonly pending: readonly string[]
  readonly runId: string | null
  /** The newest run that was announced to wait for the model. */
  readonly awaitedRunId: string | null
  /** While it is being loaded: since when. What was stored before is not announced. Milliseconds since 1970. */
  readonly loadingSince: number | null
}

/** What is there when a conversation is opened is not announced. `now`: milliseconds since 1970. */
export function announcedBy(snapshot: ConversationSnapshot, now: number = Date.now()): Announced {
  const last = lastReply(snapshot)
  return {
    loadingSince: snapshot.status === 'loading' ? now : null,
    conversationId: snapshot.conversationId,
    messageId: last?.id ?? null,
    characters: last ? textOf(last).length : 0,
    isCut: false,
    pending: snapshot.pending.map(({ toolCallId }) => toolCallId),
    runId: snapshot.runId ?? null,
    awaitedRunId: null,
  }
}

/**
 * What a screen reader is to say of a snapshot, in order, and what has been announced then. An answer that is written comes in
 * whole sentences, each once; a question as soon as it is asked; the beginning and the end of a run.
 */
export function announce(
  before: Announced,
  snapshot: ConversationSnapshot,
  words: Words,
): { readonly texts: readonly string[]; readonly announced: Announced } {
  const now = announcedBy(snapshot)
  if (before.conversationId !== snapshot.conversationId) return { texts: [], announced: now }
  if (snapshot.status === 'loading') {
    const { loadingSince } = before
    return { texts: [], announced: { ...now, ...(loadingSince !== null && { loadingSince }) } }
  }
  const known = before.loadingSince === null ? before : foundBy(snapshot, before.loadingSince)
  const said = sentences(known, lastReply(snapshot), words)
  const asked = snapshot.pending
    .filter(({ toolCallId }) => !known.pending.includes(toolCallId))
    .map((call) => asks(call, words))
  const awaitedRunId = (awaitsModel(snapshot) && snapshot.runId) || known.awaitedRunId
  const begun = awaitedRunId === known.awaitedRunId ? [] : [words.reasoningUnderWay]
  const texts = [
    ...begun,
    ...said.texts,
    ...asked.filter(Boolean),
    ...ended(known, snapshot, words),
  ]
  return {
    texts,
    announced: { ...now, awaitedRunId, characters: said.characters, isCut: said.isCut },
  }
}

/** What a conversation that was loaded held already: all but what was written for this page while it was loaded. */
function foundBy(snapshot: ConversationSnapshot, since: number): Announced {
  const found = announcedBy(snapshot)
  const last = lastReply(snapshot)
  const isNew = last?.at === undefined ? snapshot.ownership === 'this-tab' : last.at >= since
  if (!isNew) return found
  return { ...found, characters: 0, runId: snapshot.runId ?? snapshot.ended?.runId ?? null }
}

function lastReply({ messages }: ConversationSnapshot): ShownMessage | undefined {
  return messages.findLast(({ role }) => role === 'assistant')
}

/** More at once is nothing to listen to: the message is there to be read. Characters. */
const LONGEST = 2000

function sentences(
  before: Announced,
  message: ShownMessage | undefined,
  words: Words,
): { readonly texts: readonly string[] } & Pick<Announced, 'characters' | 'isCut'> {
  if (!message) return { texts: [], characters: 0, isCut: false }
  const text = textOf(message)
  const isSame = message.id === before.messageId
  if (isSame && before.isCut) return { texts: [], characters: text.length, isCut: true }
  const from = isSame ? before.characters : 0
  const isWhole = message.at !== undefined
  const upTo = isWhole ? text.length : lastEnd(text, from)
  const isCut = upTo - from > LONGEST
  const fresh = spoken(text.slice(from, isCut ? endWithin(text, from, from + LONGEST) : upTo))
  const texts = [fresh, isCut ? words.announceRest : ''].filter((each) => each !== '')
  return { texts, characters: Math.max(from, upTo), isCut }
}

/** Without the marks of Markdown, which nobody wants read out. */
function spoken(text: string): string {
  return text
    .replace(/^ *(?:#{1,6} |> ?|[-*+] (?:\[[ x]\] )?|```.*$|\|?[ :|-]+\|[ :|-]*$)/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/[*~`]+/g, '')
    .replace(/\s*\|\s*/g, ' ')
    .trim()
}

function lastEnd(text: string, from: number): number {
  const ends = [...text.slice(from).matchAll(SENTENCE_END)]
  const last = ends.at(-1)
  return last ? from + last.index + last[0].length : from
}

/** The end of the last sentence of a part of a text, else that part's end. */
function endWithin(text: string, from: number, to: number): number {
  const end = lastEnd(text.slice(0, to), from)
  return end === from ? to : end
}

function asks(call: PendingCall, words: Words): string {
  const { kind, title, toolName, question } = call
  const what = pageSentence(call, words)?.text ?? title ?? toolName
  switch (kind) {
    case 'answer':
      return words.announceQuestion(question?.question ?? '')
    case 'approval':
      return words.announceCall(what)
    case 'decision':
      return words.announceInterrupted(what)
    case 'output':
    case 'settlement':
      return ''
  }
}

function ended(
  before: Announced,
  { runId, ended: outcome }: ConversationSnapshot,
  words: Words,
): string[] {
  if (before.runId === null || runId !== undefined || !outcome) return []
  switch (outcome.outcome) {
    case 'completed':
      return [endingWords(outcome, words) ?? words.announceDone]
    case 'aborted':
      // A page that lets go of a run stops nothing.
      return isLeftOpen(outcome) ? [] : [words.announceStopped]
    case 'failed':
      return [words.announceFailed(failureWords(outcome.error, words).text)]
    case 'max-steps':
      return [words.maxSteps]
    case 'limit':
      return [words.limitReached(outcome.limit)]
    case 'waiting':
      return []
  }
}
