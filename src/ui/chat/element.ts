import {
  type CSSResultGroup,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type ReactiveController,
  type TemplateResult,
} from 'lit'
import type { Conversation, ConversationSnapshot, Run } from '../../index.ts'
import { createActions } from './actions.ts'
import { CardGuard } from './card-guard.ts'
import type {
  AnswerAdditions,
  ChatActions,
  ChatContext,
  ChatProperties,
  LocalState,
} from './context.ts'
import { ConversationController } from './conversation-controller.ts'
import { HistoryWindow } from './history-window.ts'
import { DraftStore } from './draft-store.ts'
import { PanelWidth } from './panel-width.ts'
import { Failures } from './parts/failures.ts'
import type { ChatEnvironment } from './parts/states.ts'
import { conversationKey, problemKey } from './local-keys.ts'
import { errorText } from './views/problem.ts'
import { ReasoningTimes } from './reasoning-times.ts'
import { openStorage } from './persistent-storage.ts'
import { RenderedCalls } from './rendered-calls.ts'
import { ScrollFollow } from './scroll-follow.ts'
import { styles } from './styles/index.ts'
import { EnvironmentController } from './environment-controller.ts'
import { unsentMessage } from './unsent-texts.ts'
import { chatView } from './views/chat.ts'
import { continueRun } from './views/notices.ts'
import { en } from './words/en.ts'
import { loadTable, tableOf } from './words/languages.ts'
import type { Words } from './words/words.ts'
import type * as announcing from './parts/announce.ts'
import type { Announced } from './parts/announce.ts'
import { LONG_MS } from './parts/shown-call.ts'
import { findWaitingCard } from './walk-messages.ts'

/** See `OffstageChat`. */
export class ChatElement extends LitElement implements ChatProperties {
  static override readonly styles: CSSResultGroup = styles
  static override readonly properties: PropertyDeclarations = {
    agent: { attribute: false },
    conversationId: { attribute: 'conversation-id' },
    placement: { reflect: true },
    theme: { reflect: true },
    heading: {},
    report: { type: Boolean },
    suggestions: { attribute: false },
    words: { attribute: false },
    renderers: { attribute: false },
    markdown: { attribute: false },
    answers: { attribute: false },
  }

  declare agent: ChatProperties['agent']
  declare conversationId: ChatProperties['conversationId']
  declare placement: ChatProperties['placement']
  declare theme: ChatProperties['theme']
  declare heading: ChatProperties['heading']
  declare report: ChatProperties['report']
  declare suggestions: ChatProperties['suggestions']
  declare words: ChatProperties['words']
  declare renderers: ChatProperties['renderers']
  declare markdown: ChatProperties['markdown']
  declare answers: ChatProperties['answers']

  readonly #followed = new ConversationController(this, () => this.#scroll.showsNewest)
  readonly #scroll = new ScrollFollow(this)
  readonly #history = new HistoryWindow(this, () => this.#scroll.showsNewest)
  readonly #width = new PanelWidth(this, () => openStorage(this.id, 'browser'))
  readonly #announcer = new Announcer(this)
  readonly #around = new EnvironmentController(this)
  readonly #rendered = new RenderedCalls(this)
  readonly #guard = new CardGuard(this)
  readonly #drafts = new DraftStore(() => openStorage(this.id))
  readonly #deletions = new DeletionWatch()
  readonly #failures = new Failures()
  readonly #reasoning = new ReasoningTimes()
  readonly #local = createLocalState(() => this.requestUpdate())
  readonly #actions: ChatActions
  #additions: AnswerAdditions | null = null
  #isOpen = false

