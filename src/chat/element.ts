import {
  type CSSResultGroup,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import type { ConversationSnapshot } from '../index.ts'
import { createActions } from './actions.ts'
import { Announcer } from './announcer.ts'
import { CardGuard } from './card-guard.ts'
import type { ChatActions, ChatContext } from './context.ts'
import { DeletionWatch, goneKey } from './deletion-watch.ts'
import { keepFocus } from './focus-keeper.ts'
import { FollowConversation } from './follow-conversation.ts'
import { FollowUps } from './follow-ups.ts'
import { HistoryWindow } from './history-window.ts'
import { KeptWriting } from './kept-writing.ts'
import { localeFor } from './locale-for.ts'
import { createLocalState } from './local-state.ts'
import type { ChatProperties } from './offstage-chat.ts'
import { PanelWidth } from './panel-width.ts'
import { Failures } from './parts/failures.ts'
import type { Around } from './parts/states.ts'
import { problemKey } from './problem-key.ts'
import { ReasoningTimes } from './reasoning-times.ts'
import { remembered } from './remembered.ts'
import { RenderedCalls } from './rendered-calls.ts'
import { ScrollFollow } from './scroll-follow.ts'
import { styles } from './styles/index.ts'
import { Surroundings } from './surroundings.ts'
import { unsentIn } from './unsent.ts'
import { chatView } from './views/chat.ts'
import { goOn } from './views/offers.ts'
import { VisibleScreen } from './visible-screen.ts'
import { wasCut } from './was-cut.ts'
import { whenShown } from './when-shown.ts'
import { en } from './words/en.ts'
import { loadTable, tableOf } from './words/languages.ts'
import type { Words } from './words/words.ts'

/** See `OffstageChat`. */
export class ChatElement extends LitElement implements ChatProperties {
  static override readonly styles: CSSResultGroup = styles
  static override readonly properties: PropertyDeclarations = {
    agent: { attribute: false },
    conversationId: { attribute: 'conversation-id' },
    placement: { reflect: true },
    theme: { reflect: true },
    heading: {},
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
  declare suggestions: ChatProperties['suggestions']
  declare words: ChatProperties['words']
  declare renderers: ChatProperties['renderers']
  declare markdown: ChatProperties['markdown']
  declare answers: ChatProperties['answers']

  readonly #follow = new FollowConversation(this, () => this.#scroll.showsNewest)
  readonly #scroll = new ScrollFollow(this)
  readonly #history = new HistoryWindow(this, () => this.#scroll.showsNewest)
  readonly #width = new PanelWidth(this, () => remembered(this.id, 'browser'))
  readonly #announcer = new Announcer(this)
  readonly #around = new Surroundings(this)
  readonly #rendered = new RenderedCalls(this)
  readonly #guard = new CardGuard(this)
  readonly #writing = new KeptWriting(() => remembered(this.id))
  readonly #deletions = new DeletionWatch()
  readonly #failures = new Failures()
  readonly #followUps = new FollowUps()
  readonly #reasoning = new ReasoningTimes()
  readonly #local = createLocalState(() => this.requestUpdate())
  readonly #actions: ChatActions
  #isOpen = false

  constructor() {
    super()
    keepFocus(this)
    this.addController(this.#guard)
    this.addController(new VisibleScreen(this))
    this.agent = null
    this.conversationId = null
    this.placement = 'inline'
    this.theme = 'auto'
    this.heading = null
    this.suggestions = []
    this.words = {}
    this.renderers = {}
    this.markdown = {}
    this.answers = {}
    this.#actions = createActions({
      element: this,
      local: this.#local,
      agent: () => this.agent,
      conversation: () => this.#follow.conversation,
      view: (conversationId) => {
        this.conversationId = conversationId ?? this.agent?.newConversationId() ?? null
      },
      words: () => this.#wordsIn(localeFor(this)),
      keepOnItsWay: (conversationId) => this.#writing.keepOnItsWay(this.#local, conversationId),
      forgetEdit: (conversationId, message) => this.#writing.forgetEdit(conversationId, message),
      toLatest: () => this.#toLatest(),
      setOpen: (isOpen) => (isOpen ? this.open() : this.close()),
    })
  }

  send(text: string): void {
    // Properties set just before aren't rendered yet, so the conversation is chosen now.
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
    void this.updateComplete.then(() => {
      this.renderRoot.querySelector<HTMLElement>('.bubble')?.focus()
    })
  }

  /** Opens or closes the bubble. An open bubble opens again after a reload. */
  #setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen
    remembered(this.id).write('open', isOpen ? 'yes' : null)
    this.requestUpdate()
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated) this.#isOpen ||= remembered(this.id).read('open') !== null
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
    // An update may be pending when the element is taken away.
    const context = this.isConnected ? this.#context() : null
    this.#rendered.show(context)
    if (!context) return
    this.#announcer.say(context)
    if (this.#failures.takeLost(context.snapshot, this.#around.isOffline)) goOn(context)
    this.#writing.keep(context)
    this.#deletions.look(context)
    this.#followUps.look(context)
    this.#reasoning.look(context)
  }

  /** Chooses the conversation on view, and resumes its unfinished run. */
  #choose(): void {
    const { agent } = this
    if (!agent) return this.#follow.leave()
    const memory = remembered(this.id)
    this.conversationId ??= memory.read('conversation') ?? agent.newConversationId()
    if (this.#follow.conversation === agent.conversation(this.conversationId)) return
    memory.write('conversation', this.conversationId)
    this.#follow.follow(agent, this.conversationId)
    this.#history.reset()
    this.#writing.restore(this.#local, this.conversationId)
    // Memories may differ by conversation, so the open list is left; opening it reads them anew.
    if (this.#local.get('list') === 'memories') this.#local.set('list', 'conversations')
    for (const key of ['composer', 'notices']) this.#local.set(problemKey(key), undefined)
    this.#scroll.toLatest()
    this.#resume().catch(() => {})
    this.#tellView(this.conversationId)
  }

  #toLatest(): void {
    if (!this.#scroll.isFollowing) this.#history.reset()
    this.#scroll.toLatest()
  }

  /** Resumes an unfinished run. Tells the person if the run had been cut off. */
  async #resume(): Promise<void> {
    const { conversation } = this.#follow
    if (!conversation) return
    // A resume reads all of a long conversation, so its newest messages are shown first.
    await whenShown(conversation)
    if (this.#follow.conversation !== conversation) return
    const run = await conversation.resume({ interrupted: 'ask' })
    if (run && (await wasCut(run, () => conversation.getSnapshot())))
      this.#local.set('resumed', run.runId)
  }

  /** Tells the page which conversation is on view, once it is drawn: a person may have chosen it. */
  #tellView(conversationId: string): void {
    const event = new CustomEvent('offstage-view', {
      detail: { conversationId },
      bubbles: true,
      composed: true,
    })
    void this.updateComplete.then(() => this.dispatchEvent(event))
  }

  #context(): ChatContext | null {
    const { agent, renderers, markdown, answers, suggestions, placement } = this
    const { conversation, snapshot } = this.#follow
    if (!agent || !conversation || !snapshot) return null
    const locale = localeFor(this)
    if (!tableOf(locale)) {
      void loadTable(locale).then(() => this.requestUpdate())
      // Keeps the previous language until the table is loaded.
      if (!this.#words) return null
    }
    return {
      agent,
      conversation,
      snapshot,
      words: this.#wordsIn(locale),
      locale,
      local: this.#local,
      actions: this.#actions,
      renderers,
      answersItself: (call) => this.#rendered.answersItself(call),
      markdown,
      answers: answers ?? {},
      suggestions,
      placement,
      width: this.#width,
      history: this.#history,
      isOpen: this.#isOpen,
      around: this.#aroundOf(snapshot),
      failures: this.#failures.look(snapshot, this.#around.isOffline),
      isFollowing: this.#scroll.isFollowing,
      seen: this.#guard.seen,
    }
  }

  #aroundOf(snapshot: ConversationSnapshot): Around {
    const { error, conversationId, run } = snapshot
    const isShown = (key: string): boolean =>
      error !== undefined &&
      this.#local.get<string>(problemKey(key))?.includes(error.message) === true
    return {
      ...this.#around.current(run?.retry),
      isGone: this.#local.get(goneKey(conversationId)) === true,
      resumedRunId: this.#local.get('resumed'),
      unsent: unsentIn(this.#local, snapshot).text,
      isErrorShown: isShown('composer') || isShown('notices'),
    }
  }

  /** Returns the same object while its sources are unchanged. */
  #wordsIn(locale: string): Words {
    const made = this.#words
    const { heading, words } = this
    const table = tableOf(locale) ?? made?.table ?? en
    if (made && made.table === table && made.heading === heading && made.own === words)
      return made.words
    const all = { ...table, ...(heading !== null && { heading }), ...words }
    this.#words = { table, heading, own: words, words: all }
    return all
  }

  #words: {
    readonly table: Words
    readonly heading: string | null
    readonly own: Partial<Words>
    readonly words: Words
  } | null = null
}
