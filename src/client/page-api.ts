import type { PageApi } from '../protocol/api.ts'
import { withPlainErrors } from '../protocol/wire-errors.ts'
import type { ExecutionsApi } from './executions.ts'
import { disposed } from './failures.ts'
import type { ModelRequests } from './model-requests.ts'
import { whileStaying } from './page-leaving.ts'

/** The questions that an agent answers itself; tools are run by `Executions`. */
export type AgentPage = Omit<PageApi, keyof ExecutionsApi | 'fetchModel'>

/** What a worker may ask of this page. */
export function createPageApi(
  pageOf: (agentId: string) => AgentPage | undefined,
  executions: ExecutionsApi,
  fetches: Pick<ModelRequests, 'fetchModel'>,
): PageApi {
  const ask = async <Result>(
    agentId: string,
    question: (page: AgentPage) => Promise<Result>,
  ): Promise<Result> => {
    const page = pageOf(agentId)
    if (!page) throw disposed()
    return whileStaying(() => question(page))
  }
  return withPlainErrors<PageApi>({
    stepContext: (call) => ask(call.agentId, (page) => page.stepContext(call)),
    currentTools: (agentId) => ask(agentId, (page) => page.currentTools(agentId)),
    credentials: (request) => ask(request.agentId, (page) => page.credentials(request)),
    openEngine: (opening) => ask(opening.agentId, (page) => page.openEngine(opening)),
    beforeToolCall: (call) => ask(call.agentId, (page) => page.beforeToolCall(call)),
    needsApproval: (call) => ask(call.agentId, (page) => page.needsApproval(call)),
    reconcileTool: (call) => ask(call.agentId, (page) => page.reconcileTool(call)),
    fetchModel: (request) => fetches.fetchModel(request),
    executeTool: (call) => executions.executeTool(call),
    knownExecutions: (ids) => executions.knownExecutions(ids),
    cancelTools: (request) => executions.cancelTools(request),
    acknowledgeTools: (ids) => executions.acknowledgeTools(ids),
  })
}