  constructor() {
    super()
    keepFocus(this)
    this.addController(this.#guard)
    watchScreen(this)
    this.agent = null
    this.conversationId = null
    this.placement = 'inline'
    this.theme = 'auto'
    this.heading = null
    this.report = false
    this.suggestions = []
    this.words = {}
    this.renderers = {}
    this.markdown = {}
    this.answers = {}
    this.#actions = createActions({
      element: this,
      local: this.#local,
      agent: () => this.agent,
      conversation: () => this.#followed.conversation,
      view: (conversationId) => {
        this.conversationId = conversationId ?? this.agent?.newConversationId() ?? null
      },
      words: () => this.#wordsIn(localeFor(this)),
      keepSending: (conversationId) => this.#drafts.keepSending(this.#local, conversationId),
      forgetEdit: (conversationId, message) => this.#drafts.forgetEdit(conversationId, message),
      scrollToLatest: () => this.#scrollToLatest(),
      setOpen: (isOpen) => (isOpen ? this.open() : this.close()),
    })
  }

  send(text: string): void {
    // Chooses the conversation now, because properties that were just set aren't rendered yet.
    this.#choose()
    this.#actions.send(text)
  }

  focusComposer(): void {
    this.renderRoot.querySelector<HTMLElement>('.prompt')?.focus()
  }

  open(): void {
    this.#setOpen(true)
    void this.updateComplete.then(() => this.focusComposer())
  }

  close(): void {
    this.#setOpen(false)
    this.#local.set('list', undefined)
    void this.updateComplete.then(() => {
      this.renderRoot.querySelector<HTMLElement>('.bubble')?.focus()
    })
  }

  /** Opens or closes the bubble. An open bubble opens again after a reload. */
  #setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen
    openStorage(this.id).setItem('open', isOpen ? 'yes' : null)
    this.requestUpdate()
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated) this.#isOpen ||= openStorage(this.id).getItem('open') !== null
    if (changed.has('placement') && this.placement !== 'inline') this.#width.restore()
    if (!changed.has('agent') && !changed.has('conversationId')) return
    this.#around.watch(this.agent)
    this.#choose()
  }

  protected override render(): TemplateResult | null {
    const context = this.#context()
    return context && chatView(context)
  }

  protected override updated(): void {
    // Shows nothing while removed: an update may still be pending then.
    const context = this.isConnected ? this.#context() : null
    this.#rendered.show(context)
    if (!context) return
    this.#showDraft()
    this.#announcer.announce(context)
    if (this.#failures.takeLostRun(context.snapshot, this.#around.isOffline)) continueRun(context)
    this.#drafts.save(context)
    this.#deletions.update(context)
    if (this.#additions) this.#additions.update(context)
    else if (Object.keys(context.answers).length > 0) this.#loadAdditions()
    this.#reasoning.update(context)
  }

  /** Compares with the field's value, because a script may have changed it since the last drawing. */
  #showDraft(): void {
    const field = this.renderRoot.querySelector<HTMLTextAreaElement>('.prompt')
    const draft = this.#local.get<string>('draft') ?? ''
    if (field && field.value !== draft) field.value = draft
  }

  /** If loading fails, the next drawing tries again. */
  #loadAdditions(): void {
    import('./views/answer.ts').then(
      ({ createAdditions }) => {
        this.#additions ??= createAdditions()
        this.requestUpdate()
      },
      () => {},
    )
  }

  /** Chooses the conversation on view, and resumes its unfinished run. */
  #choose(): void {
    const { agent } = this
    if (!agent) return this.#followed.unfollow()
    const memory = openStorage(this.id)
    this.conversationId ??= memory.getItem('conversation') ?? agent.newConversationId()
    if (this.#followed.conversation === agent.conversation(this.conversationId)) return
    memory.setItem('conversation', this.conversationId)
    this.#followed.follow(agent, this.conversationId)
    this.#history.reset()
    this.#drafts.restore(this.#local, this.conversationId)
    // Leaves the list of memories, which may differ by conversation. Opening it reads them again.
    if (this.#local.get('list') === 'memories') this.#local.set('list', 'conversations')
    for (const key of [problemKey('composer'), problemKey('notices'), 'leaving'])
      this.#local.set(key, undefined)
    this.#scroll.scrollToLatest()
    this.#resume().catch(() => {})
    this.#dispatchView(this.conversationId)
  }

  #scrollToLatest(): void {
    if (!this.#scroll.isFollowing) this.#history.reset()
    this.#scroll.scrollToLatest()
  }

  /** Resumes an unfinished run. Tells the person if the run had been cut off. */
  async #resume(): Promise<void> {
    const { conversation } = this.#followed
    if (!conversation) return
    // Shows the newest messages first: a resume reads the whole conversation, which may be long.
    await whenLoaded(conversation)
    if (this.#followed.conversation !== conversation) return
    const run = await conversation.resume({ interrupted: 'ask' })
    if (run && (await wasCutOff(run, () => conversation.getSnapshot())))
      this.#local.set('resumed', run.runId)
  }

  /** Tells the page which conversation is on view, because a person may have chosen it. Runs after the drawing. */
  #dispatchView(conversationId: string): void {
    const event = new CustomEvent('offstage-view', {
      detail: { conversationId },
      bubbles: true,
      composed: true,
    })
    void this.updateComplete.then(() => this.dispatchEvent(event))
  }

  #context(): ChatContext | null {
    const { agent, renderers, markdown, answers, suggestions, placement, report } = this
    const { conversation, snapshot } = this.#followed
    if (!agent || !conversation || !snapshot) return null
    const locale = localeFor(this)
    if (!tableOf(locale)) {
      void loadTable(locale).then(() => this.requestUpdate())
      // Shows the previous language until the table is loaded, or nothing at first.
      if (!this.#words) return null
    }
    const words = this.#wordsIn(locale)
    return {
      agent,
      conversation,
      snapshot,
      words,
      locale,
      local: this.#local,
      actions: this.#actions,
      renderers,
      answeringCard: (call) => this.#rendered.answeringCard(call),
      markdown,
      answers: answers ?? {},
      additions: this.#additions,
      suggestions,
      placement,
      report,
      width: this.#width,
      history: this.#history,
      isOpen: this.#isOpen,
      around: this.#aroundOf(snapshot, words),
      failures: this.#failures.update(snapshot, this.#around.isOffline),
      isFollowing: this.#scroll.isFollowing,
      seen: this.#guard.seen,
    }
  }

  #aroundOf(snapshot: ConversationSnapshot, words: Words): ChatEnvironment {
    const { error, conversationId, run } = snapshot
    const isShown = (key: string): boolean =>
      this.#local.get<string>(problemKey(key))?.includes(errorText(error, words)) ?? false
    return {
      ...this.#around.current(run?.retry),
      isDeleted: this.#local.get(conversationKey('gone', conversationId)) === true,
      resumedRunId: this.#local.get('resumed'),
      unsent: unsentMessage(this.#local, snapshot).text,
      isErrorShown: isShown('composer') || isShown('notices'),
    }
  }

  /** Returns the same object while its sources are unchanged. */
  #wordsIn(locale: string): Words {
    const cached = this.#words
    const { heading, words } = this
    const table = tableOf(locale) ?? cached?.table ?? en
    if (
      cached &&
      cached.table === table &&
      cached.heading === heading &&
      cached.overrides === words
    )
      return cached.words
    const merged = { ...table, ...(heading !== null && { heading }), ...words }
    this.#words = { table, heading, overrides: words, words: merged }
    return merged
  }

  #words: {
    readonly table: Words
    readonly heading: string | null
    readonly overrides: Partial<Words>
    readonly words: Words
  } | null = null
}

