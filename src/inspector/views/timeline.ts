import { html, svg, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'
import { timesOf, type TimelineLine } from '../parts/timeline.ts'
import { duration, timeOfDay } from './format.ts'
import { said } from './said.ts'
import { tableView } from './table.ts'

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

/** Runs, steps and calls, with how long each took and for what. A press leads to its last row. */
export function timelineView({
  recording,
  chosen,
  choose,
  list,
}: InspectorContext): TemplateResult {
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
    html`<span class="indent-${Math.min(line.depth, 5)}">${said(line.name)}</span>`,
    html`<span class="status ${line.status}">${said(line.status)}</span>`,
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

/** Where its times are within the run's. */
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
