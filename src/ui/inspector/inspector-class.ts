import {
  type CSSResultGroup,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import type { Choices, InspectorContext } from './context.ts'
import { copyText } from '../shared/copy-text.ts'
import type { Agent, ConversationRecord, Run } from '../../index.ts'
import { ListWindow } from './list-window.ts'
import { type EventEntry, textOf, type TimedEvent, Filtered } from './parts/event-log.ts'
import { type OpenedFile, readFile } from './parts/inspection-file.ts'
import { Journal, Recording } from './recording.ts'
import { inspectorView } from './views/inspector.ts'
import { tokens } from '../shared/tokens.ts'
import { frame } from './styles/frame.ts'
import { tables } from './styles/tables.ts'

const styles: CSSResultGroup = [tokens, frame, tables]

/** Minimum time between two renders. Milliseconds. */
const BETWEEN_DRAWINGS = 80

/** Properties and methods of `<offstage-inspector>`. */
export interface InspectorProperties {
  /**
   * The agent to inspect. Set it right after creating the agent, because earlier events aren't recorded. Null
   * (default): none.
   */
  agent: Agent | null
  /** The conversation on view; attribute `conversation-id`. Null (default): the newest. */
  conversationId: string | null
  /** Default: `auto`, the page's own `color-scheme`. */
  theme: 'auto' | 'light' | 'dark'
  /** Shows a file made by an inspector or by `conversations.export`. Rejects for any other file. */
  open(file: Blob & { readonly name?: string }): Promise<void>
  /** Closes the file and shows the agent again. */
  close(): void
}

/** See `OffstageInspector`. */
class InspectorElement extends LitElement implements InspectorProperties {
  static override readonly styles: CSSResultGroup = styles
  static override readonly properties: PropertyDeclarations = {
    agent: { attribute: false },
    conversationId: { attribute: 'conversation-id' },
    theme: { reflect: true },
  }

  declare agent: InspectorProperties['agent']
  declare conversationId: InspectorProperties['conversationId']
  declare theme: InspectorProperties['theme']

  readonly #follower = new FollowAgent(() => this.#drawSoon())
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
    notice: '',
    toggled: new Set(),
  }
  #file: { readonly opened: OpenedFile; readonly recordings: readonly Recording[] } | null = null
  #fileConversation: string | null = null
  #sheet: InspectorContext['sheet'] = null
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
      for (const row of journal.rows) recording.processRow(row, false)
      recording.timeline.addFirstTokens(opened.inspection?.firstTokens ?? [])
      return recording
    })
    this.#file = { opened, recordings }
    this.#fileConversation = null
    this.#reset()
    this.#showProblem()
  }

  /** Selects the first call that was refused or failed. */
  #showProblem(): void {
    const line = this.#recording()
      ?.timeline.lines()
      .find(({ kind, status }) => kind === 'call' && /^(invalid|failed)$/.test(status))
    if (line) this.#choose({ tab: 'timeline', line: line.key, position: line.lastSeq })
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
    this.#follower.attach(null)
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('agent')) this.#attach()
    if (changed.has('agent') || changed.has('conversationId')) this.#reset()
    this.#follower.follow(this.#liveId())
  }

  protected override render(): TemplateResult {
    return inspectorView(this.#context())
  }

  #attach(): void {
    if (!this.isConnected) return
    this.#follower.attach(this.agent)
    this.requestUpdate()
  }

  #liveId(): string | null {
    return this.conversationId ?? this.agent?.conversations.getSnapshot()[0]?.conversationId ?? null
  }

  #reset(): void {
    this.#player.stop()
    this.#sheet = null
    this.#choose({
      position: null,
      line: null,
      event: null,
      request: null,
      tool: null,
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
    if (!file) return this.#follower.recording
    const id = this.#fileConversation
    return (
      file.recordings.find(({ journal }) => journal.conversationId === id) ??
      file.recordings[0] ??
      null
    )
  }

  async #openSheet(): Promise<void> {
    const { agent } = this
    const recording = this.#recording()
    if (!agent || !recording) return
    const { ReportSheet } = await import('./views/report.ts')
    this.#sheet = new ReportSheet({
      agent,
      recording,
      changed: () => this.requestUpdate(),
      close: (notice) => {
        this.#sheet = null
        this.#choose({ notice })
      },
      copy: (text, what) => this.#copy(text, what),
    })
    this.#choose({ notice: '' })
  }

  async #copyTest(): Promise<void> {
    const file = this.#file
    const { testOf } = await import('./views/report.ts')
    const title = this.#recording()?.journal.stateAt(Infinity).title
    if (file) this.#copy(testOf(file.opened.name, title ?? ''), 'Test')
  }

  #copy(text: string, what: string): void {
    copyText(text, () => this.#choose({ notice: `${what} copied.` }))
  }

  /** Shows the error of an action. */
  #showError(action: Promise<void>): void {
    action.catch((error: Error) => this.#choose({ notice: error.message }))
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
      showConversation: (conversationId) => {
        if (this.#file) this.#fileConversation = conversationId
        else this.conversationId = conversationId
        this.#reset()
      },
      openFile: (file) => this.#showError(this.open(file)),
      closeFile: () => this.close(),
      sheet: this.#sheet,
      openSheet: () => this.#showError(this.#openSheet()),
      copyTest: () => this.#showError(this.#copyTest()),
      copy: (text, what) => this.#copy(text, what),
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

/** `<offstage-inspector>` shows developers what an agent does. It changes nothing of the agent. */
export type OffstageInspector = HTMLElement & InspectorProperties

/** The class of `<offstage-inspector>`, for defining the element under another name. */
export const OffstageInspector: {
  new (): OffstageInspector
  readonly prototype: OffstageInspector
} = InspectorElement

/** Maximum wait between two rows in playback. Milliseconds. */
const LONGEST_WAIT = 600

/** Moves through rows at the pace at which they were written. Runs nothing again. */
class Player {
  readonly #onMove: (position: number) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(onMove: (position: number) => void) {
    this.#onMove = onMove
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined
  }

  /**
   * Plays from a position to the end of its run. From the end, or without a position, plays that run from its start.
   */
  play(journal: Journal, position: number | null): void {
    this.stop()
    const at = position ?? journal.rows.length
    const runId = journal.rows[at - 1]?.runId ?? journal.runIds().at(-1)
    const span = runId ? journal.spanOf(runId) : null
    const { from, to } = span ?? { from: 1, to: journal.rows.length }
    this.#step(journal, at >= to || at < from ? from : at, to)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #step(journal: Journal, position: number, to: number): void {
    const [current, next] = [journal.rows[position - 1], journal.rows[position]]
    const wait = current && next ? Math.min(next.at - current.at, LONGEST_WAIT) : 0
    this.#timer =
      position < to
        ? setTimeout(() => this.#step(journal, position + 1, to), Math.max(30, wait))
        : undefined
    this.#onMove(position)
  }
}

/** Minimum time between two reads of rows. Milliseconds. */
const BETWEEN_READS = 120
/** Maximum number of runs whose events are kept. The oldest are dropped. */
const MOST_RUNS = 100

interface RecordedRun {
  readonly conversationId: string
  readonly events: TimedEvent[]
}

/** Records a conversation of an agent live, and the events of all runs that begin or resume from now on. */
class FollowAgent {
  readonly #onChange: () => void
  readonly #runs = new Map<string, RecordedRun>()
  #agent: Agent | null = null
  #recording: Recording | null = null
  #cleanups: (() => void)[] = []
  #agentCleanups: readonly (() => void)[] = []
  /** All rows of the conversation were read once. */
  #hasRows = false

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get recording(): Recording | null {
    return this.#recording
  }

  /** Starts recording the agent's runs and following its lists of conversations and tools. Null stops. */
  attach(agent: Agent | null): void {
    if (agent === this.#agent) return
    this.unfollow()
    this.#runs.clear()
    this.#agent = agent
    for (const cleanup of this.#agentCleanups) cleanup()
    this.#agentCleanups = agent
      ? [
          agent.on('run', ({ run }) => void this.#recordEvents(run)),
          agent.conversations.subscribe(this.#onChange),
          agent.tools.subscribe(this.#onChange),
        ]
      : []
  }

  follow(conversationId: string | null): void {
    if (this.#recording?.journal.conversationId === conversationId) return
    this.unfollow()
    const agent = this.#agent
    if (!agent || conversationId === null) return
    const recording = new Recording(new Journal(conversationId))
    this.#recording = recording
    this.#hasRows = false
    const reader = new RowReader(agent, recording, {
      onRead: (isComplete) => this.#onRead(recording, isComplete),
      isSeen: (runId) => this.#runs.has(runId),
    })
    this.#cleanups = [
      agent.conversation(conversationId).subscribe(() => reader.read()),
      () => reader.stop(),
    ]
    reader.read()
  }

  /** Stops following the conversation. */
  unfollow(): void {
    for (const cleanup of this.#cleanups) cleanup()
    this.#cleanups = []
    this.#recording = null
  }

  #onRead(recording: Recording, isComplete: boolean): void {
    if (recording !== this.#recording) return
    if (isComplete && !this.#hasRows) {
      this.#hasRows = true
      const { conversationId } = recording.journal
      for (const recorded of this.#runs.values())
        if (recorded.conversationId === conversationId)
          for (const timed of recorded.events) recording.addEvent(timed, true)
    }
    this.#onChange()
  }

  async #recordEvents(run: Run): Promise<void> {
    const { runId, conversationId } = run
    const recorded: RecordedRun = { conversationId, events: [] }
    this.#runs.set(runId, recorded)
    const oldest = this.#runs.keys().next().value
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest)
    for await (const event of run) {
      // Stops if an agent was attached again meanwhile; events are then derived from the rows.
      if (this.#runs.get(runId) !== recorded) return
      const timed = { at: Date.now(), event }
      recorded.events.push(timed)
      const recording = this.#recording
      if (recording?.journal.conversationId !== conversationId || !this.#hasRows) continue
      recording.addEvent(timed, true)
      this.#onChange()
    }
  }
}

/** Reads rows as they are stored, one request at a time. */
class RowReader {
  readonly #agent: Agent
  readonly #recording: Recording
  readonly #onRead: (isComplete: boolean) => void
  readonly #isSeen: (runId: string) => boolean
  #isReading = false
  #isRequested = false
  #isStopped = false

  constructor(
    agent: Agent,
    recording: Recording,
    {
      onRead,
      isSeen,
    }: { onRead: (isComplete: boolean) => void; isSeen: (runId: string) => boolean },
  ) {
    this.#agent = agent
    this.#recording = recording
    this.#onRead = onRead
    this.#isSeen = isSeen
  }

  stop(): void {
    this.#isStopped = true
  }

  read(): void {
    this.#isRequested = true
    if (!this.#isReading) void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false
      // Ignores a failed read: the next change starts another one.
      const hasMore = await this.#readSome().catch(() => false)
      if (hasMore) this.#isRequested = true
      else await new Promise((resolve) => setTimeout(resolve, BETWEEN_READS))
    }
    this.#isReading = false
  }

  async #readSome(): Promise<boolean> {
    const { journal } = this.#recording
    const after = journal.rows.length
    const found = await this.#agent.conversations.rows(journal.conversationId, { after })
    if (this.#isStopped) return false
    for (const row of found?.rows ?? [])
      this.#recording.addRow(row, row.runId !== null && this.#isSeen(row.runId))
    if (found?.broken !== undefined) journal.markBroken(found.broken)
    const hasMore = found?.hasMore === true && journal.rows.length > after
    this.#onRead(!hasMore)
    return hasMore
  }
}
