import { headId } from '../../../conversation/tree.ts'
import type { CallAnswer } from '../../../protocol/worker-calls.ts'
import { replacerFor } from '../call-secrets.ts'
import { sameJson } from '../../../lib/json/same-json.ts'
import { OffstageError } from '../../../protocol/error.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import { replaceInOutput } from '../../../protocol/message.ts'
import type { CallState, RunState } from '../../../protocol/state.ts'
import { errorOutput, isOverdue, openCall, settledFacts, type Settlement } from '../settle.ts'
import { callContext, type CallsContext, type DrivenRun } from '../run-context.ts'
import type { FactDraft } from '../../store/fact-draft.ts'
import { createConsent, denySiblings } from './judge-approval.ts'
import { noteApproval } from '../execute-calls.ts'
import { checkShown } from '../../validation/check-input.ts'
import { hideInputSecrets } from '../hide-secrets.ts'
import { availableTool } from '../recover-call.ts'
import { checkContent } from '../../../protocol/fields.ts'

/** Messages to the model for a question that a person declined or closed. */
const UNANSWERED = {
  decline:
    'The person does not want to answer this. Do not ask it again; go on without it if you can.',
  cancel: 'The person closed the question without answering. Go on without an answer if you can.',
} as const

/**
 * Throws `consent-refused` if the person approved an earlier request, or another input than the call's.
 *
 * Throws `invalid-input` if the answer doesn't fit its question: a string where the question has fields, or content
 * where it has none. Also if the content doesn't fit the fields: `details.fields` then lists each field's problem.
 */
function checkAnswer({ question, askedAt, input }: CallState, answer: CallAnswer['answer']): void {
  if (
    answer.type === 'approve' &&
    ((answer.askedAt ?? askedAt) !== askedAt ||
      (answer.shown !== undefined && !sameJson(answer.shown, input)))
  )
    throw new OffstageError(
      'consent-refused',
      'The question about this call has changed. Read it, then answer again.',
      { retryable: true },
    )
  const fields = question?.fields
  if (answer.type === 'answer' && fields)
    throw inputError("This question asks for fields: answer it with { action: 'accept', content }.")
  if (answer.type !== 'accept') return
  if (!fields) throw inputError('This question has no fields: answer with a text.')
  const problems = checkContent(fields, answer.content)
  if (problems.length === 0) return
  const listed = problems.slice(0, 8).map(({ field, problem }) => `'${field}' ${problem}`)
  throw inputError(`The answer doesn't fit: ${listed.join('; ')}.`, problems)
}

function inputError(message: string, problems?: ReturnType<typeof checkContent>): OffstageError {
  const details = problems && { fields: problems.map((problem) => ({ ...problem })) }
  return new OffstageError('invalid-input', message, { ...(details && { details }) })
}

type Answer = CallAnswer['answer']

/** A person's answer to a call. */
export type PersonAnswer = Pick<CallAnswer, 'toolCallId' | 'answer'>

/** Returns the call if it waits for this kind of answer. */
export function waitingCall(
  run: RunState | null,
  toolCallId: string,
  answer: Answer,
): CallState | null {
  const call = run?.end === null && openCall(run, { toolCallId })
  if (!call || call.status !== WAITS_AS[answer.type]) return null
  // A suspended composite call takes no answer: its function runs again and determines the outcome.
  const isRunAgain = call.suspended !== null && 'seen' in call.suspended
  return isRunAgain ? null : call
}

const WAITS_AS = {
  approve: 'awaiting-approval',
  deny: 'awaiting-approval',
  answer: 'awaiting-answer',
  accept: 'awaiting-answer',
  decline: 'awaiting-answer',
  cancel: 'awaiting-answer',
  resolve: 'awaiting-decision',
  settle: 'suspended',
} as const

/**
 * Result of a person's answer or request to a run. `other-owner`: another tab or device drives the run, or is about to.
 */
export type CommandResult = 'applied' | 'not-waiting' | 'other-owner'

