import type { RowOf } from '../protocol/fact.ts'
import type { RunUsage } from '../protocol/message.ts'
import type { ChildState, RunState } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { sumUsage } from './usage.ts'

type ChildRow = RowOf<'child-started' | 'child-usage'>

/** What a row makes of the runs that work for the newest run, which are known also where its messages are not. */
export function foldChild(draft: Draft, row: ChildRow): void {
  const { run } = draft.state
  if (run === null || run.runId !== row.runId) return
  const { children = [] } = run
  const index = children.findIndex(({ path }) => path.at(-1) === row.path.at(-1))
  const next = nextChild(children[index], row)
  if (next === null) return
  draft.changeRun({ children: index < 0 ? [...children, next] : children.with(index, next) })
}

function nextChild(known: ChildState | undefined, row: ChildRow): ChildState | null {
  if (row.type === 'child-usage') {
    const { usage, steps, activeMs, ended } = row
    return known ? { ...known, usage, steps, activeMs, isCounted: ended } : null
  }
  const { path, childConversationId: conversationId, childRunId: runId } = row
  const nothing = { steps: 0, usage: { modelCalls: 0 }, activeMs: 0, isCounted: false }
  return { path, conversationId, runId, ...nothing }
}

/** Of the run and of those that work for it; null: there are none. */
export function totalUsage({ usage, children }: RunState): RunUsage | null {
  return children ? children.reduce((sum, child) => sumUsage(sum, child.usage), usage) : null
}
