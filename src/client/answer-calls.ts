import type { CallAnswer } from '../protocol/commands.ts'
import { describeThrown } from '../protocol/error.ts'
import { randomId } from '../lib/random-id.ts'
import { adopt } from './adopt.ts'
import type { AgentParts } from './agent-parts.ts'
import { refOf } from './asked-calls.ts'
import type { ApproveOptions, CallAnswers, CallRef } from './call-answers.ts'
import type { AnsweredQuestion } from './person-check.ts'
import { checkId, checkText } from './check-input.ts'
import { checkNames } from './check-names.ts'
import { errorOutput, formatOutput } from './format-output.ts'
import { limitsOf } from './run-limits.ts'
import { saidOf } from './said-of.ts'

/** Answers to calls, after the check that a person gave them. */
export interface SentAnswers extends Omit<CallAnswers, 'approve' | 'approveAll' | 'consent'> {
  approve(
    call: CallRef,
    how: ApproveOptions | undefined,
    askedAt: AnsweredQuestion,
  ): Promise<boolean>
}

/** Sends answers to the worker, which knows who drives the run of a call. */
export function answersOf(agent: AgentParts): SentAnswers {
  const { ask, options, scope } = agent
  const reply = (call: CallRef, answer: CallAnswer['answer']): Promise<boolean> =>
    ask('answerCall', { ...scope(), ...located(call), answer })
  return {
    async approve(call, how = {}, askedAt) {
      checkNames(how, 'approve')
      const { input, remember } = how
      return reply(call, {
        type: 'approve',
        input,
        remember: remember || undefined,
        askedAt,
        shown: refOf(call).input,
      })
    },
    async deny(call, reason) {
      checkText(reason ?? '', 'The reason')
      return reply(call, { type: 'deny', reason: reason || undefined })
    },
    answer: async (call, answer) => reply(call, saidOf(answer)),
    async supplyOutput(call, output) {
      const limits = limitsOf(options)
      const command = { ...scope(), ...located(call), nextRunId: randomId(), limits }
      const supplied = { ...command, output: await formatOutput(output) }
      const handle = await adopt(agent, () => ask('supplyOutput', supplied))
      return handle && handle.run
    },
    async settle(call, outcome) {
      checkNames(outcome, 'settle')
      const { output, error } = outcome
      const failed = error === undefined ? null : errorOutput('failed', describeThrown(error))
      return reply(call, { type: 'settle', output: failed ?? (await formatOutput(output)) })
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

/** Throws `invalid-input` if the reference names no call. */
function located(call: CallRef): Pick<CallAnswer, 'toolCallId' | 'conversationId'> {
  const { input: _shown, ...ref } = refOf(call)
  checkText(ref.toolCallId, 'The id of a call')
  if (ref.conversationId !== undefined) checkId(ref.conversationId)
  return ref
}
