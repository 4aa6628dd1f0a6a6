import type { RowOf } from '../protocol/fact.ts'
import type { RunUsage } from '../protocol/message.ts'
import type { ChildState, RunState } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { sumUsage } from './usage.ts'

type ChildRow = RowOf<'child-started' | 'child-usage'>

/** Folds a row into the child runs of the newest run. Works even where the call's message is missing. */
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

/** Usage of the run together with its child runs. Null if it has none. */
export function totalUsage({ usage, children }: RunState): RunUsage | null {
  return children ? children.reduce((sum, child) => sumUsage(sum, child.usage), usage) : null
}
