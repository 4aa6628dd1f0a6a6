import type { ErrorCode, FinishReason, KeptReason, LimitName, PauseReason } from '../../../index.ts'

/** All texts of an element. Texts with a gap are functions; numbers and dates come formatted. */
export interface Words {
  readonly heading: string
  /** Shown in an empty conversation. */
  readonly greeting: string
  readonly messageLabel: string
  readonly messagePlaceholder: string
  readonly send: string
  readonly stop: string
  readonly close: string
  readonly open: string
  readonly you: string
  readonly assistant: string
  /** Shown before the title of the trigger that sent a message. */
  readonly trigger: string
  readonly log: string
  readonly jumpToLatest: string
  earlier(count: string): string
  later(count: string): string
  readonly resize: string
  readonly reasoning: string
  readonly reasoningUnderWay: string
  thoughtFor(seconds: string): string
  readonly copy: string
  readonly copied: string
  readonly copyCode: string
  readonly edit: string
  readonly cancel: string
  readonly regenerate: string
  /** Also sent as a message, to continue an answer that was cut off. */
  readonly continue: string
  readonly followUps: string
  readonly sources: string
  readonly goodAnswer: string
  readonly badAnswer: string
  readonly previousBranch: string
  readonly nextBranch: string
  branchOf(index: string, count: string): string
  attachment(name: string): string
  readonly attach: string
  removeAttached(name: string): string
  readonly tooLarge: string
  image(address: string): string
  /** Checkbox of a task list. */
  readonly task: string
  callsDone(count: string): string
  readonly input: string
  /** Note on an input field that isn't in the tool's schema. */
  readonly namedByModel: string
  readonly output: string
  /** Label of the button that shows all of a long text. `count`: its characters. */
  showAll(count: string): string
  readonly states: {
    readonly writing: string
    readonly waiting: string
    readonly running: string
    readonly done: string
    /** State of a finished call whose result says that nothing was done. */
    readonly notDone: string
    readonly failed: string
    readonly denied: string
    readonly stopped: string
    readonly interrupted: string
    readonly refused: string
    /** Shown if the agent was disposed before the call ended. */
    readonly leftOpen: string
  }
  readonly pageCalls: PageCallWords
  waitingCalls(count: string): string
  readonly showWaiting: string
  /** Button that scrolls to the unseen part of an approval card. The call can't be approved before. */
  readonly showUnseen: string
  readonly approve: string
  readonly deny: string
  readonly approveAll: string
  readonly denyAll: string
  readonly denyReason: string
  readonly editInput: string
  readonly always: string
  becauseOf(origin: string): string
  readonly notJson: string
  readonly happened: string
  readonly didNotHappen: string
  readonly runAgain: string
  readonly interruptedWords: string
  readonly answer: string
  readonly ratherNot: string
  readonly required: string
  readonly sensitive: string
  readonly undo: string
  readonly undone: string
  /** Texts for undoing a turn. Default: English or Chinese texts, which load with the sheet. */
  readonly undoTurn?: Partial<UndoTurnWords>
  /** Texts for the discussion of a waiting call. Default: English or Chinese texts, which load with the discussion. */
  readonly discuss?: Partial<DiscussWords>
  readonly conversations: string
  readonly newConversation: string
  /** Button of a chat whose `report` is set. Default: an English or Chinese text, which loads with the button. */
  readonly report?: string
  readonly searchConversations: string
  readonly noConversations: string
  /** Shown if no conversation's title matches the search. */
  readonly nothingFound: string
  readonly untitled: string
  readonly rename: string
  readonly delete: string
  readonly deleted: string
  readonly exportFile: string
  readonly importFile: string
  imported(count: string): string
  /** Heading of the agent's memories. */
  readonly memories: string
  readonly noMemories: string
  /** Says how many memories the list leaves out. */
  moreMemories(count: string): string
  readonly memoryOfOthers: string
  forgetAll(count: string): string
  forgetAllSure(count: string): string
  readonly unfinished: string
  readonly plan: string
  planDone(done: string, all: string): string
  readonly queued: string
  readonly withdraw: string
  readonly unsent: string
  readonly disposed: string
  /** Shown if the agent was disposed with an unfinished run. */
  readonly letGo: string
  readonly gone: string
  readonly tainted: string
  taintedBy(origin: string, since: string): string
  /** Shown if stored rows can't be read, so that their content is lost. */
  readonly setAside: string
  leaving(address: string): string
  readonly openLink: string
  readonly consents: string
  readonly revoke: string
  readonly compacted: string
  readonly loading: string
  readonly otherTab: string
  readonly otherDevice: string
  readonly takeOver: string
  readonly offline: string
  readonly online: string
  readonly inMemory: string
  /** Reasons why an answer is incomplete. */
  readonly endings: { readonly [reason in FinishReason]?: string }
  limitReached(name: LimitName): string
  readonly resumed: string
  beganAt(time: string): string
  engineLoading(model: string): string
  readonly unreachable: string
  from(source: string): string
  until(time: string): string
  readonly rejected: string
  readonly remarks: string
  readonly answerBefore: string
  /** Reasons why a run is paused. */
  readonly paused: { readonly [reason in PauseReason]: string }
  readonly failed: string
  /** Messages by error code. The server's own message is shown as details. */
  readonly failures: { readonly [code in ErrorCode]?: string }
  /** Notes below an answer, by warning code. `files`: the model can't read the attachments. */
  readonly warnings: { readonly [code: string]: string }
  /** Label of a failure's details. */
  readonly details: string
  readonly tryAgain: string
  retryIn(seconds: string): string
  readonly steerHint: string
  readonly queueHint: string
  announceCall(title: string): string
  announceInterrupted(title: string): string
  announceQuestion(question: string): string
  /** Announced after the beginning of a text that is too long to announce completely. */
  readonly announceRest: string
  readonly announceDone: string
  readonly announceStopped: string
  announceFailed(message: string): string
}

/** Sentences about calls of page tools. Names of elements and texts come in quotes. */
export interface PageCallWords {
  click(what: string): string
  doubleClick(what: string): string
  rightClick(what: string): string
  type(text: string, what: string): string
  add(text: string, what: string): string
  /** Extends a sentence about typing: Enter is pressed, too. */
  thenEnter(sentence: string): string
  fill(fields: string): string
  /** Names the first of several things, and counts the others. */
  andMore(first: string, count: string): string
  choose(options: string, what: string): string
  check(what: string): string
  uncheck(what: string): string
  press(key: string): string
  pressOn(key: string, what: string): string
  times(sentence: string, count: string): string
  drag(what: string, onto: string): string
  dragBy(what: string, pixels: string): string
  goTo(address: string): string
  find(what: string): string
  waitFor(what: string): string
  waitGone(what: string): string
}

/** Texts of the discussion of a waiting call. */
export interface DiscussWords {
  /** Placeholder of the message field while a call waits for approval. */
  askAbout(title: string): string
  readonly label: string
  readonly suggestion: string
  readonly use: string
  readonly inUse: string
  refused(toolName: string): string
  /** Button that chooses the call to ask about, if several wait. */
  readonly ask: string
}

/** Texts of the sheet that undoes a turn. `count` is formatted. */
export interface UndoTurnWords {
  /** Button that opens the sheet. */
  all(count: string): string
  readonly title: string
  readonly toUndo: string
  readonly stays: string
  confirm(count: number, formatted: string): string
  /** Button that undoes the other calls after one couldn't be undone. */
  without(formatted: string): string
  /** Shown if the page doesn't have the call's tool, or the call ran in another browser. */
  readonly notHere: string
  readonly reasons: { readonly [reason in KeptReason]: string }
}
