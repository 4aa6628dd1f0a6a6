import { html, nothing, svg, type TemplateResult } from 'lit'
import { type InspectorContext, positionOf, type Tab, TABS } from '../context.ts'
import { journalView, rowDetail } from './journal.ts'
import { duration, toVisibleText, timeOfDay } from './format.ts'
import { regionView, tableView } from './table.ts'
import { treeView } from './tree.ts'
import { type TimelineLine, timesOf } from '../parts/timeline.ts'
import { eventLines, summaryOf } from '../parts/event-log.ts'
import type { SentRequest } from '../../../index.ts'
import type { MessageNode, Row } from '../../../conversation/index.ts'
import type { Recording } from '../recording.ts'

const SECTIONS = ['instructions', 'tools', 'history', 'snapshots', 'context'] as const

/** Lists the requests to models as they were sent. Without recorded requests, lists the stored steps. */
function requestsView({ recording, chosen, choose, list }: InspectorContext): TemplateResult {
  const requests = recording?.requests ?? []
  const steps = storedSteps(recording)
  const selected = chosen.request ?? -1
  const select = (request: number): void => choose({ request })
  if (requests.length === 0 && steps.length > 0)
    return tableView({
      label: 'Requests',
      name: 'steps',
      columns: ['Time', 'Step', 'Messages'],
      rows: steps,
      list,
      selected,
      cells: (row) => [timeOfDay(row.at), String(row.step), String(pathAt(recording, row).length)],
      select,
    })
  if (requests.length === 0) return html`<p class="empty">No requests.</p>`
  return tableView({
    label: 'Requests',
    name: 'requests',
    columns: ['Time', 'Step', 'Model', 'Messages', 'Tools', 'Tokens'],
    rows: requests,
    list,
    selected,
    cells: ({ at, event: { step, attempt, request } }) => [
      timeOfDay(at),
      attempt > 1 ? `${step}, attempt ${attempt}` : String(step),
      request.model,
      String(request.messages.length),
      String(request.tools.length),
      String(sumOf(request)),
    ],
    select,
  })
}

type StepRow = Extract<Row, { type: 'step-started' }>

function storedSteps(recording: Recording | null): StepRow[] {
  return recording?.journal.rows.filter((row) => row.type === 'step-started') ?? []
}

function pathAt(recording: Recording | null, { seq }: StepRow): readonly MessageNode[] {
  return recording?.journal.stateAt(seq).path ?? []
}

function storedRequest(context: InspectorContext): TemplateResult | typeof nothing {
  const { recording, chosen } = context
  const row = storedSteps(recording)[chosen.request ?? -1]
  if (!row) return nothing
  const messages = pathAt(recording, row).map(({ message, sent }) => ({ ...message, ...sent }))
  return regionView(
    `Request of step ${row.step}`,
    html`<p class="quiet">
        From stored rows, without instructions, tools and live context. Make the agent with
        requests: true and raw: true to see them.
      </p>
      <h3>Messages</h3>
      ${treeView(messages, 'request', context)}`,
  )
}

function sumOf({ tokens }: SentRequest): number {
  return SECTIONS.reduce((sum, section) => sum + tokens[section], 0)
}

function requestDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const { recording, chosen } = context
  if (!recording?.requests.length) return storedRequest(context)
  const recorded = recording.requests[chosen.request ?? -1]
  if (!recorded) return nothing
  const { request, step } = recorded.event
  const { tokens, instructions, messages, tools, context: live, ...rest } = request
  const parts = { ...rest, instructions, messages, tools, context: live }
  const content = html`<h3>Tokens, estimated</h3>
    ${shareView(request)}
    <dl class="tokens">
      ${SECTIONS.map(
        (section) =>
          html`<dt><i class="swatch ${section}"></i>${section}</dt>
            <dd>${tokens[section]}</dd>`,
      )}
    </dl>
    <h3>Sent</h3>
    ${treeView(parts, 'request', context)}
    <h3>Came back</h3>
    ${
      recorded.raw.length === 0
        ? html`<p class="quiet">Make the agent with raw: true.</p>`
        : treeView(recorded.raw, 'raw', context)
    }`
  return regionView(`Request of step ${step}`, content)
}

function shareView(request: SentRequest): TemplateResult {
  const whole = Math.max(1, sumOf(request))
  let at = 0
  const percent = (value: number): string => `${((value / whole) * 100).toFixed(2)}%`
  return html`<svg class="share" aria-hidden="true">
    ${SECTIONS.map((section) => {
      const x = at
      at += request.tokens[section]
      return svg`<rect class=${section} x=${percent(x)} width=${percent(request.tokens[section])} height="100%"></rect>`
    })}
  </svg>`
}