/**
 * Commits a person's answer to a call. Returns false if the call doesn't wait for this answer. The append checks this,
 * so only one of several simultaneous answers is stored.
 *
 * Throws `invalid-input` if an edited input doesn't fit the tool's schema, or an answer doesn't fit its question. The
 * call then keeps waiting. `answerId`: id of the append, by which the caller can find out whether this answer was
 * stored.
 */
export async function answerCall(
  context: CallsContext,
  { toolCallId, answer }: PersonAnswer,
  answerId: string,
): Promise<boolean> {
  const { conversation, effects, signal, runId } = context
  const waiting = waitingCall(conversation.run, toolCallId, answer)
  if (waiting === null) return false
  // Checks the answer here, too: a refused approval must not be noted in this browser.
  checkAnswer(waiting, answer)
  const redacted = withoutSecrets(context, waiting, answer)
  const finalAnswer =
    redacted.type === 'approve' ? await checkedEdit(context, waiting, redacted) : redacted
  const consent = await consentFacts(context, waiting, finalAnswer)
  if (finalAnswer.type === 'approve')
    await noteApproval(context, waiting, { input: finalAnswer.input ?? waiting.input })
  if (finalAnswer.type === 'resolve')
    await noteApproval(context, waiting, { resolvedAs: finalAnswer.verdict })
  const extraUsage = answer.type === 'settle' ? answer.usage : undefined
  const usage = waiting.child ? await context.family.storedUsageOf(waiting, extraUsage) : []
  return conversation.append(
    (run) => {
      // A stopping run settles its own calls.
      const call =
        signal.aborted || run?.runId !== runId ? null : waitingCall(run, toolCallId, answer)
      if (call === null || isOverdue(call, effects.now())) return null
      checkAnswer(call, answer)
      return [...usage, ...answerFacts(context, call, finalAnswer), ...consent]
    },
    { waits: false, appendId: answerId },
  )
}

/** The consent that a person gives together with an approval, for later calls. */
async function consentFacts(
  context: DrivenRun,
  call: CallState,
  answer: Answer,
): Promise<readonly FactDraft[]> {
  if (answer.type !== 'approve' || answer.remember === undefined) return []
  return [await createConsent(context, call, { ...answer, within: answer.remember })]
}

/** Checks an edited input, and replaces its secrets with placeholders before it is stored. */
async function checkedEdit(
  context: CallsContext,
  call: CallState,
  answer: Extract<Answer, { type: 'approve' }>,
): Promise<Answer> {
  const { input: edited, ...plain } = answer
  // An input equal to the call's isn't an edit.
  if (edited === undefined || sameJson(edited, call.input)) return plain
  const tool = await availableTool(context, call)
  if (!tool) throw inputError(`'${call.toolName}' isn't registered, so its edit can't be checked.`)
  const { secrets: callSecrets } = context.conversation
  const hookResult = await context.page.beforeToolCall({
    ...callContext(context, call, edited),
    edited: true,
  })
  if (hookResult.type === 'veto') throw inputError(hookResult.reason)
  const input = await hideInputSecrets(context, call, { tool, input: hookResult.input })
  const inputWithSecrets = callSecrets.restore(call.toolCallId, input)
  // If the person's input isn't null, a null result means that a secret is lost.
  if (inputWithSecrets === null && input !== null) throw inputError(LOST)
  const problem = checkShown(context.validator, tool, { input: inputWithSecrets, shown: input })
  if (problem) throw inputError(problem.message)
  return {
    ...answer,
    input,
    note: [answer.note, editedNote(call, input)].filter(Boolean).join('\n'),
  }
}

/** Tells the model about an edit. The note about a nested call is added to the result of the model's own call. */
function editedNote({ path, toolName }: CallState, input: JsonValue): string {
  // Cuts a long input, because notes are limited in size.
  const shownInput = JSON.stringify(input).replace(/^(.{100000}).+/su, '$1…')
  const callPhrase = path.length > 1 ? `its call of ${toolName}` : 'this call'
  return `Note: a person changed the input of ${callPhrase} to ${shownInput}.`
}