/** Whether a run that this page resumes was cut off: no page drove it, and it wasn't waiting for anything. */
export async function wasCutOff(run: Run, snapshot: () => ConversationSnapshot): Promise<boolean> {
  // If this page started the run, its first event isn't a snapshot.
  const { value: first } = await run[Symbol.asyncIterator]().next()
  if (first?.type !== 'run-snapshot' || first.pending.length > 0 || first.paused) return false
  return !waitsForAgents(snapshot())
}

/** Whether calls wait for child agents. Their runs report for themselves whether they were cut off. */
function waitsForAgents(snapshot: ConversationSnapshot): boolean {
  const calls = snapshot.messages.at(-1)?.calls ?? []
  return calls.some(({ child, status }) => child !== undefined && status === 'executing')
}

/** Returns the nearest valid `lang`, or else the browser's language, or else English. */
function localeFor(element: Element): string {
  const tag = element.closest('[lang]')?.getAttribute('lang')
  return canonicalTag(tag) ?? canonicalTag(navigator.language) ?? 'en'
}

function canonicalTag(language: string | null | undefined): string | null {
  try {
    return (language && Intl.getCanonicalLocales(language)[0]) || null
  } catch {
    // Invalid tag, such as `en_US` in a page or `C` from a browser without a language.
    return null
  }
}

