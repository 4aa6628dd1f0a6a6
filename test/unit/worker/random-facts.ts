import { importedCalls, isSettled } from '../../../src/conversation/pending.ts'
import type { FactType, NewRow } from '../../../src/protocol/fact.ts'
import type { CallState, ConversationState } from '../../../src/protocol/state.ts'
import { newId, words } from './store-support.ts'

export const KINDS = [
  'run-started',
  'model-output',
  'call-proposed',
  'call-settled',
  'run-ended',
  'messages-imported',
  'history-cleared',
  'renamed',
] as const satisfies FactType[]

export type Kind = (typeof KINDS)[number]

export const renamed = (title: string): NewRow => ({ type: 'renamed', runId: null, at: 7, title })

/** Facts of a kind that may come next; none where there is nothing that they could be about. */
export function nextRows(kind: Kind, state: ConversationState, choice: number): NewRow[] {
  const { run, path } = state
  const parentId = path.at(-1)?.id ?? null
  const at = 10 + choice
  const openRun = run?.end === null ? run : null
  const runId = openRun?.runId ?? null
  const open = (run?.calls ?? []).filter((call) => !isSettled(call))
  const settle = (call: Pick<CallState, 'path'>): NewRow => ({
    type: 'call-settled',
    runId: run?.runId ?? null,
    at,
    path: call.path,
    status: 'succeeded',
    output: { type: 'text', value: 'ok' },
  })
  switch (kind) {
    case 'run-started': {
      if (openRun) return []
      const limits = { maxSteps: 9, retries: 3 }
      const message = choice === 0 ? null : words(choice === 1 ? ' ' : `Say ${choice}`)
      return [{ type: 'run-started', runId: newId(), at, parentId, message, limits }]
    }
    case 'model-output': {
      if (!openRun) return []
      const calls = callsOf(choice % 3)
      return [
        ...open.map(settle),
        {
          type: 'model-output',
          runId,
          at,
          step: openRun.steps + 1,
          attempt: 1,
          parentId,
          message: { role: 'assistant', id: newId(), parts: calls },
          toolsId: calls.length > 0 ? newId() : null,
          calls: calls.map(({ toolCallId }) => ({ toolCallId, known: true, parallel: false })),
          usage: {},
          finishReason: 'stop',
          toolMode: 'native',
        },
      ]
    }
    case 'call-proposed': {
      const outer = open[choice % Math.max(1, open.length)]
      if (!outer || !openRun) return []
      const inner = [...outer.path, newId()]
      return [{ type: 'call-proposed', runId, at, path: inner, toolName: 't', input: {} }]
    }
    case 'call-settled': {
      const waiting = importedCalls(state).map(({ toolCallId }) => ({ path: [toolCallId] }))
      const all = [...open, ...waiting]
      return all
        .slice(choice % Math.max(1, all.length))
        .slice(0, 1)
        .map(settle)
    }
    case 'run-ended': {
      if (!openRun) return []
      if (choice % 2 === 0)
        return [{ type: 'run-ended', runId, at, end: { outcome: 'waiting', pending: [] } }]
      return [...open.map(settle), { type: 'run-ended', runId, at, end: { outcome: 'completed' } }]
    }
    case 'messages-imported': {
      if (openRun) return []
      const [done, ...others] = callsOf(1 + (choice % 3))
      const bad = { code: 'malformed', message: 'Odd.' } as const
      const part = { type: 'tool-call', toolCallId: newId(), toolName: 't', error: bad } as const
      const output = { type: 'text', value: 'ok' } as const
      const result = {
        ...done,
        type: 'tool-result',
        toolCallId: done?.toolCallId ?? '',
        output,
      } as const
      return [
        {
          type: 'messages-imported',
          runId: null,
          at,
          parentId,
          messages: [
            { role: 'assistant', id: newId(), parts: [...(done ? [done] : []), part, ...others] },
            { role: 'tool', id: newId(), parts: [{ ...result, toolName: 't' }] },
          ],
        },
      ]
    }
    case 'history-cleared':
      return [{ type: 'history-cleared', runId: null, at }]
    case 'renamed':
      return [renamed(choice % 4 === 0 ? '' : `Title ${choice}`)]
    default:
      return kind satisfies never
  }
}

function callsOf(count: number) {
  return Array.from(
    { length: count },
    () => ({ type: 'tool-call', toolCallId: newId(), toolName: 't', input: {} }) as const,
  )
}
