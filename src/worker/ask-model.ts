import type { StepContext } from '../protocol/questions.ts'
import { callModel, type ModelOutcome } from './call-model.ts'
import type { CountedRun } from './counters.ts'
import type { Drive } from './drive.ts'
import { providerOf } from './engines.ts'
import { outgoingRequest } from './outgoing.ts'
import { modelFetch } from './page-fetch.ts'
import { readsTextCalls } from './text-calls.ts'

/** Asks the model for the run's next step, by the configuration that the page gave for it. */
export function askModel(
  drive: Drive,
  run: CountedRun,
  { context, messageId }: { readonly context: StepContext; readonly messageId: string },
): Promise<ModelOutcome> {
  const { agentId, conversation, effects, stream, memory, page, runId, signal } = drive
  const { configId, keyless, model } = context
  const step = run.steps + 1
  if (readsTextCalls(model, memory.toolMode(model))) {
    conversation.sentWords.takeContext(context.context ?? '', context.tools)
  }
  return callModel({
    step,
    context,
    request: (toolMode) => outgoingRequest(conversation.state.path, run, { context, toolMode }),
    provider: providerOf({ ...context, agentId }, drive),
    memory,
    effects,
    signal,
    ...(!keyless && {
      credentials: (previousRejected, endpoint) =>
        page.credentials({ agentId, configId, endpoint, previousRejected }),
    }),
    fetch: modelFetch(page, model),
    messageId,
    emit: (delta, attempt) => stream.delta({ ...delta, runId, step, attempt }),
    isUsedId: (toolCallId) => conversation.hasCallId(toolCallId),
    attemptFailed: (failed) => conversation.append([{ type: 'attempt-failed', step, ...failed }]),
  })
}
