import type { CallPath } from '../../../index.ts'
import type { Row } from '../../../conversation/index.ts'

export type LineKind = 'run' | 'step' | 'call'

/** A run, a step or a call with its times. If it has no end yet, it lasts until the newest row. */
export interface TimelineLine {
  readonly key: string
  readonly kind: LineKind
  /** Nesting depth: child calls are deeper. */
  readonly depth: number
  readonly name: string
  readonly status: string
  readonly runId: string
  /** The `seq` of the line's first row, and of its last row so far. */
  readonly seq: number
  readonly lastSeq: number
  readonly startedAt: number
  readonly endedAt: number
  readonly isOpen: boolean
  /** Time from the request to the first piece of the answer. Null if the events weren't recorded live. */
  readonly firstTokenMs: number | null
  readonly model: readonly Span[]
  readonly tool: readonly Span[]
  readonly person: readonly Span[]
  /** Number of commits with rows of this line. */
  readonly commits: number
}

export interface LineTimes {
  readonly total: number
  readonly model: number
  readonly tool: number
  readonly person: number
}

export function timesOf({ startedAt, endedAt, model, tool, person }: TimelineLine): LineTimes {
  return {
    total: endedAt - startedAt,
    model: coveredMs(model),
    tool: coveredMs(tool),
    person: coveredMs(person),
  }
}

type Phase = 'model' | 'tool' | 'person'

interface Draft {
  readonly key: string
  readonly kind: LineKind
  readonly depth: number
  name: string
  status: string
  readonly runId: string
  readonly seq: number
  lastSeq: number
  readonly startedAt: number
  endedAt: number
  isOpen: boolean
  readonly spans: Record<Phase, Span[]>
  /** The phase in progress. */
  phase: { readonly phase: Phase; readonly since: number } | null
  commits: number
  lastCommit: number
}

/** Builds the lines from rows, taken one by one: each row costs the same, however many there are. */
export class Timeline {
  readonly #lines: Draft[] = []
  readonly #runs = new Map<string, Draft>()
  readonly #steps = new Map<string, Draft>()
  readonly #calls = new Map<string, Draft>()
  readonly #firstTokens = new Map<string, number>()
  #newestAt = 0

  add(row: Row): void {
    this.#newestAt = Math.max(this.#newestAt, row.at)
    const { runId } = row
    if (runId === null) return
    const run = this.#runs.get(runId) ?? this.#beginRun(row, runId)
    extend(run, row)
    this.#addStep(row, runId)
    if ('path' in row && Array.isArray(row.path)) this.#addCall(row, runId, row.path)
    if (row.type === 'run-ended') this.#endRun(run, row)
  }

  /** Records the time from a step's request to the first piece of its answer. */
  firstToken(runId: string, step: number, ms: number): void {
    const key = stepKey(runId, step)
    if (!this.#firstTokens.has(key)) this.#firstTokens.set(key, ms)
  }

  /** Returns the times that `firstToken` recorded. */
  firstTokens(): [key: string, ms: number][] {
    return [...this.#firstTokens]
  }

  addFirstTokens(entries: readonly (readonly [string, number])[]): void {
    for (const [key, ms] of entries) this.#firstTokens.set(key, ms)
  }

  get count(): number {
    return this.#lines.length
  }

  lines(): TimelineLine[] {
    return this.#lines.map((draft) => this.#line(draft))
  }

  #line({ phase, spans, lastCommit: _last, ...draft }: Draft): TimelineLine {
    const until = Math.max(draft.endedAt, draft.isOpen ? this.#newestAt : 0)
    const withOpen = (each: Phase): readonly Span[] =>
      phase?.phase === each ? [...spans[each], [phase.since, until]] : spans[each]
    return {
      ...draft,
      endedAt: until,
      firstTokenMs: this.#firstTokens.get(draft.key) ?? null,
      model: withOpen('model'),
      tool: withOpen('tool'),
      person: withOpen('person'),
    }
  }

  #beginRun(row: Row, runId: string): Draft {
    const prompt = row.type === 'run-started' ? textOf(row.message?.parts ?? []) : ''
    const run = this.#push(row, runId, { key: runId, kind: 'run', depth: 0, name: prompt || 'Run' })
    this.#runs.set(runId, run)
    return run
  }

  #push(row: Row, runId: string, line: Pick<Draft, 'key' | 'kind' | 'depth' | 'name'>): Draft {
    const draft: Draft = {
      ...line,
      status: 'running',
      runId,
      seq: row.seq,
      lastSeq: row.seq,
      startedAt: row.at,
      endedAt: row.at,
      isOpen: true,
      spans: { model: [], tool: [], person: [] },
      phase: null,
      commits: 0,
      lastCommit: 0,
    }
    this.#lines.push(draft)
    return draft
  }

