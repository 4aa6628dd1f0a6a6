import type { RecordedRow } from '../recording.ts'
import type { Plain } from './plain.ts'

/**
 * Rows of format 2 as format 1 had them, which is what both are compared by. What only format 2 stores is
 * left out, and is listed here:
 * - the ids of messages' places (`parentId`, `toolsId`), attempts, what a call's tool is called for people and that
 *   it only reads, and the text that tells the model of an unreadable answer;
 * - failed attempts without usage, and why an attempt failed;
 * - a step that is cut short, apart from its text, which format 1 had in the run's end;
 * - that the model is about to read words of others;
 * - what a person said of an interrupted call, but for "run again", which format 1 had as a consent, and that such a
 *   call repeats an earlier execution;
 * - the note of an edit in its approval, which only the end of the call had.
 */
export function asFormat1(rows: readonly RecordedRow[]): Plain[] {
  return rows.flatMap((row, index) => {
    const old = oldBody(row, rows[index - 1])
    return old === null ? [] : { ...old, runId: row.runId, at: row.at }
  })
}

/** Null: it has no counterpart. `before`: the row before it. */
function oldBody(row: RecordedRow, before: RecordedRow | undefined): Plain | null {
  switch (row.type) {
    case 'run-started': {
      const { type, message, limits } = row
      return { type, message: message && { role: 'user', ...message }, limits }
    }
    case 'attempt-failed': {
      const { type, step, usage } = row
      return Object.keys(usage).length === 0 ? null : { type, step, usage }
    }
    case 'model-output':
      return oldOutput(row)
    case 'step-cut':
    case 'context-tainted':
      return null
    case 'run-ended': {
      const { type, end } = row
      const partial = before?.type === 'step-cut' ? textOf(before.message?.parts) : ''
      return { type, end, ...(partial !== '' && { partial }) }
    }
    case 'messages-imported': {
      const { type, messages } = row
      return { type, messages }
    }
    case 'approval-answered': {
      const { path, runId: _runId, at: _at, note: _note, ...rest } = row
      return { ...rest, toolCallId: path.at(-1) }
    }
    case 'call-started': {
      const { path, runId: _runId, at: _at, ...rest } = row
      const repeats = rest.repeats && before?.type !== 'interruption-resolved'
      return { ...rest, repeats, toolCallId: path.at(-1) }
    }
    case 'interruption-resolved': {
      const isConsent = row.verdict === 'run-again'
      return isConsent
        ? { type: 'approval-answered', toolCallId: row.path.at(-1), approved: true }
        : null
    }
    default: {
      const { runId: _runId, at: _at, ...body } = row
      if (!('path' in body) || body.path === undefined) return body
      const { path, ...rest } = body
      return { ...rest, toolCallId: path.at(-1) }
    }
  }
}

function oldOutput(row: Extract<RecordedRow, { readonly type: 'model-output' }>): Plain {
  const { runId: _runId, at: _at, attempt: _a, parentId: _p, toolsId: _t, ...body } = row
  const { feedback, calls, ...rest } = body
  return {
    ...rest,
    calls: calls.map(({ title: _title, readOnly: _readOnly, ...call }) => call),
    ...(feedback && { feedback: feedback.error }),
  }
}

function textOf(parts: readonly { readonly type: string; readonly text: string }[] = []): string {
  return parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}
