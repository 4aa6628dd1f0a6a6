import type { FactOf } from '../../protocol/fact.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { CutTurn, ModelOutcome } from '../model/call-model.ts'
import type { RunContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { modelOutput } from './model-output.ts'

/** A step requested from the model. */
export interface AskedStep {
  readonly step: number
  readonly messageId: string
  readonly stepContext: StepContext
}

type CutFact = Omit<FactOf<'step-cut'>, 'parentId'>

export type TurnOutcome = Extract<ModelOutcome, { readonly type: 'turn' }>

/** The fact that records the model's answer to a step. */
export function turnFact(
  { conversation: { sentWords }, effects, losses, tools }: RunContext,
  asked: AskedStep,
  outcome: TurnOutcome,
): ReturnType<typeof modelOutput> {
  return modelOutput({
    ...asked,
    ...outcome,
    newId: effects.newId,
    losses: losses.splice(0),
    tools,
    isQuoted: (call) => sentWords.hold(call, asked.stepContext.tools),
    calledNatively: sentWords.calledNatively,
  })
}

/** The fact of a step that was cut short because a person wrote a message. */
export function cutForMessage(
  asked: AskedStep,
  outcome: CutTurn & { readonly attempt: number },
): FactDraft {
  const { attempt, usage } = outcome
  const cut = cutFact(asked, outcome) ?? {
    type: 'step-cut',
    step: asked.step,
    attempt,
    message: null,
    usage,
  }
  return { ...cut, goesOn: true }
}

/** The fact of a step that was cut short. Null if it has neither parts nor usage. */
export function cutFact(
  { step, messageId }: AskedStep,
  { attempt, partial, usage }: CutTurn & { readonly attempt: number },
): CutFact | null {
  if (partial.length === 0 && Object.keys(usage).length === 0) return null
  const message = partial.length === 0 ? null : { id: messageId, parts: partial }
  return { type: 'step-cut', step, attempt, message, usage }
}