/** Resolves once the conversation is loaded. */
export function whenLoaded(conversation: Conversation): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined
    const check = (): void => {
      if (conversation.getSnapshot().status === 'loading') return
      unsubscribe()
      resolve()
    }
    unsubscribe = conversation.subscribe(check)
    check()
  })
}

export function createLocalState(onChange: () => void): LocalState {
  const values = new Map<string, unknown>()
  const changes = new Map<string, number>()
  const changesOf = (id: string): number => changes.get(id) ?? 0
  return {
    get: <Value>(key: string) => values.get(key) as Value | undefined,
    set(key, value) {
      if (Object.is(values.get(key), value)) return
      if (value === undefined) values.delete(key)
      else values.set(key, value)
      const id = key.slice(key.indexOf(':') + 1)
      changes.set(id, changesOf(id) + 1)
      onChange()
    },
    keys: () => values.keys(),
    changesOf,
  }
}

/** Notices that the conversation on view is deleted, by another page or element. */
export class DeletionWatch {
  /** Id of the conversation that last had messages while it was on view. */
  #shownId: string | null = null

  /** Runs after each drawing. */
  update({ agent, snapshot, local }: Pick<ChatContext, 'agent' | 'snapshot' | 'local'>): void {
    const { conversationId, messages, status } = snapshot
    if (messages.length > 0) {
      this.#shownId = conversationId
      local.set(conversationKey('gone', conversationId), undefined)
      return
    }
    if (this.#shownId !== conversationId || status === 'loading') return
    this.#shownId = null
    // Checks the storage, because a conversation with a cleared history is also empty.
    agent.conversations.get(conversationId).then(
      (stored) => stored === null && local.set(conversationKey('gone', conversationId), true),
      () => {},
    )
  }
}

/**
 * Passes the visible part of the screen to the styles. In browsers that don't shrink the page, an on-screen keyboard
 * covers the lower part of a fixed element.
 */
function watchScreen(host: LitElement): void {
  const { visualViewport: viewport } = globalThis
  if (!viewport) return
  const measure = (): void => {
    // Keeps the size while a person pinch-zooms, which also shrinks the visible part.
    const isUnzoomed = Math.abs(viewport.scale - 1) < 0.01
    host.style.setProperty('--_screen-height', isUnzoomed ? `${viewport.height}px` : '')
    host.style.setProperty('--_screen-top', isUnzoomed ? `${viewport.offsetTop}px` : '')
  }
  host.addController({
    hostConnected() {
      for (const type of ['resize', 'scroll']) viewport.addEventListener(type, measure)
      measure()
    },
    hostDisconnected() {
      for (const type of ['resize', 'scroll']) viewport.removeEventListener(type, measure)
    },
  })
}

type Announce = Pick<typeof announcing, 'announcedBy' | 'announceIn'>
type Situation = Pick<ChatContext, 'snapshot' | 'words' | 'around'>

/** Milliseconds until an announcement is removed from the page: enough for a screen reader to read it. */
const READ_MS = 7000

/** Announces changes in its own polite live region. The code that phrases them loads after the first render. */
class Announcer implements ReactiveController {
  readonly #host: LitElement
  #code: Announce | null = null
  #announced: ((code: Announce) => Announced) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#announced = null
  }

