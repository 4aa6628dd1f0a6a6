import {
  type ModelFetch,
  type ModelFetchHead,
  type ModelFetchRefusal,
  PAGE_CALLS,
  type PageApi,
  type RedactFacts,
} from '../../protocol/page-calls.ts'
import type { AgentRef } from '../../protocol/conversation.ts'
import { serveCalls } from '../../protocol/call.ts'
import type { Executions } from '../execution/executions.ts'
import { disposedError } from '../api/failures.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { Fact } from '../../protocol/fact.ts'
import { loadPartWithRetry } from './page-leaving.ts'

/** Model requests that this page makes for its worker. Few pages do, so the code is loaded on demand. */
export class ModelRequests {
  #workerLost = new AbortController()

  async fetchModel(request: ModelFetch): Promise<ModelFetchHead | ModelFetchRefusal> {
    const { signal } = this.#workerLost
    const { fetchModel } = await import('./page-fetches.ts').catch((cause: unknown) => {
      const message = `A part of offstage could not be loaded: ${describeThrown(cause)}`
      throw new OffstageError('network', message, { retryable: true, cause })
    })
    return fetchModel(request, signal)
  }

  /** Called when the worker is lost or no longer needed, and when the page enters the back/forward cache. */
  abortAll(): void {
    this.#workerLost.abort()
    this.#workerLost = new AbortController()
  }
}

/** An agent's `redact` function, and the storage that it applies to. */
export interface Redactor {
  /** The `storageKey` of the agent's storage. */
  readonly storage: string
  readonly redact: (fact: Fact) => Fact
  /** Emits a warning of the agent. */
  warn(message: string): void
}

/** Redacts facts before the page's worker stores them, with the redactors of all agents that use the same storage. */
export class Redactors {
  readonly #agents = new Set<Redactor>()
  /** The redactor released last, by storage. It redacts facts that are stored after all its agents were disposed. */
  readonly #last = new Map<string, Redactor>()

  add(redactor: Redactor): void {
    this.#agents.add(redactor)
  }

  release(redactor: Redactor | undefined): void {
    if (redactor && this.#agents.delete(redactor)) this.#last.set(redactor.storage, redactor)
  }

  async redact({ storage, facts }: RedactFacts): Promise<readonly unknown[]> {
    const active = [...this.#agents].filter((each) => each.storage === storage)
    const last = this.#last.get(storage)
    const redactors = active.length > 0 || last === undefined ? active : [last]
    const part = await loadPartWithRetry(() => import('../features/hooks.ts'))
    return part.redactFacts(redactors, facts)
  }
}

/** Calls that the page answers itself, the same for all agents. */
type PageAnswers = Pick<
  Executions & ModelRequests & Redactors,
  keyof PageApi & keyof (Executions & ModelRequests & Redactors)
>

/** Calls that an agent answers. */
export type AgentPage = Omit<PageApi, keyof PageAnswers>

/**
 * Creates the API that a worker may call on this page. `pageParts`: objects whose methods answer for the page itself.
 */
export function createPageApi(
  pageOf: (agentId: string) => AgentPage | undefined,
  pageParts: readonly Partial<PageAnswers>[],
): PageApi {
  return serveCalls(PAGE_CALLS, (name) => (argument) => {
    const part = pageParts.find((each) => name in each) as PageAnswers | undefined
    if (part) return part[name as keyof PageAnswers](argument)
    const { agentId }: AgentRef = argument
    const page = pageOf(agentId)
    if (!page) throw disposedError()
    return page[name as keyof AgentPage](argument)
  })
}
