import type { Message, Script, ScriptStep } from 'offstage'

/** Text of a step that tells what the last call came to: a script has no model to read it. */
export const OUTCOME = '{{outcome}}'

/** The script with its outcomes filled in, as the conversation has them. */
export function withOutcome(script: Script, messages: readonly Message[]): Script {
  const text = outcomeOf(messages)
  const filled = (steps: readonly ScriptStep[]): readonly ScriptStep[] =>
    steps.map((step) => (step.text === OUTCOME ? { ...step, text } : step))
  return {
    ...script,
    scenes: (script.scenes ?? []).map((scene) => ({ ...scene, steps: filled(scene.steps) })),
  }
}

function outcomeOf(messages: readonly Message[]): string {
  const result = messages.findLast(({ role }) => role === 'tool')?.parts.at(-1)
  if (result?.type !== 'tool-result') return 'Done.'
  const { toolName, output } = result
  if (output.type === 'denied') return 'OK, nothing was ordered. Your cart is as it was.'
  if (output.type === 'error') return `That did not work: ${output.message}`
  const value = output.type === 'json' ? fieldsOf(output.value) : {}
  return toolName === 'checkout' ? placed(value) : booked(value)
}

type Fields = { readonly [name: string]: unknown }

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function placed({ order, deliveredBy }: Fields): string {
  return `Order ${String(order)} is placed, arriving by ${String(deliveredBy)}.`
}

function booked({ confirmed, requests }: Fields): string {
  const seen =
    requests === 1
      ? 'The courier saw 1 request, 1 booking.'
      : `The courier saw ${String(requests)} requests, 1 booking (same idempotency key).`
  return `Booked: ${String(confirmed)}. ${seen}`
}