/** Lists events as they arrived. Events that weren't observed are derived from the stored rows. */
function eventsView(context: InspectorContext): TemplateResult {
  const { recording, chosen, choose, list, filtered } = context
  const all = recording?.eventLog.entries ?? []
  const entries = filtered.apply(all, chosen)
  return html`
    <div class="filters" role="group" aria-label="Filter">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search events"
        .value=${chosen.text}
        @input=${(event: Event) => choose({ text: (event.target as HTMLInputElement).value })}
      />
      <select
        aria-label="Type of event"
        @change=${(event: Event) => choose({ type: (event.target as HTMLSelectElement).value })}
      >
        <option value="">All types</option>
        ${[...(recording?.eventLog.types ?? [])]
          .toSorted()
          .map(
            (type) =>
              html`<option value=${type} ?selected=${type === chosen.type}>${type}</option>`,
          )}
      </select>
      <label
        ><input
          type="checkbox"
          .checked=${chosen.isMerged}
          @change=${(event: Event) => choose({ isMerged: (event.target as HTMLInputElement).checked, event: null })}
        />Merge pieces</label
      >
      <button
        type="button"
        @click=${() => context.copy(eventLines(entries), `${entries.length} events`)}
      >
        Copy as JSON Lines
      </button>
    </div>
    ${
      entries.length === 0
        ? html`<p class="empty">No events.</p>`
        : tableView({
            label: 'Events',
            name: 'events',
            columns: ['Time', 'Event', 'What'],
            rows: entries,
            list,
            selected: chosen.event ? entries.indexOf(chosen.event) : -1,
            cells: (entry) => [
              timeOfDay(entry.at),
              entry.events.length > 1 ? `${entry.type} ×${entry.events.length}` : entry.type,
              summaryOf(entry),
            ],
            select: (index) => choose({ event: entries[index] ?? null }),
          })
    }
  `
}

function eventDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const { event } = context.chosen
  if (!event) return nothing
  const value = event.events.length === 1 ? event.events[0] : event.events
  return regionView(
    event.type,
    html`<h3>${event.type}</h3>
      ${event.events.length > 1 ? html`<p class="text">${toVisibleText(summaryOf(event))}</p>` : nothing}
      ${treeView(value, 'event', context)}`,
  )
}

const COLUMNS = [
  'Name',
  'Status',
  'Begun',
  'Total',
  'First token',
  'Model',
  'Tools',
  'Person',
  'Commits',
  'Course',
]

/** Lists runs, steps and calls with their durations. Selecting one moves to its last row. */
function timelineView({ recording, chosen, choose, list }: InspectorContext): TemplateResult {
  const lines = recording?.timeline.lines() ?? []
  if (lines.length === 0) return html`<p class="empty">Nothing has run yet.</p>`
  const runs = new Map(lines.flatMap((line) => (line.kind === 'run' ? [[line.runId, line]] : [])))
  return tableView({
    label: 'Timeline',
    name: 'timeline',
    columns: COLUMNS,
    rows: lines,
    list,
    selected: lines.findIndex(({ key }) => key === chosen.line),
    rowClass: ({ kind, isOpen }) => `${kind} ${isOpen ? 'open' : ''}`,
    cells: (line) => cellsOf(line, runs.get(line.runId) ?? line),
    select: (index) =>
      choose({ line: lines[index]?.key ?? null, position: lines[index]?.lastSeq ?? null }),
  })
}

function cellsOf(line: TimelineLine, run: TimelineLine): (TemplateResult | string)[] {
  const { total, model, tool, person } = timesOf(line)
  return [
    // Set by property: a policy may refuse a style attribute.
    html`<span .style=${`padding-inline-start: ${Math.min(line.depth, 4)}rem`}
      >${toVisibleText(line.name)}</span
    >`,
    html`<span class="status ${line.status}">${toVisibleText(line.status)}</span>`,
    timeOfDay(line.startedAt),
    duration(total),
    line.firstTokenMs === null ? '' : duration(Math.max(1, line.firstTokenMs)),
    duration(model),
    duration(tool),
    duration(person),
    String(line.commits),
    courseOf(line, run),
  ]
}

