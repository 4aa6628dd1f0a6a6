import type { Message, Script, ScriptStep } from 'offstage'

export type Fields = { readonly [name: string]: unknown }

/** Answers to the calls of a tool, by what they resulted in. */
export interface Outcome {
  readonly denied?: string
  describe(output: Fields): string
}

/** Outcomes by tool name. */
export type Outcomes = Readonly<Record<string, Outcome>>

/** Text of a step that is replaced by what the last call resulted in: a script has no model to read it. */
export const OUTCOME = 'Done: its result is above. A script wrote this answer.'

/** The script with its outcomes filled in, as the conversation has them. */
export function withOutcome(
  script: Script,
  messages: readonly Message[],
  outcomes: Outcomes,
): Script {
  const text = outcomeOf(messages, outcomes)
  const fillSteps = (steps: readonly ScriptStep[]): readonly ScriptStep[] =>
    steps.map((step) => (step.text === OUTCOME ? { ...step, text } : step))
  return {
    ...script,
    scenes: (script.scenes ?? []).map((scene) => ({ ...scene, steps: fillSteps(scene.steps) })),
  }
}

function outcomeOf(messages: readonly Message[], outcomes: Outcomes): string {
  const result = messages.findLast(({ role }) => role === 'tool')?.parts.at(-1)
  if (result?.type !== 'tool-result') return 'Done.'
  const { toolName, output } = result
  const { denied, describe } = outcomes[toolName] ?? {}
  if (output.type === 'denied') return denied ?? 'OK, nothing was done.'
  if (output.type === 'error') return `That did not work: ${output.message}`
  return describe?.(output.type === 'json' ? fieldsOf(output.value) : {}) ?? 'Done.'
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
