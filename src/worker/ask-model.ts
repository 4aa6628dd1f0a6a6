import type { StepContext } from '../protocol/api.ts'
import { callModel, type ModelOutcome } from './call-model.ts'
import type { Drive } from './drive.ts'
import { providerOf } from './engines.ts'
import { outgoingRequest } from './outgoing.ts'
import { modelFetch } from './page-fetch.ts'
import type { RunState } from './state.ts'
import { readsTextCalls } from './text-calls.ts'

/** Asks the model for the run's next step, by the configuration that the page gave for it. */
export function askModel(drive: Drive, run: RunState, context: StepContext): Promise<ModelOutcome> {
  const { agentId, conversation, effects, events, memory, page, signal } = drive
  const { configId, model } = context
  const step = run.steps + 1
  if (readsTextCalls(model, memory.toolMode(model))) {
    conversation.sentWords.takeContext(context.context ?? '', context.tools)
  }
  return callModel({
    step,
    context,
    request: (toolMode) => outgoingRequest(conversation.messages, run, { context, toolMode }),
    provider: providerOf({ ...context, agentId }, drive),
    memory,
    effects,
    signal,
    credentials: (previousRejected, endpoint) =>
      page.credentials({ agentId, configId, endpoint, previousRejected }),
    fetch: modelFetch(page, model),
    emit: (event) => events.push(event),
    isUsedId: (toolCallId) => conversation.hasCallId(toolCallId),
    attemptFailed: (usage) => conversation.append([{ type: 'attempt-failed', step, usage }]),
  })
}