  #addStep(row: Row, runId: string): void {
    if (row.type === 'step-started') {
      const key = stepKey(runId, row.step)
      const existing = this.#steps.get(key)
      const step =
        existing ??
        this.#push(row, runId, { key, kind: 'step', depth: 1, name: `Step ${row.step}` })
      this.#steps.set(key, step)
      startPhase(step, 'model', row.at)
      extend(step, row)
      startPhase(this.#runs.get(runId), 'model', row.at)
    } else if (row.type === 'model-output' || row.type === 'step-cut') {
      const step = this.#steps.get(stepKey(runId, row.step))
      endPhase(step, row.at)
      endPhase(this.#runs.get(runId), row.at)
      if (!step) return
      extend(step, row)
      step.status = row.type === 'model-output' ? row.finishReason : 'cut'
      step.isOpen = false
      if (row.type === 'model-output') this.#propose(row, runId)
    }
  }

  #propose(row: Extract<Row, { type: 'model-output' }>, runId: string): void {
    const titles = new Map(row.calls.map(({ toolCallId, title }) => [toolCallId, title]))
    for (const part of row.message.parts) {
      if (part.type !== 'tool-call') continue
      const name = titles.get(part.toolCallId) ?? part.toolName
      this.#calls.set(
        part.toolCallId,
        this.#push(row, runId, { key: `call ${part.toolCallId}`, kind: 'call', depth: 2, name }),
      )
    }
  }

  #addCall(row: Row, runId: string, path: CallPath): void {
    const id = String(path.at(-1))
    let call = this.#calls.get(id)
    if (!call && row.type === 'call-proposed') {
      const name = row.title ?? row.toolName
      call = this.#push(row, runId, {
        key: `call ${id}`,
        kind: 'call',
        depth: 1 + path.length,
        name,
      })
      this.#calls.set(id, call)
    }
    if (!call) return
    extend(call, row)
    const phase = phaseAfter(row)
    if (phase === undefined) return
    const run = this.#runs.get(runId)
    // Adds the call's span to its run. Spans of several calls may overlap.
    if (call.phase) run?.spans[call.phase.phase].push([call.phase.since, row.at])
    if (phase === null) endPhase(call, row.at)
    else startPhase(call, phase, row.at)
    call.status = row.type === 'call-settled' ? row.status : row.type.replaceAll('-', ' ')
    if (row.type === 'call-settled') call.isOpen = false
  }

  #endRun(run: Draft, row: Extract<Row, { type: 'run-ended' }>): void {
    endPhase(run, row.at)
    run.status = row.end.outcome
    run.isOpen = false
    for (const step of this.#steps.values())
      if (step.runId === run.runId && step.isOpen) {
        extend(step, row)
        endPhase(step, row.at)
        step.isOpen = false
        step.status = row.end.outcome
      }
  }
}

/** Phase of a call after a row of this type; null: none. Other types don't change it. */
const PHASES: { readonly [Type in Row['type']]?: Phase | null } = {
  'call-started': 'tool',
  'approval-requested': 'person',
  'question-asked': 'person',
  'output-requested': 'person',
  'call-interrupted': 'person',
  'call-suspended': 'person',
  'approval-answered': null,
  'question-answered': null,
  'interruption-resolved': null,
  'call-withdrawn': null,
  'call-settled': null,
}

/**
 * Returns undefined if the row doesn't change the phase. Checks own properties, because a file's rows may have any
 * type, such as `toString`.
 */
function phaseAfter({ type }: Row): Phase | null | undefined {
  return Object.hasOwn(PHASES, type) ? PHASES[type] : undefined
}

function extend(draft: Draft, row: Row): void {
  draft.lastSeq = row.seq
  draft.endedAt = Math.max(draft.endedAt, row.at)
  // Rows of one append share a time.
  if (row.at !== draft.lastCommit) draft.commits += 1
  draft.lastCommit = row.at
}

function startPhase(draft: Draft | undefined, phase: Phase, at: number): void {
  endPhase(draft, at)
  if (draft) draft.phase = { phase, since: at }
}

function endPhase(draft: Draft | undefined, at: number): void {
  if (draft?.phase) draft.spans[draft.phase.phase].push([draft.phase.since, at])
  if (draft) draft.phase = null
}

function stepKey(runId: string, step: number): string {
  return `${runId} ${step}`
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts
    .map(({ text }) => text ?? '')
    .join(' ')
    .slice(0, 200)
}

/** Start and end, in milliseconds. */
type Span = readonly [number, number]

/** Milliseconds that at least one span covers. */
export function coveredMs(spans: readonly Span[]): number {
  let covered = 0
  let until = -Infinity
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    covered += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return covered
}