/** Draws a line's times as bars on its run's time scale. */
function courseOf(line: TimelineLine, run: TimelineLine): TemplateResult {
  const whole = Math.max(1, run.endedAt - run.startedAt)
  const percent = (ms: number): string =>
    `${Math.max(0, Math.min(100, (ms / whole) * 100)).toFixed(2)}%`
  const bar = (from: number, to: number, kind: string): TemplateResult =>
    svg`<rect class=${kind} x=${percent(from - run.startedAt)} width=${percent(Math.max(to - from, whole / 200))} height="100%"></rect>`
  return html`<svg class="course" aria-hidden="true">
    ${bar(line.startedAt, line.endedAt, 'whole')}
    ${(['model', 'tool', 'person'] as const).map((kind) =>
      line[kind].map(([from, to]) => bar(from, to, kind)),
    )}
  </svg>`
}

/** Lists the agent's current tools, whichever conversation is shown. */
function toolsView({ tools, chosen, choose, list }: InspectorContext): TemplateResult {
  return tableView({
    label: 'Tools',
    name: 'tool-list',
    columns: ['Tool', 'Title', 'State'],
    rows: tools,
    list,
    selected: chosen.tool ?? -1,
    cells: ({ name, title = '', skills, whyNot }) => [
      name,
      title,
      whyNot ?? (skills ? `skill: ${skills.join(', ')}` : 'enabled'),
    ],
    select: (tool) => choose({ tool }),
  })
}

function toolDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const tool = context.tools[context.chosen.tool ?? -1]
  if (!tool) return nothing
  return regionView(tool.name, treeView(tool, 'tool', context))
}

/** Renders the whole inspector. */
export function inspectorView(context: InspectorContext): TemplateResult {
  const { recording, chosen, hasAgent, file } = context
  return html`
    <section
      class="inspector"
      part="inspector"
      aria-label="Inspector"
      @dragover=${(event: DragEvent) => event.preventDefault()}
      @drop=${(event: DragEvent) => onDrop(context, event)}
    >
      ${toolbarView(context)} ${context.sheet?.view() ?? nothing}
      <p class="notice" role="status">${chosen.notice}</p>
      ${recording || (hasAgent && !file) ? bodyView(context) : EMPTY}
    </section>
  `
}

function toolbarView(context: InspectorContext): TemplateResult {
  const { conversations, recording, file, hasAgent } = context
  const currentId = recording?.journal.conversationId
  return html`
    <header class="toolbar" part="toolbar">
      ${
        conversations.length === 0
          ? html`<strong>Inspector</strong>`
          : html`<select
              aria-label="Conversation"
              @change=${(event: Event) => context.showConversation((event.target as HTMLSelectElement).value)}
            >
              ${conversations.map(
                ({ conversationId, title }) =>
                  html`<option value=${conversationId} ?selected=${conversationId === currentId}>
                    ${toVisibleText(title || conversationId)}
                  </option>`,
              )}
            </select>`
      }
      ${
        file
          ? html`<span
                class="source"
                title=${file.inspection ? toVisibleText(file.inspection.browser) : nothing}
                >${toVisibleText(file.name)}, format ${file.format}</span
              ><button type="button" @click=${() => context.copyTest()}>Copy as test</button
              ><button type="button" @click=${() => context.closeFile()}>Close file</button>`
          : hasAgent
            ? html`<span class="source live">live</span
                ><button
                  type="button"
                  ?disabled=${!recording?.journal.rows.length}
                  @click=${() => context.openSheet()}
                >
                  Report a problem…
                </button>`
            : nothing
      }
      <label class="file button"
        >Open file<input
          class="unseen"
          type="file"
          accept=".jsonl"
          @change=${(event: Event) => onFile(context, event.target as HTMLInputElement)}
      /></label>
    </header>
  `
}

function onFile(context: InspectorContext, input: HTMLInputElement): void {
  const file = input.files?.[0]
  if (file) context.openFile(file)
  input.value = ''
}

function onDrop(context: InspectorContext, event: DragEvent): void {
  event.preventDefault()
  const file = event.dataTransfer?.files[0]
  if (file) context.openFile(file)
}

const EMPTY: TemplateResult = html`<p class="empty">
  Set \`agent\`, or drop an exported file here.
</p>`

