import { type PageApi, PAGE_CALLS } from '../protocol/page-calls.ts'
import type { AgentRef } from '../protocol/scope.ts'
import { served } from '../protocol/wire.ts'
import type { Executions } from './executions.ts'
import { disposed } from './failures.ts'
import type { ModelRequests } from './model-requests.ts'
import type { Redactors } from './redactors.ts'

/** Calls that the page answers itself, whichever agent they are about. */
type OwnAnswers = Pick<
  Executions & ModelRequests & Redactors,
  keyof PageApi & keyof (Executions & ModelRequests & Redactors)
>

/** Calls that an agent answers. */
export type AgentPage = Omit<PageApi, keyof OwnAnswers>

/** Creates the API that a worker may call on this page. `own`: objects whose methods answer for the page itself. */
export function createPageApi(
  pageOf: (agentId: string) => AgentPage | undefined,
  own: readonly Partial<OwnAnswers>[],
): PageApi {
  return served(PAGE_CALLS, (name) => (argument) => {
    const part = own.find((each) => name in each) as OwnAnswers | undefined
    if (part) return part[name as keyof OwnAnswers](argument)
    const { agentId }: AgentRef = argument
    const page = pageOf(agentId)
    if (!page) throw disposed()
    return page[name as keyof AgentPage](argument)
  })
}
