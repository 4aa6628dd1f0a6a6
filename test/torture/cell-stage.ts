import type { Page } from '@playwright/test'
import { inTime } from './patience.ts'
import type { StoredConversation } from '../../src/protocol/conversation.ts'
import type { Row } from '../../src/protocol/fact.ts'
import type { ConversationSnapshot } from '../../src/index.ts'

/** A trial as its page needs it. */
export interface CellSpec {
  readonly label: string
  /** Address of the trial's own server. */
  readonly url: string
  /** The call whose function reports that it starts. */
  readonly target: string
  /** Name of the tool that needs approval. */
  readonly asks: string | null
}

export interface HandleState {
  readonly label: string
  readonly isOpen: boolean
  readonly events: number
  /** Outcome of the run, as this handle reports it. */
  readonly end: string | null
}

/** Installed in each page by `cell-page.js`. Every method may fail, because its page can die. */
export interface Cells {
  mount(specs: readonly CellSpec[]): void
  run(label: string, text?: string): unknown
  resume(label: string): Promise<unknown>
  abort(label: string): void
  steer(label: string): void
  takeOver(label: string): Promise<unknown>
  dispose(labels: readonly string[]): Promise<void>
  killWorkers(): void
  answer(labels: readonly string[]): Promise<void>
  stored(label: string): Promise<StoredConversation | null>
  shown(label: string): ConversationSnapshot
  state(): { readonly errors: readonly string[]; readonly handles: readonly HandleState[] }
  next(label: string): Promise<string>
  explain(label: string): Promise<string>
  locks(): Promise<readonly string[]>
  rows(): Promise<readonly (Row & { readonly conversationId: string })[]>
}

/** Runs a method of the page's side. Rejects when the page goes meanwhile, and when it never answers. */
export function inCells<Method extends keyof Cells>(
  page: Page,
  method: Method,
  ...values: Parameters<Cells[Method]>
): Promise<Awaited<ReturnType<Cells[Method]>>> {
  const answer = page.evaluate(
    async ([name, given]) => {
      const { cells } = window as unknown as {
        cells: Record<string, (...values: unknown[]) => unknown>
      }
      const answer = await cells[name as string]?.(...(given as unknown[]))
      // A run can't be cloned.
      return typeof answer === 'object' && answer && 'runId' in answer && 'result' in answer
        ? null
        : answer
    },
    [method, values] as const,
  ) as Promise<Awaited<ReturnType<Cells[Method]>>>
  return inTime(method, answer)
}

/** The same where nobody waits: what comes next must be able to hit it, and may take its page away. */
export function tellCells<Method extends keyof Cells>(
  page: Page,
  method: Method,
  ...values: Parameters<Cells[Method]>
): void {
  void page
    .evaluate(
      ([name, given]) => {
        const { cells } = window as unknown as {
          cells: Record<string, (...values: unknown[]) => unknown>
        }
        void cells[name as string]?.(...(given as unknown[]))
      },
      [method, values] as const,
    )
    .catch(() => undefined)
}
