import { en } from './en.ts'
import { zh } from './zh.ts'

/** All that an element says. Texts with a gap are functions; numbers and dates come formatted. */
export interface Words {
  readonly heading: string
  readonly messageLabel: string
  readonly messagePlaceholder: string
  readonly send: string
  readonly stop: string
  readonly close: string
  readonly open: string
  readonly you: string
  readonly assistant: string
  readonly log: string
  readonly jumpToLatest: string
  readonly reasoning: string
  readonly reasoningUnderWay: string
  reasoningFor(seconds: string): string
  readonly copy: string
  readonly copied: string
  readonly copyCode: string
  readonly edit: string
  readonly save: string
  readonly cancel: string
  readonly regenerate: string
  readonly retry: string
  readonly goOn: string
  readonly goodAnswer: string
  readonly badAnswer: string
  readonly previousBranch: string
  readonly nextBranch: string
  branchOf(index: string, count: string): string
  readonly stoppedHere: string
  attachment(name: string): string
  image(address: string): string
  readonly input: string
  readonly output: string
  readonly showAll: string
  readonly states: {
    readonly writing: string
    readonly waiting: string
    readonly running: string
    readonly done: string
    readonly failed: string
    readonly denied: string
    readonly stopped: string
    readonly interrupted: string
    readonly refused: string
  }
  readCalls(title: string, count: string): string
  readonly approve: string
  readonly approveAll: string
  readonly deny: string
  readonly denyReason: string
  readonly editInput: string
  readonly always: string
  becauseOf(origin: string): string
  readonly otherTabPage: string
  readonly notJson: string
  readonly happened: string
  readonly didNotHappen: string
  readonly runAgain: string
  readonly interruptedWords: string
  readonly answer: string
  readonly ratherNot: string
  readonly required: string
  readonly sensitive: string
  readonly answered: string
  readonly undo: string
  readonly undone: string
  readonly conversations: string
  readonly newConversation: string
  readonly searchConversations: string
  readonly noConversations: string
  readonly untitled: string
  readonly rename: string
  readonly delete: string
  readonly deleted: string
  readonly undoDelete: string
  readonly exportFile: string
  readonly importFile: string
  imported(count: string): string
  readonly unfinished: string
  readonly plan: string
  planDone(done: string, all: string): string
  readonly queued: string
  readonly withdraw: string
  readonly unsent: string
  readonly tainted: string
  taintedBy(origin: string, since: string): string
  readonly consents: string
  readonly revoke: string
  readonly compacted: string
  readonly loading: string
  olderMessages(count: string): string
  readonly otherTab: string
  readonly takeOver: string
  readonly offline: string
  readonly inMemory: string
  readonly resumed: string
  readonly maxSteps: string
  limitReached(name: string): string
  readonly parked: string
  readonly failed: string
  readonly tryAgain: string
  retryIn(seconds: string): string
  readonly steerHint: string
  readonly queueHint: string
  loadingEngine(percent: string): string
  announceCall(title: string): string
  announceQuestion(question: string): string
  readonly announceDone: string
  readonly announceStopped: string
  announceFailed(message: string): string
}

const tables: Readonly<Record<string, Words>> = { en, zh }

/** The words of a language, by its first part; a host's own go before them, and English after. */
export function wordsFor(locale: string, own: Partial<Words> = {}): Words {
  const language = locale.split('-', 1)[0] ?? 'en'
  return { ...(tables[language.toLowerCase()] ?? en), ...own }
}