  /** Announces what changed. Called after each render. */
  announce(situation: Situation): void {
    const { snapshot } = situation
    const openedAt = Date.now()
    this.#announced ??= (code) => code.announcedBy(snapshot, openedAt)
    clearTimeout(this.#timer)
    if (snapshot.status === 'running')
      this.#timer = setTimeout(() => this.#host.requestUpdate(), LONG_MS)
    if (!this.#code) return this.#load()
    const { texts, announced } = this.#code.announceIn(this.#announced(this.#code), situation)
    this.#announced = () => announced
    const region = this.#host.renderRoot.querySelector('.announcements')
    for (const text of region ? texts : []) {
      // Each text gets its own element, so that screen readers read only the new one.
      const line = document.createElement('p')
      line.textContent = text
      region?.append(line)
      setTimeout(() => line.remove(), READ_MS)
    }
  }

  /** Loads the code. If that fails, the next render tries again. */
  #load(): void {
    import('./parts/announce.ts').then(
      ({ announcedBy, announceIn }) => {
        this.#code = { announcedBy, announceIn }
        this.#host.requestUpdate()
      },
      () => {},
    )
  }
}

interface Focused {
  readonly element: Element
  /** Id of the message that contains the element. */
  readonly messageId: string | undefined
  /**
   * Index of the message, to find another version of it, which has another id. -1 if another conversation is shown now.
   */
  readonly at: number
  /** The card that contains the element. */
  readonly card: HTMLElement | null
  /** The list entry that contains the element, otherwise the list. Null outside of lists. */
  readonly inSheet: Element | null
}

/**
 * Moves the focus nearby if its element is removed or disabled: within the message, card or list, to the composer, or
 * to the messages.
 */
function keepFocus(host: LitElement & Pick<ChatProperties, 'conversationId'>): void {
  let focused: Focused | null = null
  let drawnId: string | null = null
  host.addController({
    hostUpdate() {
      const element = (host.renderRoot as ShadowRoot).activeElement
      focused = element && describeFocus(host.renderRoot, element, host.conversationId === drawnId)
    },
    hostUpdated() {
      const previous = focused
      drawnId = host.conversationId
      focused = null
      if (!previous || (previous.element.isConnected && !previous.element.matches(':disabled')))
        return
      nextFocus(host.renderRoot, previous)?.focus({ preventScroll: true })
    },
  })
}

const FIRST_IN_SHEET = '.list :is(input, button):not(:disabled)'

/** Called before the drawing, which may remove the element. */
function describeFocus(root: ParentNode, element: Element, isSameConversation: boolean): Focused {
  const message = element.closest<HTMLElement>('[data-message]')
  return {
    element,
    messageId: message?.dataset['message'],
    at: message && isSameConversation ? messagesIn(root).indexOf(message) : -1,
    card: element.closest('.call'),
    inSheet: element.closest('.list li, .list'),
  }
}

/** Selectors of the buttons that show the previous and the next version of a message. */
const VERSION_BUTTONS = ['first', 'last'].map((side) => `.branches > :${side}-child`)

function nextFocus(
  root: ParentNode,
  { element, messageId, at, card, inSheet }: Focused,
): HTMLElement | null {
  const messages = messagesIn(root)
  const message = messages.find(({ dataset }) => dataset['message'] === messageId) ?? messages[at]
  if (message) {
    const button = VERSION_BUTTONS.find((each) => element.matches(each))
    const selector = button ? `${button}:not(:disabled)` : 'textarea'
    return message.querySelector<HTMLElement>(selector) ?? message
  }
  if (card?.isConnected && card !== element) return card
  // Focuses another waiting card: a card for several calls is replaced once a single call is left.
  const next = card?.matches('.approvals') ? findWaitingCard(root) : null
  if (next) return next
  const control = (inSheet?.isConnected ? inSheet : root).querySelector<HTMLElement>(FIRST_IN_SHEET)
  return control ?? root.querySelector(element.closest('.composer') || inSheet ? '.prompt' : '.log')
}

function messagesIn(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('[data-message]')]
}