function bodyView(context: InspectorContext): TemplateResult {
  const { chosen, recording } = context
  const { list, detail: detailOf } = VIEWS[chosen.tab]
  const detail = detailOf(context)
  return html`
    <div
      class="tabs"
      role="tablist"
      aria-label="Views"
      @keydown=${(event: KeyboardEvent) => onTabKey(context, event)}
    >
      ${TABS.map(
        (tab) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${tab}"
            aria-selected=${chosen.tab === tab}
            aria-controls="panel"
            tabindex=${chosen.tab === tab ? 0 : -1}
            @click=${() => context.choose({ tab })}
          >
            ${VIEWS[tab].title}<span class="count">${VIEWS[tab].count(context) ?? 0}</span>
          </button>`,
      )}
    </div>
    ${recording?.journal.fault ? html`<p class="problem">${recording.journal.fault}</p>` : nothing}
    <div class="body" id="panel" role="tabpanel" aria-labelledby="tab-${chosen.tab}">
      <div class="list">${list(context)}</div>
      ${detail === nothing ? nothing : html`<div class="detail" part="detail">${detail}</div>`}
    </div>
    ${scrubberView(context)}
  `
}

interface View {
  readonly title: string
  count(context: InspectorContext): number | undefined
  list(context: InspectorContext): TemplateResult
  detail(context: InspectorContext): TemplateResult | typeof nothing
}

const VIEWS: Readonly<Record<Tab, View>> = {
  timeline: {
    title: 'Timeline',
    count: ({ recording }) => recording?.timeline.count,
    list: timelineView,
    detail: rowDetail,
  },
  events: {
    title: 'Events',
    count: ({ recording }) => recording?.eventLog.entries.length,
    list: eventsView,
    detail: eventDetail,
  },
  journal: {
    title: 'Journal',
    count: ({ recording }) => recording?.journal.rows.length,
    list: journalView,
    detail: rowDetail,
  },
  requests: {
    title: 'Requests',
    count: ({ recording }) => recording?.requests.length || storedSteps(recording).length,
    list: requestsView,
    detail: requestDetail,
  },
  tools: {
    title: 'Tools',
    count: ({ tools }) => tools.length,
    list: toolsView,
    detail: toolDetail,
  },
}

function onTabKey(context: InspectorContext, event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const at = TABS.indexOf(context.chosen.tab)
  const tab = TABS[(at + step + TABS.length) % TABS.length]
  if (!tab) return
  context.choose({ tab })
  const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=tab]')
  tabs[TABS.indexOf(tab)]?.focus()
}

/** Shows the current position in the journal, with the controls that move it. */
function scrubberView(context: InspectorContext): TemplateResult {
  const { recording, choose, chosen, isPlaying, list } = context
  const rows = recording?.journal.rows ?? []
  const at = positionOf(context)
  const row = rows[at - 1]
  const move = (position: number): void => {
    context.stop()
    choose({ position, line: null, ...(chosen.tab === 'events' && { tab: 'journal' }) })
    if (chosen.tab === 'journal') list.reveal(position - 1)
  }
  const toNewest = (): void => {
    context.stop()
    choose({ position: null, line: null })
    if (chosen.tab === 'journal') list.reveal(rows.length - 1)
  }
  return html`<footer class="scrubber" part="scrubber">
    <button
      type="button"
      ?disabled=${rows.length === 0}
      @click=${() => (isPlaying ? context.stop() : replay(context))}
    >
      ${isPlaying ? 'Stop' : 'Replay'}
    </button>
    <button type="button" aria-label="Row before" ?disabled=${at <= 1} @click=${() => move(at - 1)}>
      ‹
    </button>
    <input
      type="range"
      aria-label="Row"
      min="0"
      max=${rows.length}
      .value=${String(at)}
      aria-valuetext=${row ? `Row ${at}, ${row.type}` : 'Before the first row'}
      @input=${(event: Event) => move(Number((event.target as HTMLInputElement).value))}
    />
    <button
      type="button"
      aria-label="Row after"
      ?disabled=${at >= rows.length}
      @click=${() => move(at + 1)}
    >
      ›
    </button>
    <output
      >${row ? `${at} of ${rows.length} · ${row.type} · ${timeOfDay(row.at)}` : `0 of ${rows.length}`}</output
    >
    <button type="button" aria-pressed=${chosen.position === null} @click=${toNewest}>
      Newest
    </button>
  </footer>`
}

/** Plays back the view of the page, row by row. */
function replay(context: InspectorContext): void {
  context.choose({
    tab: 'journal',
    detail: 'shown',
    line: null,
    notice: 'Replayed from the stored rows: nothing runs.',
  })
  context.play()
}
