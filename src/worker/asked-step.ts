import type { StepContext } from '../protocol/questions.ts'
import type { CutTurn, ModelOutcome } from './call-model.ts'
import type { Drive } from './drive.ts'
import type { FactDraft } from './fact-draft.ts'
import { modelOutput } from './take-turn.ts'

/** A step that the model was asked for. */
export interface AskedStep {
  readonly step: number
  readonly messageId: string
  readonly context: StepContext
}

export type TurnOutcome = Extract<ModelOutcome, { readonly type: 'turn' }>

/** The fact of a step that the model has answered. */
export function turnFact(
  { conversation: { sentWords }, effects, tools }: Drive,
  { step, messageId, context }: AskedStep,
  { attempt, turn, toolMode }: TurnOutcome,
): ReturnType<typeof modelOutput> {
  return modelOutput({
    messageId,
    step,
    attempt,
    newId: effects.newId,
    turn,
    toolMode,
    tools,
    isQuoted: (call) => sentWords.hold(call, context.tools),
    calledNatively: sentWords.calledNatively,
  })
}

/** The fact of a step that is cut short; null when there is nothing of it. */
export function cutFact(
  { step, messageId }: AskedStep,
  { attempt, partial, usage }: CutTurn & { readonly attempt: number },
): FactDraft | null {
  if (partial.length === 0 && Object.keys(usage).length === 0) return null
  const message = partial.length === 0 ? null : { id: messageId, parts: partial }
  return { type: 'step-cut', step, attempt, message, usage }
}
