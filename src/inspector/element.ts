import {
  type CSSResultGroup,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import { copyText } from '../stage/copy-text.ts'
import { downloadFile } from '../stage/download-file.ts'
import type { ConversationRecord } from '../index.ts'
import type { Choices, InspectorContext } from './context.ts'
import { FollowAgent } from './follow-agent.ts'
import { ListWindow } from './list-window.ts'
import type { InspectorProperties } from './offstage-inspector.ts'
import { textOf, type EventEntry } from './parts/event-book.ts'
import { Filtered } from './parts/filtered.ts'
import { readFile, withInspection, type OpenedFile } from './parts/inspection-file.ts'
import { Player } from './player.ts'
import { Recording } from './recording.ts'
import { styles } from './styles.ts'
import { inspectorView } from './views/inspector.ts'

/** It is drawn at most this often. Milliseconds. */
const BETWEEN_DRAWINGS = 80

/** See `OffstageInspector`. */
export class InspectorElement extends LitElement implements InspectorProperties {
  static override readonly styles: CSSResultGroup = styles
  static override readonly properties: PropertyDeclarations = {
    agent: { attribute: false },
    conversationId: { attribute: 'conversation-id' },
    theme: { reflect: true },
  }

  declare agent: InspectorProperties['agent']
  declare conversationId: InspectorProperties['conversationId']
  declare theme: InspectorProperties['theme']

  readonly #follow = new FollowAgent(() => this.#drawSoon())
  readonly #list = new ListWindow(this)
  readonly #filtered = new Filtered<EventEntry>(textOf)
  readonly #player = new Player((position) => {
    this.#choose({ position })
    if (this.#chosen.tab === 'journal') this.#list.reveal(position - 1)
  })
  readonly #chosen: Choices = {
    tab: 'timeline',
    detail: 'row',
    position: null,
    line: null,
    event: null,
    request: null,
    tool: null,
    type: '',
    text: '',
    isMerged: true,
    exporting: null,
    notice: '',
    turned: new Set(),
  }
  #file: { readonly opened: OpenedFile; readonly recordings: readonly Recording[] } | null = null
  #fileConversation: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.agent = null
    this.conversationId = null
    this.theme = 'auto'
  }

  async open(file: Blob & { readonly name?: string }): Promise<void> {
    const opened = readFile(file.name ?? 'file', await file.text())
    const recordings = opened.journals.map((journal) => {
      const recording = new Recording(journal)
      for (const row of journal.rows) recording.takeRow(row, false)
      recording.timeline.takeFirstTokens(opened.inspection?.firstTokens ?? [])
      return recording
    })
    this.#file = { opened, recordings }
    this.#fileConversation = null
    this.#reset()
  }

  close(): void {
    this.#file = null
    this.#reset()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#attach()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#player.stop()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#follow.attach(null)
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('agent')) this.#attach()
    if (changed.has('agent') || changed.has('conversationId')) this.#reset()
    this.#follow.follow(this.#liveId())
  }

  protected override render(): TemplateResult {
    return inspectorView(this.#context())
  }

  #attach(): void {
    if (!this.isConnected) return
    this.#follow.attach(this.agent)
    this.requestUpdate()
  }

  #liveId(): string | null {
    return this.conversationId ?? this.agent?.conversations.getSnapshot()[0]?.conversationId ?? null
  }

  #reset(): void {
    this.#player.stop()
    this.#choose({
      position: null,
      line: null,
      event: null,
      request: null,
      tool: null,
      exporting: null,
      notice: '',
    })
  }

  #choose(change: Partial<Choices>): void {
    Object.assign(this.#chosen, change)
    this.requestUpdate()
  }

  #drawSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.requestUpdate()
    }, BETWEEN_DRAWINGS)
  }

  #recording(): Recording | null {
    const file = this.#file
    if (!file) return this.#follow.recording
    const id = this.#fileConversation
    return (
      file.recordings.find(({ journal }) => journal.conversationId === id) ??
      file.recordings[0] ??
      null
    )
  }

  async #save(): Promise<void> {
    const { agent } = this
    const recording = this.#recording()
    const runId = this.#chosen.exporting || null
    if (!agent || !recording) return
    const { journal, timeline } = recording
    const through = runId === null ? journal.rows.length : (journal.spanOf(runId)?.to ?? 0)
    const file = await agent.conversations.export(journal.conversationId, { through })
    const inspection = {
      runId,
      exportedAt: new Date().toISOString(),
      browser: navigator.userAgent,
      firstTokens: timeline.firstTokens(),
    }
    await downloadFile(withInspection(file, inspection), runId === null ? 'conversation' : 'run')
    this.#choose({ exporting: null, notice: 'The file is saved.' })
  }

  #context(): InspectorContext {
    const recording = this.#recording()
    recording?.merge(this.#chosen.isMerged)
    return {
      recording,
      conversations: this.#conversations(),
      tools: (!this.#file && this.agent?.tools.getSnapshot()) || [],
      file: this.#file?.opened ?? null,
      hasAgent: this.agent !== null,
      chosen: this.#chosen,
      list: this.#list,
      filtered: this.#filtered,
      isPlaying: this.#player.isPlaying,
      choose: (change) => this.#choose(change),
      toConversation: (conversationId) => {
        if (this.#file) this.#fileConversation = conversationId
        else this.conversationId = conversationId
        this.#reset()
      },
      openFile: (file) =>
        void this.open(file).catch((error: Error) => this.#choose({ notice: error.message })),
      closeFile: () => this.close(),
      save: () =>
        void this.#save().catch((error: Error) => this.#choose({ notice: error.message })),
      copy: (text, what) => copyText(text, () => this.#choose({ notice: `${what} copied.` })),
      play: () => recording && this.#player.play(recording.journal, this.#chosen.position),
      stop: () => {
        this.#player.stop()
        this.requestUpdate()
      },
    }
  }

  #conversations(): readonly Pick<ConversationRecord, 'conversationId' | 'title'>[] {
    if (!this.#file) return this.agent?.conversations.getSnapshot() ?? []
    return this.#file.recordings.map(({ journal }) => {
      const { conversationId } = journal
      return { conversationId, title: journal.stateAt(Infinity).title ?? '' }
    })
  }
}
