import type { Run, RunEvent } from 'offstage'
import type { RunNotes } from './run-notes.ts'
import { noNotes, noteEvent } from './run-notes.ts'

/** Follows runs by their events. */
export interface RunWatch {
  /** Once for each run, however often it is asked. */
  follow(run: Run): void
  notesOf(conversationId: string | undefined): RunNotes
  /** The conversation's open run. */
  runOf(conversationId: string | undefined): Run | undefined
}

export function createRunWatch(onEvent: (event: RunEvent) => void): RunWatch {
  const notes = new Map<string, RunNotes>()
  const runs = new Map<string, Run>()

  const watch = async (run: Run): Promise<void> => {
    for await (const event of run) {
      notes.set(run.conversationId, noteEvent(notes.get(run.conversationId) ?? noNotes, event))
      if (event.type === 'run-end') runs.delete(run.conversationId)
      onEvent(event)
    }
  }
  return {
    follow(run) {
      if (runs.get(run.conversationId)?.runId === run.runId) return
      runs.set(run.conversationId, run)
      void watch(run)
    },
    notesOf: (conversationId) => notes.get(conversationId ?? '') ?? noNotes,
    runOf: (conversationId) => runs.get(conversationId ?? ''),
  }
}
