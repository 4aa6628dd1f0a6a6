import type {
  AgentScope,
  CallAnswer,
  ConversationScope,
  ResumeRun,
  StartRun,
} from '../protocol/api.ts'
import type { JsonSchema } from '../protocol/json.ts'
import type { Agent, CallRef, Conversations } from './agent.ts'
import { checkId, checkText } from './check-input.ts'
import { checkNames } from './check-names.ts'
import type { StoredView } from './conversation-view.ts'
import { extract, type ExtractOptions } from './extract.ts'
import { formatOutput } from './format-output.ts'
import { newId } from './ids.ts'
import type { AgentParts } from './agent-parts.ts'
import { prepare } from './prepare.ts'
import { wasLeftInPeace } from './left-in-peace.ts'
import { pageRegistry } from './page-registry.ts'
import type { Run, RunHandle } from './run-handle.ts'
import { sendAbort, sendStart } from './run-line.ts'
import { limitsOf } from './run-limits.ts'
import { fromStored } from './stored-view.ts'
import type { StandardSchema } from './standard-schema.ts'

type Answers = Pick<Agent, 'approve' | 'deny' | 'answer' | 'supplyOutput' | 'resolveInterrupted'>

/** The methods of an agent that are questions to its worker, by name. */
export interface AgentCommands
  extends Pick<Agent, 'resume' | 'continue' | 'prepare'>, Answers, Conversations {
  extract(
    request: ExtractOptions<JsonSchema | StandardSchema>,
    signal: AbortSignal,
  ): Promise<unknown>
  sendStart(handle: RunHandle, command: StartRun): Promise<void>
  sendAbort(runId: string): Promise<void>
  /** What is stored, as it is shown. */
  shown(conversationId: string): Promise<StoredView>
}

export function createCommands(agent: AgentParts): AgentCommands {
  return {
    async resume(conversationId, how = {}) {
      checkNames(how, 'resume')
      if (conversationId !== undefined) checkId(conversationId)
      return takeUp(agent, { ...how, ...(conversationId !== undefined && { conversationId }) })
    },
    async continue(conversationId) {
      checkId(conversationId)
      return takeUp(agent, { conversationId, goOn: true })
    },
    prepare: ({ signal } = {}) => prepare(agent, signal),
    extract: (request, signal) => extract(agent, request, signal),
    sendStart: (handle, command) => sendStart(agent, handle, command),
    sendAbort: (runId) => sendAbort(agent, runId),
    async shown(conversationId) {
      checkId(conversationId)
      const stored = await agent.carry('getConversation', { ...agent.scope(), conversationId })
      return (events) => fromStored(conversationId, stored, events)
    },
    ...answers(agent),
    ...conversations(agent),
  }
}

async function takeUp(
  { carry, runs, scope }: AgentParts,
  command: Partial<Omit<ResumeRun, keyof AgentScope>>,
): Promise<Run | null> {
  const { touched } = pageRegistry()
  const { conversationId = '' } = command
  const afterCrash = !wasLeftInPeace && !touched.has(conversationId)
  const defaults = { interrupted: 'tell-model', waitForToolsMs: 10_000, afterCrash } as const
  const handle = await runs.adopt(carry('resumeRun', { ...defaults, ...command, ...scope() }))
  touched.add(conversationId)
  if (handle) touched.add(handle.run.conversationId)
  return handle && handle.run
}

function answers({ ask, options, reload, runs, scope }: AgentParts): Answers {
  const reply = (call: CallRef, answer: CallAnswer['answer']): Promise<boolean> =>
    ask('answerCall', { ...scope(), ...locate(call), answer })
  return {
    async approve(call, how = {}) {
      checkNames(how, 'approve')
      const { input } = how
      return reply(call, { type: 'approve', ...(input !== undefined && { input }) })
    },
    async deny(call, reason) {
      checkText(reason ?? '', 'The reason')
      return reply(call, { type: 'deny', ...(reason && { reason }) })
    },
    async answer(call, text) {
      checkText(text, 'The answer')
      return reply(call, { type: 'answer', text })
    },
    async supplyOutput(call, output) {
      const limits = limitsOf(options)
      const command = { ...scope(), ...locate(call), nextRunId: newId(), limits }
      const supplied = { ...command, output: await formatOutput(output) }
      const handle = await runs.adopt(ask('supplyOutput', supplied))
      reload()
      return handle && handle.run
    },
    async resolveInterrupted(call, verdict, output) {
      return reply(call, {
        type: 'resolve',
        verdict,
        ...(output !== undefined && { output: await formatOutput(output) }),
      })
    },
  }
}

/** An event or a pending call may be passed as it is. */
function locate(call: CallRef): { conversationId?: string; toolCallId: string } {
  const { conversationId, toolCallId } =
    typeof call === 'string' ? { toolCallId: call } : (call ?? {})
  checkText(toolCallId, 'The id of a call')
  if (conversationId !== undefined) checkId(conversationId)
  return { ...(conversationId !== undefined && { conversationId }), toolCallId }
}

function conversations({ ask, carry, reload, scope }: AgentParts): Conversations {
  const at = (conversationId: string): ConversationScope => {
    checkId(conversationId)
    return { ...scope(), conversationId }
  }
  const emptied = async (done: Promise<boolean>): Promise<boolean> => {
    const answer = await done
    reload()
    return answer
  }
  return {
    list: (options) => carry('listConversations', { ...scope(), ...options }),
    get: async (id) => carry('getConversation', at(id)),
    async rename(id, title) {
      checkText(title, 'The title')
      return ask('renameConversation', { ...at(id), title })
    },
    delete: async (id) => emptied(ask('deleteConversation', at(id))),
    clearHistory: async (id) => emptied(ask('clearHistory', at(id))),
  }
}