/** Replaces the secrets of the call's input with their placeholders in the answer's texts. */
function withoutSecrets(
  { conversation }: DrivenRun,
  { toolCallId, input }: CallState,
  answer: Answer,
): Answer {
  const secrets = conversation.secrets.valuesIn(toolCallId, input)
  if (secrets.length === 0) return answer
  const { replace } = replacerFor(secrets)
  if ('output' in answer && answer.output)
    return { ...answer, output: replaceInOutput(answer.output, replace) }
  if (answer.type !== 'approve' && answer.type !== 'deny') return answer
  const hide = (text: string | undefined): string | undefined => text && replace(text)
  const note = hide(answer.note)
  return answer.type === 'approve'
    ? { ...answer, note }
    : { ...answer, note, reason: hide(answer.reason) }
}

const LOST = 'A secret in this input is lost. Enter it again, or deny the call.'

function answerFacts(context: DrivenRun, call: CallState, answer: Answer): FactDraft[] {
  const fact = answerFact(call, answer)
  const settlement = settlementOf(call, answer)
  const after = headId(context.conversation.state)
  const settlements = settlement ? [settlement, ...denySiblings(context, settlement)] : []
  return [...(fact ? [fact] : []), ...settlements.flatMap((end) => settledFacts(end, after))]
}

interface ApprovalAnswer {
  readonly input?: JsonValue | undefined
  readonly reason?: string | undefined
  readonly note?: string | undefined
}

/** The fact that records the answer. Null if the `call-settled` fact is enough. */
function answerFact({ path }: CallState, answer: Answer): FactDraft | null {
  switch (answer.type) {
    case 'approve':
    case 'deny': {
      const { input, reason, note }: ApprovalAnswer = answer
      return {
        type: 'approval-answered',
        path,
        approved: answer.type === 'approve',
        ...(reason !== undefined && { reason }),
        ...(input !== undefined && { input }),
        ...(note !== undefined && { note }),
      }
    }
    case 'answer':
      return { type: 'question-answered', path, answer: answer.text }
    case 'accept':
      return { type: 'question-answered', path, answer: '', values: answer.content }
    case 'decline':
    case 'cancel':
      return { type: 'question-answered', path, answer: '', action: answer.type }
    case 'resolve':
      return { type: 'interruption-resolved', path, verdict: answer.verdict }
    case 'settle':
      return null
    default:
      return answer satisfies never
  }
}

/** The call's end that follows from the answer. Null if the call may now run. */
function settlementOf(call: CallState, answer: Answer): Settlement | null {
  switch (answer.type) {
    case 'approve':
      return null
    case 'deny': {
      const { note, reason } = answer
      const output = { type: 'denied', ...(reason !== undefined && { reason }) } as const
      return { call, status: 'denied', output, ...(note !== undefined && { note }) }
    }
    case 'answer':
      return { call, status: 'succeeded', output: { type: 'text', value: answer.text } }
    case 'accept':
      return { call, status: 'succeeded', output: { type: 'json', value: answer.content } }
    case 'decline':
    case 'cancel':
      return { call, status: 'denied', output: { type: 'denied', reason: UNANSWERED[answer.type] } }
    case 'resolve':
      return resolution(call, answer)
    case 'settle': {
      const { output, untrusted } = answer
      const origin = untrusted ? { untrusted: call.title ?? call.toolName } : {}
      return { call, status: output.type === 'error' ? 'failed' : 'succeeded', output, ...origin }
    }
    default:
      return answer satisfies never
  }
}

function resolution(
  call: CallState,
  { verdict, output }: Extract<Answer, { type: 'resolve' }>,
): Settlement | null {
  switch (verdict) {
    case 'run-again':
      return null
    case 'happened':
      return {
        call,
        status: 'succeeded',
        output: output ?? { type: 'text', value: 'A person confirmed that this call happened.' },
      }
    case 'did-not-happen':
      return {
        call,
        status: 'failed',
        output: errorOutput({
          code: 'failed',
          message: 'A person confirmed that this call did not happen.',
        }),
      }
    default:
      return verdict satisfies never
  }
}
